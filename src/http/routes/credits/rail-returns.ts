// POST /rails/{bankCode}/returns: a bank confirms or fails a return.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { cleanText } from '#banks/credit-fields.ts'
import { withTransaction } from '#db/transaction.ts'
import { isReturnReference } from '#domain/suspense/returns.ts'
import { settleReturn } from '#domain/suspense/settle-return.ts'
import type { Deps } from '#http/deps.ts'
import { named } from '#http/schemas.ts'
import { readBody } from './rail-body.ts'

const BANK_REFERENCE_MAX = 100
const FAILURE_REASON_MAX = 500
const textOf = (value: unknown, lengthMax: number) =>
  typeof value === 'string' ? (cleanText(value, lengthMax) ?? null) : null

export const returnRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { batchPool, clock, sharedAccounts } = deps
  app.setValidatorCompiler(() => () => true)
  app.post(
    '/rails/:bankCode/returns',
    {
      config: { rate: 'rail' },
      schema: {
        operationId: 'settleReturn',
        tags: ['Rails'],
        summary: 'Confirm or fail a return',
        description: 'The bank reports what became of money that was to go back to a payer.',
        params: Type.Object({ bankCode: Type.String() }),
        body: Type.Object({
          reference: Type.String({ description: 'Return reference from the instruction.' }),
          status: Type.Union([Type.Literal('confirmed'), Type.Literal('failed')]),
          bankReference: Type.Optional(Type.String({ description: 'The bank’s own reference.' })),
          reason: Type.Optional(
            Type.String({ description: 'Failure reason, shown to the client.' }),
          ),
        }),
        response: {
          200: named('ReturnAcknowledgement', {
            reference: Type.String(),
            responseCode: Type.String(),
            responseMessage: Type.String(),
          }),
        },
      },
    },
    async (request) => {
      const body = readBody(request.body, {
        reference: isReturnReference,
        status: (value) => value === 'confirmed' || value === 'failed',
      })
      const reference = body.reference as string
      const { bankCode } = request.params
      const bankReference = textOf(body.bankReference, BANK_REFERENCE_MAX) ?? reference
      const reason = textOf(body.reason, FAILURE_REASON_MAX)
      const settling = {
        reference,
        verdict:
          body.status === 'confirmed'
            ? ({ status: 'confirmed', bankReference } as const)
            : ({ status: 'failed', reason } as const),
        by: `bank:${bankCode}`,
        fromBank: bankCode,
      }
      const isSettled = await withTransaction(batchPool, (tx) =>
        settleReturn(tx, { sharedAccounts, now: clock() }, settling),
      )
      return isSettled
        ? { reference, responseCode: '00', responseMessage: 'Accepted' }
        : {
            reference,
            responseCode: '01',
            responseMessage: 'No pending return with this reference',
          }
    },
  )
}
