// POST /api/v1/accounts/static/{accountNumber}/numbers: a number at another bank for a collection
// account.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { BankSettings } from '#config/bank-settings.ts'
import { withTransaction } from '#db/transaction.ts'
import { addNumber, requireIssuingBank } from '#domain/accounts/add-number.ts'
import { exhaustedAlert } from '#domain/accounts/additional-numbers.ts'
import { raiseAlerts } from '#domain/records/alerts.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withPreparation } from '#http/idempotency.ts'
import { NoQuery } from '#http/lists.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders } from '#http/schemas.ts'
import {
  ACCOUNTS,
  AccountParams,
  BankCode,
  etagMatcher,
  formatEtag,
  IfMatchHeader,
  OwnAccountBody,
  requireAccountNumber,
} from './account-presenters.ts'
import { reserveForNumber } from './customer-numbers.ts'
import { presentOwnAccount } from './own-accounts.ts'

export const accountNumberRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { sealer, banks, authentication, clock } = deps

  app.post(
    `${ACCOUNTS}/:accountNumber/numbers`,
    {
      onRequest: authentication.requires('accounts:write'),
      schema: {
        operationId: 'addCollectionAccountNumber',
        tags: ['Collection accounts'],
        summary: 'Add a number at another bank',
        description:
          'Money sent to any number of the account is booked to it. Idempotent: an account has ' +
          'one number at each bank, for ever.',
        security: BEARER,
        headers: Type.Object({ ...IdempotencyHeaders.properties, ...IfMatchHeader }),
        params: AccountParams,
        querystring: NoQuery,
        body: Type.Object(
          { bankCode: BankCode },
          { additionalProperties: false, 'x-says': 'Must be an object with bankCode.' },
        ),
        response: { 200: ApiEnvelope(OwnAccountBody) },
      },
    },
    async (request, reply) => {
      const { client: by, actor, params, headers, body } = request
      const accountNumber = requireAccountNumber(params)
      const bank = requireIssuingBank(banks, body.bankCode)
      const isCurrent = etagMatcher(headers['if-match'])
      try {
        const how = { sealer, now: clock(), by, actor, isCurrent }
        const prepare = () => reserveForNumber(deps, how, { accountNumber, bank })
        const call = { request, reply, prepare }
        const answer = await withPreparation(deps, call, async (tx, reservation) => {
          const added = { accountNumber, bank, reservation }
          const account = await addNumber(tx, { ...how, now: clock() }, added)
          const shown = await presentOwnAccount({ ...deps, db: tx }, account)
          return accepted('Number added successfully', shown)
        })
        reply.header('etag', formatEtag(answer.data.version))
        return answer
      } catch (error) {
        if (error instanceof Refusal && error.code === 'numbers_exhausted') {
          await tellExhausted(deps, bank)
        }
        throw error
      }
    },
  )
}

// In a transaction of its own: that of the refused request is undone.
async function tellExhausted({ db, clock }: Deps, bank: BankSettings): Promise<void> {
  const now = clock()
  await withTransaction(db, async (tx) =>
    appendEvents(tx, now, await raiseAlerts(tx, now, [exhaustedAlert(bank)])),
  )
}
