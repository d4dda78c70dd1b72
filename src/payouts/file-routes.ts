// /api/v1/operator/payout-files: creates, downloads and fails files of payouts for banks without an API, and
// takes these banks' reports. Full account numbers leave the service only in a download. The audit log
// records each download before it begins.

import { createHash } from 'node:crypto'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { checkerOf, ofPeople, toViewer } from '#approvals/views.ts'
import { MEDIA_TYPES } from '#banks/iso20022/camt054.ts'
import { readPain002 } from '#banks/iso20022/pain.ts'
import { mediaType } from '#banks/notifications.ts'
import { type Report, readPaymentCsv } from '#banks/payment-files.ts'
import type { Queryable } from '#db/pool.ts'
import { invalidField, Refusal } from '#errors.ts'
import { withCaller } from '#http/caller.ts'
import { type Deps, scoped } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { NoQuery } from '#http/lists.ts'
import { referenceKey } from '#http/path-keys.ts'
import { type Call, resource } from '#http/resource.ts'
import {
  ApiEnvelope,
  BEARER,
  bankCode,
  IdempotencyHeaders,
  oneOf,
  strictObject,
  text,
} from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { readHolidays } from '#settlement/holidays.ts'
import { findOpenFailure, type PayoutFailure, requestFileFailure } from './failures.ts'
import { type Judgement, PROBLEMS, type Problem, takeFileResults } from './file-results.ts'
import {
  createPayoutFile,
  downloadPayoutFile,
  FILE_BLOCKS,
  FILE_FORMATS,
  FILE_PAYOUTS_MAX,
  getPayoutFile,
  listPayoutFiles,
  type PayoutFile,
} from './files.ts'
import { OpenFailure, PayoutFailureView } from './views.ts'

const PAYOUT_FILES = '/api/v1/operator/payout-files'
const CONFIRMATION_MAX = 400

const FileView = view('PayoutFile', (f: Fields<PayoutFile>) => ({
  id: f.text('reference', 'Also the MsgId and PmtInfId of a pain.001.'),
  bankCode: f.text('bankCode'),
  format: f.text('format', `One of ${FILE_FORMATS.join(', ')}.`),
  payouts: f.integer('payouts', 'Number of payouts.'),
  amount: f.naira('amountKobo', 'Control sum.'),
  open: f.integer(
    ({ payouts, confirmed, failed }) => payouts - confirmed - failed,
    'Payouts that the bank has not reported yet.',
  ),
  confirmed: f.integer('confirmed'),
  failed: f.integer('failed'),
  settledByHand: f.integer(
    'settledByHand',
    'Of those confirmed or failed: settled by hand, not by a report.',
  ),
  blockedBy: f.textOrNull(
    'blockedBy',
    `Why it cannot be downloaded: ${FILE_BLOCKS.join(', ')}. Null: it can.`,
  ),
  executionDate: f.text('executionDate', 'Requested execution date, a business day.'),
  sha256: f.text('sha256', 'Of the file as downloaded, in hexadecimal.'),
  createdBy: f.text('createdBy'),
  createdAt: f.time('createdAt'),
  downloadedBy: f.textOrNull('downloadedBy', 'Who downloaded it first.'),
  downloadedAt: f.timeOrNull('downloadedAt'),
  notDeliveredBy: f.textOrNull('notDeliveredBy', 'Who marked it as not delivered.'),
  notDeliveredAt: f.timeOrNull('notDeliveredAt'),
  bankConfirmation: f.textOrNull('bankConfirmation', 'How the bank confirmed that.'),
}))

type FileDetail = PayoutFile & { failure: PayoutFailure | null }

const FileDetailView = view('PayoutFileDetail', (f: Fields<FileDetail>) => ({
  ...FileView.fields,
  failureRequest: f.as(OpenFailure, ({ failure }) => failure && PayoutFailureView.present(failure)),
}))

// Reads a payout file with its open request to fail it.
async function readDetail(db: Queryable, call: Call, reference: string): Promise<FileDetail> {
  const file = await getPayoutFile(db, reference)
  const failure = await findOpenFailure(db, toViewer(call, call), { fileId: file.id })
  return { ...file, failure }
}

const requireFileReference = referenceKey('PYF', 'payout_file_not_found')

const fileResource = {
  tag: 'Operator',
  noun: 'payout file',
  view: FileDetailView,
  scopes: { read: 'accounting:read', write: 'accounting:write' },
  params: { id: requireFileReference },
} as const

