// /api/v1/operator/payout-files: payouts in files, for banks without an API. Full account numbers
// leave the service in a download only, each recorded in the audit log before it begins.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { List } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { createPayoutFile, FILE_PAYOUTS_MAX } from '#domain/payouts/create-payout-file.ts'
import { requestFileFailure } from '#domain/payouts/fail-payouts.ts'
import { findOpenFailure } from '#domain/payouts/payout-failures.ts'
import { downloadPayoutFile, getPayoutFile, listPayoutFiles } from '#domain/payouts/payout-files.ts'
import { readHolidays } from '#domain/settlement/settlement-settings.ts'
import { Refusal } from '#errors.ts'
import type { Identity } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, pageById, query } from '#http/lists.ts'
import { toViewer } from '#http/routes/suspense/approval-presenters.ts'
import { ApiEnvelope, BEARER, bankCode, IdempotencyHeaders, text } from '#http/schemas.ts'
import { presentFailure } from './payout-failure-presenters.ts'
import {
  checkedFileId,
  PayoutFileBody,
  PayoutFileDetailBody,
  PayoutFileRequest,
  presentPayoutFile,
} from './payout-file-presenters.ts'
import { payoutFileResultRoutes } from './payout-file-results.ts'

export const PAYOUT_FILES = '/api/v1/operator/payout-files'
const CONFIRMATION_MAX = 400

const Params = Type.Object({ id: Type.String() })
const response = { 200: ApiEnvelope(PayoutFileDetailBody) }
const about = { tags: ['Operator'], security: BEARER }
const MEDIA_TYPES = { 'pain.001': 'application/xml', csv: 'text/csv' } as const
const ENDINGS = { 'pain.001': 'xml', csv: 'csv' } as const

export const payoutFileRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(reading, deps)
  await app.register(downloading, deps)
  await app.register(creating, deps)
  await app.register(failing, deps)
  await app.register(payoutFileResultRoutes, deps)
}

export function fileActor({ client, actor }: Identity) {
  return { clientId: client.id, actor }
}

type Shown = { by: Identity; reference: string }

async function show(db: Queryable, deps: Deps, { by, reference }: Shown) {
  const file = await getPayoutFile(db, reference)
  const failure = await findOpenFailure(db, toViewer(deps, by), { fileId: file.id })
  return { ...presentPayoutFile(file), failureRequest: failure && presentFailure(failure) }
}

const creating: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock, banks } = deps

  app.post(
    PAYOUT_FILES,
    {
      onRequest: authentication.requires('accounting:write'),
      schema: {
        ...about,
        operationId: 'createPayoutFile',
        summary: 'Create a payout file',
        description:
          'Takes all queued and approved payouts of the bank, oldest first, at most ' +
          `${FILE_PAYOUTS_MAX.toLocaleString('en')}. They are sending from then on, and in no ` +
          'other file. The bank needs payoutFiles in the banks file.',
        headers: IdempotencyHeaders,
        querystring: NoQuery,
        body: PayoutFileRequest,
        response,
      },
    },
    async (request, reply) => {
      const { body } = request
      const bank = banks.find(({ code }) => code === body.bankCode)
      if (!bank) throw new Refusal('bank_not_supported')
      const debitAccount = bank.payoutFiles
      if (!debitAccount) throw new Refusal('payout_files_off')
      const holidays = await readHolidays(db)
      return withIdempotency(deps, { request, reply }, async (tx) => {
        const by = fileActor(request)
        const asked = { ...body, debitAccount }
        const reference = await createPayoutFile(tx, { sealer, now: clock(), by, holidays }, asked)
        const shown = await show(tx, deps, { by: request, reference })
        return accepted('Payout file created successfully', shown)
      })
    },
  )
}

const reading: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps
  const onRequest = authentication.requires('accounting:read')

  app.get(
    PAYOUT_FILES,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listPayoutFiles',
        summary: 'List payout files, newest first',
        description:
          'Files of payouts for banks without an API, and what the banks reported of them.',
        querystring: query({
          bankCode: Type.Optional(bankCode('Filter by bank.')),
          ...PageQuery,
        }),
        response: { 200: ListEnvelope(PayoutFileBody) },
      },
    },
    async ({ client, query: asked }) => {
      const { bankCode: code } = asked
      const list: List = { name: 'payout-files', clientId: client.id, filters: { bankCode: code } }
      const page = await pageById(sealer, { list, asked }, ({ after, limit }) =>
        listPayoutFiles(db, { bankCode: code, beforeId: after, limit }),
      )
      return listResponse('Payout files retrieved successfully', page, presentPayoutFile)
    },
  )

  app.get(
    `${PAYOUT_FILES}/:id`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'getPayoutFile',
        summary: 'Retrieve a payout file',
        description: 'Its payouts by state, who downloaded it, and its hash.',
        params: Params,
        querystring: NoQuery,
        response,
      },
    },
    async (request) => {
      const reference = checkedFileId(request.params)
      const shown = await show(db, deps, { by: request, reference })
      return accepted('Payout file retrieved successfully', shown)
    },
  )
}

const downloading: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps

  app.get(
    `${PAYOUT_FILES}/:id/download`,
    {
      onRequest: authentication.requires('accounting:write'),
      schema: {
        ...about,
        operationId: 'downloadPayoutFile',
        summary: 'Download a payout file',
        description:
          'The same bytes every time; recorded in the audit log. Refused while payouts are held, ' +
          'and for good once the file is marked as not delivered, a payout of it was settled by ' +
          'hand, or the database was restored.',
        params: Params,
        querystring: NoQuery,
        response: {
          200: {
            content: {
              'application/xml': { schema: Type.String() },
              'text/csv': { schema: Type.String() },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const reference = checkedFileId(request.params)
      const by = fileActor(request)
      const { format, content } = await withTransaction(db, (tx) =>
        downloadPayoutFile(tx, { sealer, now: clock(), by }, reference),
      )
      return reply
        .type(`${MEDIA_TYPES[format]}; charset=utf-8`)
        .headers({
          'content-disposition': `attachment; filename="${reference}.${ENDINGS[format]}"`,
          'cache-control': 'no-store',
        })
        .send(content as never)
    },
  )
}

const failing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, clock } = deps

  app.post(
    `${PAYOUT_FILES}/:id/not-delivered`,
    {
      onRequest: authentication.requires('accounting:write'),
      schema: {
        ...about,
        operationId: 'failPayoutFile',
        summary: 'Request that a payout file counts as not delivered',
        description:
          'Only when the bank has confirmed that it has not processed the file and will not. Once ' +
          'another user approves (failureRequest), its open payouts fail, their money is available ' +
          'again, and the file can no longer be downloaded.',
        headers: IdempotencyHeaders,
        params: Params,
        querystring: NoQuery,
        body: Type.Object(
          {
            bankConfirmation: text(
              CONFIRMATION_MAX,
              'How the bank confirmed it: who, when, and under which reference.',
            ),
          },
          { additionalProperties: false },
        ),
        response,
      },
    },
    async (request, reply) => {
      const { bankConfirmation: evidence } = request.body
      const reference = checkedFileId(request.params)
      return withIdempotency(deps, { request, reply }, async (tx) => {
        const by = { ...toViewer(deps, request), now: clock() }
        await requestFileFailure(tx, by, { reference, evidence })
        const shown = await show(tx, deps, { by: request, reference })
        return accepted('Failure requested successfully', shown)
      })
    },
  )
}
