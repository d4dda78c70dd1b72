// /api/v1/bank-accounts: where a client's payouts go. A bank is asked for the name on an account
// before it is saved; no transaction is open meanwhile.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { List } from '#db/paging.ts'
import { withTransaction } from '#db/transaction.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import {
  type BankAccount,
  getBankAccount,
  listBankAccounts,
  saveBankAccount,
} from '#domain/payouts/bank-accounts.ts'
import { changeBankAccount } from '#domain/payouts/change-bank-account.ts'
import { enquireName } from '#domain/payouts/enquire-name.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import type { Identity } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withPreparation } from '#http/idempotency.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, pageById, query } from '#http/lists.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders } from '#http/schemas.ts'
import {
  BankAccountBody,
  BankAccountRequest,
  parseBankAccount,
  presentBankAccount,
} from './bank-account-presenters.ts'

const BANK_ACCOUNTS = '/api/v1/bank-accounts'

const Params = Type.Object({ reference: Type.String() })
const response = { 200: ApiEnvelope(BankAccountBody) }
const about = { tags: ['Payouts'], security: BEARER }

export const bankAccountRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(creating, deps)
  await app.register(reading, deps)
  await app.register(changing, deps)
}

function presenter({ sealer, nameBank }: Deps, by: Identity) {
  return (account: BankAccount) => presentBankAccount(account, { sealer, by, nameBank })
}

const creating: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock, banks, bankConnections } = deps

  app.post(
    BANK_ACCOUNTS,
    {
      onRequest: authentication.requires('payouts:write'),
      schema: {
        ...about,
        operationId: 'createBankAccount',
        summary: 'Add a bank account',
        description:
          'The bank is asked whose account it is. An account that the bank does not know is ' +
          'refused; one under another name is kept as a mismatch, and nothing is paid to it. Send ' +
          'it again to correct the name. The first becomes the default.',
        headers: IdempotencyHeaders,
        querystring: NoQuery,
        body: BankAccountRequest,
        response,
      },
    },
    async (request, reply) => {
      const { client, actor, userId, body } = request
      refuseRestricted(client)
      const given = parseBankAccount(body, banks)
      const { bankCode, accountNumber, accountName } = given
      const named = { bankCode, accountNumber, expectedName: accountName }
      const call = { request, reply, prepare: () => enquireName(db, bankConnections, named) }
      return withPreparation(deps, call, async (tx, answer) => {
        const now = clock()
        const reference = await saveBankAccount(
          tx,
          { sealer, now, actor, userId },
          { clientId: client.id, ...given, answer },
        )
        const saved = await getBankAccount(tx, client.id, reference)
        await writeAuditLog(tx, now, {
          clientId: client.id,
          actor,
          action: 'bank_account.create',
          subject: `bank-account/${reference}`,
          detail: { bankCode, accountName, status: saved.status },
        })
        return accepted('Bank account created successfully', presenter(deps, request)(saved))
      })
    },
  )
}

const reading: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps
  const onRequest = authentication.requires('payouts:read')

  app.get(
    BANK_ACCOUNTS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listBankAccounts',
        summary: 'List bank accounts, newest first',
        description: 'The accounts that payouts and settlements can be paid to.',
        querystring: query({
          isActive: Type.Optional(
            Type.Unsafe<'true' | 'false'>({
              type: 'string',
              enum: ['true', 'false'],
              'x-says': 'Must be true or false.',
            }),
          ),
          ...PageQuery,
        }),
        response: { 200: ListEnvelope(BankAccountBody) },
      },
    },
    async (request) => {
      const { client, query: asked } = request
      refuseRestricted(client)
      const { isActive } = asked
      const list: List = { name: 'bank-accounts', clientId: client.id, filters: { isActive } }
      const wanted = {
        clientId: client.id,
        isActive: isActive === undefined ? undefined : isActive === 'true',
      }
      const page = await pageById(sealer, { list, asked }, ({ after, limit }) =>
        listBankAccounts(db, { ...wanted, beforeId: after, limit }),
      )
      return listResponse('Bank accounts retrieved successfully', page, presenter(deps, request))
    },
  )

  app.get(
    `${BANK_ACCOUNTS}/:reference`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'getBankAccount',
        summary: 'Retrieve a bank account',
        description: 'Its name at the bank, as the bank answered, and whether it can be paid to.',
        params: Params,
        querystring: NoQuery,
        response,
      },
    },
    async (request) => {
      const { client, params } = request
      refuseRestricted(client)
      const account = await getBankAccount(db, client.id, params.reference)
      return accepted('Bank account retrieved successfully', presenter(deps, request)(account))
    },
  )
}

const changing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps

  app.patch(
    `${BANK_ACCOUNTS}/:reference`,
    {
      onRequest: authentication.requires('payouts:write'),
      schema: {
        ...about,
        operationId: 'updateBankAccount',
        summary: 'Update a bank account',
        description: 'An inactive account is paid nothing, and is not the default.',
        params: Params,
        querystring: NoQuery,
        body: Type.Object(
          {
            isDefault: Type.Optional(
              Type.Unsafe<true>({
                type: 'boolean',
                const: true,
                description: 'Make it the default. To change it back, make another the default.',
                'x-says': 'Must be true.',
              }),
            ),
            isActive: Type.Optional(Type.Boolean({ 'x-says': 'Must be true or false.' })),
          },
          {
            additionalProperties: false,
            minProperties: 1,
            'x-says': 'Must be an object with at least one field to change.',
          },
        ),
        response,
      },
    },
    async (request) => {
      const { client, actor, userId, params, body: changes } = request
      refuseRestricted(client)
      const { reference } = params
      const account = await withTransaction(db, (tx) =>
        changeBankAccount(tx, { client, actor, userId, now: clock() }, { reference, changes }),
      )
      return accepted('Bank account updated successfully', presenter(deps, request)(account))
    },
  )
}
