// GET /api/v1/accounts/static/{accountNumber}/details: a collection account with its KYC, payer rules
// and limits, which the published answer does not have.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getAccount } from '#domain/accounts/account-lookups.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import { ApiEnvelope, BEARER } from '#http/schemas.ts'
import {
  ACCOUNTS,
  AccountParams,
  formatEtag,
  OwnAccountBody,
  requireAccountNumber,
} from './account-presenters.ts'
import { presentOwnAccount } from './own-accounts.ts'

export const accountDetailRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  app.get(
    `${ACCOUNTS}/:accountNumber/details`,
    {
      onRequest: deps.authentication.requires('accounts:read'),
      schema: {
        operationId: 'getCollectionAccountDetails',
        tags: ['Collection accounts'],
        summary: 'Retrieve a collection account with KYC, payer rules and limits',
        description: 'BVN and NIN are masked. The ETag covers the updatable fields.',
        security: BEARER,
        params: AccountParams,
        querystring: NoQuery,
        response: { 200: ApiEnvelope(OwnAccountBody) },
      },
    },
    async ({ client, params }, reply) => {
      const account = await getAccount(deps.accountLookups, client, requireAccountNumber(params))
      reply.header('etag', formatEtag(account.version))
      const data = await presentOwnAccount(deps, account)
      return accepted('Collection account retrieved successfully', data)
    },
  )
}
