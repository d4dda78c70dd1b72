// /api/v1/operator/statements, their lines, imports and profiles.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { List } from '#db/paging.ts'
import { getImport, listImports } from '#domain/reconciliation/statement-imports.ts'
import { getStatement, listLines, listStatements } from '#domain/reconciliation/statements.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, pageById, query } from '#http/lists.ts'
import { ApiEnvelope, BEARER, bankCode } from '#http/schemas.ts'
import {
  ImportBody,
  ProfileBody,
  presentImport,
  presentLine,
  presentProfile,
  presentStatement,
  StatementBody,
  StatementLineBody,
} from './statement-presenters.ts'
import { STATEMENTS, statementUploadRoutes } from './statement-upload.ts'

const IMPORTS = '/api/v1/operator/statement-imports'
const ID = /^[1-9][0-9]{0,17}$/
const Params = Type.Object({ id: Type.String() })
const about = { tags: ['Operator'], security: BEARER }
const BankQuery = query({
  bankCode: Type.Optional(bankCode('Filter by bank.')),
  ...PageQuery,
})

export const bankStatementRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(statementUploadRoutes, deps)
  await app.register(reading, deps)
  await app.register(readingLines, deps)
  await app.register(readingImports, deps)
  await app.register(readingProfiles, deps)
}

function checkedId({ id }: { id: string }, missing: RefusalCode): bigint {
  if (!ID.test(id)) throw new Refusal(missing)
  return BigInt(id)
}

const reading: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, nameBank } = deps
  const onRequest = authentication.requires('accounting:read')

  app.get(
    STATEMENTS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listStatements',
        summary: 'List bank statements, latest import first',
        description: 'Each with its period, balances and how many of its lines were new.',
        querystring: BankQuery,
        response: { 200: ListEnvelope(StatementBody) },
      },
    },
    async ({ client, query: asked }) => {
      const { bankCode: code } = asked
      const list: List = { name: 'statements', clientId: client.id, filters: { bankCode: code } }
      const page = await pageById(sealer, { list, asked }, ({ after, limit }) =>
        listStatements(db, { bankCode: code, beforeId: after, limit }),
      )
      return listResponse('Statements retrieved successfully', page, (row) =>
        presentStatement(nameBank, row),
      )
    },
  )

  app.get(
    `${STATEMENTS}/:id`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'getStatement',
        summary: 'Retrieve a bank statement',
        description: 'Its period, balances, account and lines, and the import it came with.',
        params: Params,
        querystring: NoQuery,
        response: { 200: ApiEnvelope(StatementBody) },
      },
    },
    async ({ params }) => {
      const statement = await getStatement(db, checkedId(params, 'statement_not_found'))
      return accepted('Statement retrieved successfully', presentStatement(nameBank, statement))
    },
  )
}

const readingLines: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps

  app.get(
    `${STATEMENTS}/:id/lines`,
    {
      onRequest: authentication.requires('accounting:read'),
      schema: {
        ...about,
        operationId: 'listStatementLines',
        summary: 'List the lines of a bank statement',
        description: 'Those that were in no statement before, in the order of the file.',
        params: Params,
        querystring: query({
          isMatched: Type.Optional(
            Type.Unsafe<'true' | 'false'>({
              type: 'string',
              enum: ['true', 'false'],
              description: 'Only lines that are matched to the books, or that are not.',
              'x-says': 'Must be true or false.',
            }),
          ),
          ...PageQuery,
        }),
        response: { 200: ListEnvelope(StatementLineBody) },
      },
    },
    async ({ client, params, query: asked }) => {
      const { id } = await getStatement(db, checkedId(params, 'statement_not_found'))
      const isMatched = asked.isMatched === undefined ? undefined : asked.isMatched === 'true'
      const filters = { statement: id.toString(), isMatched: asked.isMatched }
      const list: List = { name: 'statement-lines', clientId: client.id, filters }
      const page = await pageById(sealer, { list, asked }, ({ after, limit }) =>
        listLines(db, id, { isMatched, afterId: after, limit }),
      )
      return listResponse('Statement lines retrieved successfully', page, (row) =>
        presentLine(sealer, row),
      )
    },
  )
}

const readingImports: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, clock, authentication } = deps
  const onRequest = authentication.requires('accounting:read')

  app.get(
    IMPORTS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listStatementImports',
        summary: 'List imports of bank statements, newest first',
        description: 'Also those in progress and those that failed.',
        querystring: BankQuery,
        response: { 200: ListEnvelope(ImportBody) },
      },
    },
    async ({ client, query: asked }) => {
      const { bankCode: code } = asked
      const filters = { bankCode: code }
      const list: List = { name: 'statement-imports', clientId: client.id, filters }
      const page = await pageById(sealer, { list, asked }, ({ after, limit }) =>
        listImports(db, clock(), { bankCode: code, beforeId: after, limit }),
      )
      return listResponse('Statement imports retrieved successfully', page, presentImport)
    },
  )

  app.get(
    `${IMPORTS}/:id`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'getStatementImport',
        summary: 'Retrieve an import of a bank statement',
        description:
          'Its state and the lines read so far; of one that failed, the line and the reason.',
        params: Params,
        querystring: NoQuery,
        response: { 200: ApiEnvelope(ImportBody) },
      },
    },
    async ({ params }) => {
      const id = checkedId(params, 'statement_import_not_found')
      const found = await getImport(db, clock(), id)
      return accepted('Statement import retrieved successfully', presentImport(found))
    },
  )
}

const readingProfiles: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, statementProfiles } = deps

  app.get(
    '/api/v1/operator/statement-profiles',
    {
      onRequest: authentication.requires('accounting:read'),
      schema: {
        ...about,
        operationId: 'listStatementProfiles',
        summary: 'List profiles of CSV statements',
        description: 'How banks write their statements as CSV: those shipped, and your own.',
        querystring: NoQuery,
        response: { 200: ListEnvelope(ProfileBody) },
      },
    },
    async () => {
      const page = { rows: [...statementProfiles.values()], nextCursor: null }
      return listResponse('Statement profiles retrieved successfully', page, presentProfile)
    },
  )
}
