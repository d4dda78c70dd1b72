// /api/v1/subaccounts: create, list, retrieve and change subaccounts. A bank is asked for the name on an
// account before a subaccount is paid to it; no transaction is open meanwhile.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type List, readCursor, toPage, writeCursor } from '#db/paging.ts'
import { withTransaction } from '#db/transaction.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import { enquireName } from '#domain/payouts/enquire-name.ts'
import { saveSubaccountBank } from '#domain/payouts/subaccount-bank.ts'
import {
  createSubaccount,
  generateCode,
  getSubaccount,
  listSubaccounts,
  updateSubaccount,
} from '#domain/splits/subaccounts.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withPreparation } from '#http/idempotency.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, parseLimit, query } from '#http/lists.ts'
import { parseBankAccount } from '#http/routes/payouts/bank-account-presenters.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders } from '#http/schemas.ts'
import {
  isCode,
  parsePaidTo,
  presentSubaccount,
  SubaccountBody,
  SubaccountChange,
  SubaccountRequest,
} from './split-presenters.ts'

type PaidTo = { bankCode: string; accountNumber: string; accountName: string }

const SUBACCOUNTS = '/api/v1/subaccounts'
const about = { tags: ['Splits'], security: BEARER, querystring: NoQuery }
const response = { 200: ApiEnvelope(SubaccountBody) }
const params = Type.Object({ subaccountCode: Type.String() })

export const subaccountRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(reads, deps)
  await app.register(creating, deps)
  await app.register(changing, deps)
}

function ask({ db, bankConnections }: Deps, { bankCode, accountNumber, accountName }: PaidTo) {
  return enquireName(db, bankConnections, { bankCode, accountNumber, expectedName: accountName })
}

const creating: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { sealer, clock, authentication, banks } = deps

  app.post(
    SUBACCOUNTS,
    {
      onRequest: authentication.requires('payouts:write'),
      schema: {
        ...about,
        operationId: 'createSubaccount',
        summary: 'Create a subaccount',
        description:
          'Its bank is asked whose account it is: refused under another name. Unconfirmed ' +
          'until a bank has answered; banks that can be asked are asked again.',
        headers: IdempotencyHeaders,
        body: SubaccountRequest,
        response,
      },
    },
    async (request, reply) => {
      const { client, actor, userId, body } = request
      refuseRestricted(client)
      const { subaccountCode, name } = body
      const { bankCode, accountNumber, accountName } = parseBankAccount(body, banks)
      const paidTo = { bankCode, accountNumber, accountName }
      const call = { request, reply, prepare: () => ask(deps, paidTo) }
      return withPreparation(deps, call, async (tx, answer) => {
        const by = { clientId: client.id, actor, userId, now: clock() }
        const given = { clientId: client.id, ...paidTo, answer }
        const bankAccountId = await saveSubaccountBank(tx, { sealer, ...by }, given)
        const code = subaccountCode ?? generateCode('SUB')
        const subaccount = await createSubaccount(tx, by, { code, name, bankAccountId })
        return accepted('Subaccount created successfully', presentSubaccount(subaccount, sealer))
      })
    },
  )
}

const changing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, clock, authentication, banks } = deps

  app.patch(
    `${SUBACCOUNTS}/:subaccountCode`,
    {
      onRequest: authentication.requires('payouts:write'),
      schema: {
        ...about,
        operationId: 'updateSubaccount',
        summary: 'Rename, deactivate or activate a subaccount, or pay it to another bank account',
        description:
          'An inactive subaccount can’t be used in new splits, and splits that include it can’t be ' +
          'used for new advices or accounts. Existing ones keep it. bankCode, accountNumber and ' +
          'accountName are changed together: the bank is asked whose account it is, and another ' +
          'name is refused. Settlements that are not approved yet are paid to the new account; payouts ' +
          'keep theirs. Send an unconfirmed account again to have the bank asked at once.',
        params,
        body: SubaccountChange,
        response,
      },
    },
    async ({ client, actor, userId, params: asked, body }) => {
      refuseRestricted(client)
      const code = requireSubaccountCode(asked)
      const { name, isActive } = body
      const paidTo = parsePaidTo(body, banks)
      if (paidTo) await getSubaccount(db, client.id, code) // Before a bank is asked.
      const named = paidTo && { clientId: client.id, ...paidTo, answer: await ask(deps, paidTo) }
      const subaccount = await withTransaction(db, async (tx) => {
        const by = { clientId: client.id, actor, userId, now: clock() }
        const bankAccountId = named && (await saveSubaccountBank(tx, { sealer, ...by }, named))
        return updateSubaccount(tx, by, { code, changes: { name, isActive, bankAccountId } })
      })
      return accepted('Subaccount updated successfully', presentSubaccount(subaccount, sealer))
    },
  )
}

const reads: FastifyPluginAsyncTypebox<Deps> = async (app, { db, sealer, authentication }) => {
  const onRequest = authentication.requires('payouts:read')

  app.get(
    SUBACCOUNTS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listSubaccounts',
        summary: 'List subaccounts, newest first',
        description: 'Those that receive shares of your credits, active or not.',
        querystring: query(PageQuery),
        response: { 200: ListEnvelope(SubaccountBody) },
      },
    },
    async ({ client, query: asked }) => {
      refuseRestricted(client)
      const list: List = { name: 'subaccounts', clientId: client.id, filters: {} }
      const position = readCursor(sealer, list, asked.cursor)
      const beforeId = position ? BigInt(position[0] as string) : null
      const limit = parseLimit(asked)
      const rows = await listSubaccounts(db, client.id, { beforeId, limit: limit + 1 })
      const page = toPage(rows, limit, ({ id }) => writeCursor(sealer, list, [id.toString()]))
      return listResponse('Subaccounts retrieved successfully', page, (row) =>
        presentSubaccount(row, sealer),
      )
    },
  )

  app.get(
    `${SUBACCOUNTS}/:subaccountCode`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'getSubaccount',
        summary: 'Retrieve a subaccount',
        description: 'Its name, where it is paid out to, and whether it is active.',
        params,
        response,
      },
    },
    async ({ client, params: asked }) => {
      refuseRestricted(client)
      const subaccount = await getSubaccount(db, client.id, requireSubaccountCode(asked))
      return accepted('Subaccount retrieved successfully', presentSubaccount(subaccount, sealer))
    },
  )
}

function requireSubaccountCode({ subaccountCode }: { subaccountCode: string }): string {
  if (!isCode(subaccountCode)) throw new Refusal('subaccount_not_found')
  return subaccountCode
}