const files = resource(PAYOUT_FILES, fileResource)
  .list('listPayoutFiles', {
    summary: 'List payout files, newest first',
    description: 'Files of payouts for banks without an API, and what the banks reported of them.',
    view: FileView,
    filters: { bankCode: Type.Optional(bankCode('Filter by bank.')) },
    rows: (db, { query, after, limit }) =>
      listPayoutFiles(db, { bankCode: query.bankCode, beforeId: after, limit }),
  })
  .get('getPayoutFile', {
    summary: 'Retrieve a payout file',
    description: 'Its payouts by state, who downloaded it, and its hash.',
    errors: ['payout_file_not_found'],
    run: (db, call) => readDetail(db, call, call.params.id),
  })

const fileChanges = resource(PAYOUT_FILES, fileResource)
  .create('createPayoutFile', {
    summary: 'Create a payout file',
    description:
      'Takes all queued and approved payouts of the bank, oldest first, at most ' +
      `${FILE_PAYOUTS_MAX.toLocaleString('en')}. They are sending from then on, and in no ` +
      'other file. The bank needs payoutFiles in the banks file.',
    body: strictObject({
      bankCode: bankCode('Bank that sends the payouts.'),
      format: oneOf(FILE_FORMATS, 'pain.001: ISO 20022 pain.001.001.09. csv: one line per payout.'),
    }),
    errors: ['bank_not_supported', 'no_payouts_queued', 'payout_files_off', 'payouts_held'],
    parse: ({ banks, body }) => {
      const bank = banks.find(({ code }) => code === body.bankCode)
      if (!bank) throw new Refusal('bank_not_supported')
      if (!bank.payoutFiles) throw new Refusal('payout_files_off')
      return { ...body, debitAccount: bank.payoutFiles }
    },
    run: async (tx, call) => {
      const { sealer, now, clientId, actor } = call
      const deps = { sealer, now, by: { clientId, actor }, holidays: await readHolidays(tx) }
      return readDetail(tx, call, await createPayoutFile(tx, deps, call.input))
    },
  })
  .act('failPayoutFile', {
    ...ofPeople,
    path: '/:id/not-delivered',
    summary: 'Request that a payout file counts as not delivered',
    description:
      'Only when the bank has confirmed that it has not processed the file and will not. Once ' +
      'another user approves (failureRequest), its open payouts fail, their money is available ' +
      'again, and the file can no longer be downloaded.',
    body: strictObject({
      bankConfirmation: text(
        CONFIRMATION_MAX,
        'How the bank confirmed it: who, when, and under which reference.',
      ),
    }),
    errors: [
      'failure_requested',
      'payout_file_not_delivered',
      'payout_file_not_found',
      'payout_file_paid',
    ],
    message: 'Failure requested successfully',
    run: async (tx, call) => {
      const { id: reference } = call.params
      await requestFileFailure(tx, checkerOf(call), {
        reference,
        evidence: call.body.bankConfirmation,
      })
      return readDetail(tx, call, reference)
    },
  })

const MEDIA = {
  'pain.001': { type: 'application/xml', ending: 'xml' },
  csv: { type: 'text/csv', ending: 'csv' },
} as const

export const payoutFileRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  files.register(app, deps)
  await downloadRoute(app, deps)
  fileChanges.register(app, deps)
  await payoutFileResultRoutes(app, deps)
}

const downloadRoute: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps

  app.get(
    `${PAYOUT_FILES}/:id/download`,
    {
      onRequest: authentication.requires('accounting:write'),
      config: {
        errors: [
          'client_held',
          'client_suspended',
          'failure_requested',
          'payout_file_may_have_been_sent',
          'payout_file_not_delivered',
          'payout_file_not_found',
          'payout_file_settled',
          'payout_under_review',
          'payouts_held',
        ],
      },
      schema: {
        tags: ['Operator'],
        security: BEARER,
        operationId: 'downloadPayoutFile',
        summary: 'Download a payout file',
        description:
          'The same bytes every time; recorded in the audit log. Refused while payouts are held, ' +
          'and for good once the file is marked as not delivered, a payout of it was settled by ' +
          'hand, or the database was restored.',
        params: Type.Object({ id: Type.String() }),
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
      const reference = requireFileReference(request.params.id)
      const by = { clientId: request.client.id, actor: request.actor }
      const { format, content } = await withCaller(deps, { request, pool: db }, (tx) =>
        downloadPayoutFile(tx, { sealer, now: clock(), by }, reference),
      )
      const { type, ending } = MEDIA[format]
      return reply
        .type(`${type}; charset=utf-8`)
        .headers({
          'content-disposition': `attachment; filename="${reference}.${ending}"`,
          'cache-control': 'no-store',
        })
        .send(content as never)
    },
  )
}

