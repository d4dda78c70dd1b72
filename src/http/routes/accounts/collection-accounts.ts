// /api/v1/accounts/static: create and retrieve a collection account (published contract). Lists,
// changes and bulk: account-list.ts, account-changes.ts, account-bulk.ts.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { refuseMerchant } from '#domain/access/clients.ts'
import { getAccount } from '#domain/accounts/account-lookups.ts'
import { requireIssuingBanks } from '#domain/accounts/add-number.ts'
import { parsePayerRules, payerHasher } from '#domain/accounts/payer-rules.ts'
import { dropBlanks } from '#http/blank-fields.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { presentAccount } from '#http/presenters.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, named } from '#http/schemas.ts'
import {
  ACCOUNTS,
  AccountBody,
  AccountParams,
  formatEtag,
  pickFields,
  pickKyc,
  RequestFields,
  requireAccountNumber,
} from './account-presenters.ts'
import { reserveForAccount } from './customer-numbers.ts'

const AccountRequest = named('AccountRequest', RequestFields)

export const collectionAccountRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { accountLookups, banks, sealer, writers, authentication } = deps
  const response = { 200: ApiEnvelope(AccountBody) }
  const tags = ['Collection accounts']

  app.post(
    ACCOUNTS,
    {
      config: { isPublished: true, queue: 'accounts' },
      onRequest: authentication.requires('accounts:write'),
      preValidation: dropBlanks(AccountRequest),
      schema: {
        operationId: 'createCollectionAccount',
        tags,
        summary: 'Create a collection account',
        description:
          'A static number that a customer pays into for ever. Transfers to it are booked to ' +
          'the account and notified to notificationUrl. An optional field that is empty or null ' +
          'counts as not sent.',
        security: BEARER,
        headers: IdempotencyHeaders,
        body: AccountRequest,
        response,
      },
    },
    async (request, reply) => {
      refuseMerchant(request.client, request.body.merchantCode)
      const wanted = await reserveForAccount(deps, {
        clientId: request.client.id,
        fields: pickFields(request.body),
        kyc: pickKyc(request.body),
        payerRules: parsePayerRules(request.body.payerRules, payerHasher(sealer)),
        banks: requireIssuingBanks(banks, request.body.banks),
        splitCode: request.body.splitCode,
        idempotencyKey: request.headers['idempotency-key'],
      })
      const { value, replayed } = await writers.accounts.submit(wanted)
      if (replayed) reply.header('idempotent-replayed', 'true')
      reply.header('etag', formatEtag(value.version))
      return accepted(
        'Collection account created successfully',
        presentAccount(value, request.isPerson, deps),
      )
    },
  )

  app.get(
    `${ACCOUNTS}/:accountNumber`,
    {
      config: { isPublished: true },
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'getCollectionAccount',
        tags,
        summary: 'Retrieve a collection account',
        description: 'The ETag covers the updatable fields, not the balance.',
        security: BEARER,
        params: AccountParams,
        response,
      },
    },
    async (request, reply) => {
      const accountNumber = requireAccountNumber(request.params)
      const account = await getAccount(accountLookups, request.client, accountNumber)
      reply.header('etag', formatEtag(account.version))
      return accepted(
        'Collection account retrieved successfully',
        presentAccount(account, request.isPerson, deps),
      )
    },
  )
}
