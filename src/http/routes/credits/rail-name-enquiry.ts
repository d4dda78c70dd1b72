// POST /rails/{bankCode}/name-enquiry: a bank asks whose a number is before it sends money.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ACCOUNT_NUMBER, isAccountNumber } from '#banks/nuban.ts'
import { accountName } from '#domain/accounts/account-names.ts'
import { findLiveName } from '#domain/accounts/number-owners.ts'
import { canListTransfers, putAfterEnquiry } from '#domain/requery/questions.ts'
import type { Deps } from '#http/deps.ts'
import { named } from '#http/schemas.ts'
import { readBody } from './rail-body.ts'

const isNumber = (value: unknown) => typeof value === 'string' && isAccountNumber(value)

export const nameEnquiryRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, clock, policy } = deps
  // Bodies are raw signed bytes, parsed after the signature check.
  app.setValidatorCompiler(() => () => true)
  app.post(
    '/rails/:bankCode/name-enquiry',
    {
      config: { rate: 'rail' },
      schema: {
        operationId: 'nameEnquiry',
        tags: ['Rails'],
        summary: 'Name enquiry',
        description:
          'Read and answered in the words of the bank’s connector; the default is shown.',
        params: Type.Object({ bankCode: Type.String() }),
        body: Type.Object({ accountNumber: Type.String({ pattern: ACCOUNT_NUMBER }) }),
        response: {
          200: named('NameEnquiry', {
            accountNumber: Type.String(),
            accountName: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
            kycLevel: Type.Unsafe<string | null>({
              type: ['string', 'null'],
              description: 'KYC tier. Null: not known, as of the number of a payment.',
            }),
            responseCode: Type.String({
              description: '00 found; 07 invalid account, or an account of another bank.',
            }),
          }),
        },
      },
      serializerCompiler: () => (data) => JSON.stringify(data),
    },
    async (request) => {
      const { call, connection } = request.rail
      const { field, answer } = connection.nameEnquiry
      const accountNumber = readBody(call.rawBody, { [field]: isNumber })[field] as string
      const { bankCode } = request.params
      const now = clock()
      const found = await findLiveName(db, now, { bankCode, accountNumber })
      if (found && canListTransfers(connection)) {
        await putAfterEnquiry(db, now, { ...found, bankCode, accountNumber })
      }
      return answer({
        accountNumber,
        accountName: found ? accountName(policy.accountName, found) : null,
        kycLevel: found?.kycLevel ?? null,
      }) as never
    },
  )
}