const ProblemView = view('PayoutResultProblem', (f: Fields<Problem>) => ({
  line: f.integer('line', 'Line of a CSV; statement of a pain.002, from 1.'),
  reference: f.textOrNull('reference', 'Payout it is about. Null: a file, or nothing.'),
  status: f.text('status', 'As the bank wrote it.'),
  problem: f.text('problem', `One of ${Object.keys(PROBLEMS).join(', ')}.`),
  message: f.text(({ problem }) => PROBLEMS[problem]),
}))

const countResults = ({ results }: Judgement, outcome: 'confirmed' | 'failed') =>
  results.filter(({ status }) => status === outcome).length

const ResultsView = view('PayoutResults', (f: Fields<Judgement>) => ({
  confirmed: f.integer(
    (judgement) => countResults(judgement, 'confirmed'),
    'Payouts that the bank paid.',
  ),
  failed: f.integer(
    (judgement) => countResults(judgement, 'failed'),
    'Payouts that the bank rejected.',
  ),
  pending: f.integer('pending', 'Payouts still in progress at the bank.'),
  unchanged: f.integer('unchanged', 'Payouts reported before, with the same outcome.'),
  problems: f.list(ProblemView, 'problems', 'Lines that changed nothing, and why.'),
}))

const BODY_BYTES_MAX = 16_777_216 // Enough for 10,000 transactions with all optional fields.
const CSV = 'text/csv'

// A bank's report as the operator uploaded it. The idempotency check compares the public fields of a body, so
// the hash of the content is the only public field.
class UploadedReport {
  readonly #bytes: Buffer
  readonly #isCsv: boolean
  readonly sha256: string

  constructor(contentType: string, bytes: Buffer) {
    this.#bytes = bytes
    this.#isCsv = mediaType(contentType) === CSV
    this.sha256 = createHash('sha256').update(bytes).digest('hex')
  }

  read(): Report {
    return this.#isCsv ? readPaymentCsv(this.#bytes) : readPain002(this.#bytes)
  }
}

// POST /api/v1/operator/payout-files/results: a bank's report, as pain.002 or CSV.
const payoutFileResultRoutes: FastifyPluginAsyncTypebox<Deps> = scoped(async (app, deps) => {
  const { authentication, clock, settleReported } = deps
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    [...MEDIA_TYPES, CSV],
    { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX },
    (request, body, done) => {
      done(null, new UploadedReport(request.headers['content-type'] ?? '', body as Buffer))
    },
  )

  app.post(
    `${PAYOUT_FILES}/results`,
    {
      bodyLimit: BODY_BYTES_MAX,
      onRequest: authentication.requires('accounting:write'),
      schema: {
        tags: ['Operator'],
        security: BEARER,
        operationId: 'reportPayoutResults',
        summary: 'Upload a bank’s report of payout files',
        description:
          'pain.002 of version 03 or later, or CSV with the columns reference, status, ' +
          'bankReference and reason. ACSC and ACCC confirm a payout, RJCT fails it; others leave ' +
          'it in progress. A status of the group or of the payment information is one of all its ' +
          'payouts. Uploading a report again changes nothing. What contradicts an earlier report ' +
          'changes nothing and raises an alert. Payouts are settled within seconds.',
        consumes: ['application/xml', CSV],
        headers: IdempotencyHeaders,
        querystring: NoQuery,
        body: Type.Unsafe<UploadedReport>({ description: 'The report, as the bank wrote it.' }),
        response: { 200: ApiEnvelope(ResultsView.schema) },
      },
    },
    async (request, reply) => {
      const { body, client, actor } = request
      if (!(body instanceof UploadedReport)) throw new Refusal('body_missing')
      const report = body.read()
      if ('malformed' in report) throw invalidField('body', report.malformed)
      const by = { clientId: client.id, actor }
      const { lines } = report
      const { sha256 } = body
      // Commits the results of the report. settleReported() then settles the payouts.
      const answer = await withIdempotency(deps, { request, reply }, async (tx) => {
        const judgement = await takeFileResults(tx, { now: clock(), by }, { lines, sha256 })
        return accepted('Payout results taken successfully', ResultsView.present(judgement))
      })
      await settleReported()
      return answer
    },
  )
})
