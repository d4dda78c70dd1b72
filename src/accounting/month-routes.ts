// /api/v1/operator/months: a month with its checklist, closing it, its signed pack, and reopening it with
// two people.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  approvalFields,
  checkerOf,
  DecidedFields,
  ofPeople,
  operationsOf,
  RequestedFields,
  RequestReason,
  viewerOf,
} from '#approvals/views.ts'
import { timestamp } from '#clock.ts'
import type { Transaction } from '#db/transaction.ts'
import type { Deps } from '#http/deps.ts'
import { NoQuery } from '#http/lists.ts'
import { rowKey } from '#http/path-keys.ts'
import { type Call, resource } from '#http/resource.ts'
import { BEARER, strictObject, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { proofKey } from '#proof/files.ts'
import { timingWindows } from '#reconciliation/daily-proof.ts'
import {
  type Closing,
  closeMonth,
  getStanding,
  listClosings,
  listReopenings,
  type Month,
  type Reopening,
  readPack,
  reopenings,
  requestReopening,
  runChecks,
  toMonth,
} from './month.ts'
import { readPackFiles, signPack, zipOf } from './month-pack-views.ts'
import { OPERATOR, parseMonth, SCOPES, withReport } from './report-views.ts'

const MONTHS = `${OPERATOR}/months`
const REASON_MAX = 500

type CheckRow = Closing['checklist'][number]

const CheckView = view('MonthCheck', (f: Fields<CheckRow>) => ({
  name: f.text(
    'name',
    'days_closed, banks_reconciled, suspense_reviewed, approvals_decided, vat_ready, seller_tin_set or ' +
      'wht_ready.',
  ),
  isDone: f.flag('isDone'),
  open: f.integer('open', 'How many are still to be done.'),
  link: f.text('link', 'View of the dashboard where they are done.'),
}))

const ClosingView = view('MonthClosing', (f: Fields<Closing>) => ({
  version: f.integer('version', '1, and one more each time the month is closed again.'),
  closedBy: f.text('closedBy'),
  closedAt: f.time('closedAt'),
  reason: f.textOrNull('reason', 'Why it was closed although a check was not done.'),
  checklist: f.list(CheckView, 'checklist', 'As it was at the closing.'),
  reopenedAt: f.timeOrNull('reopenedAt', 'Null: it stands.'),
}))

const ReopeningView = view('MonthReopening', (f: Fields<Reopening>) => ({
  id: f.text(({ id }) => id.toString()),
  version: f.integer('version', 'The closing that it is about.'),
  reason: f.text('reason'),
  state: f.text('state', 'open, approved, rejected or withdrawn.'),
  ...RequestedFields,
  ...approvalFields('open'),
  ...DecidedFields,
}))

type MonthRow = {
  month: string
  checks: CheckRow[]
  closings: Closing[]
  requests: Reopening[]
}

const MonthView = view('AccountingMonth', (f: Fields<MonthRow>) => ({
  month: f.text('month', 'In West Africa.'),
  isClosed: f.flag(({ closings }) => closings[0]?.reopenedAt === null, 'Nothing posts into it.'),
  checks: f.list(CheckView, 'checks', 'As they are now.'),
  closings: f.list(ClosingView, 'closings', 'All closings, newest first. They stay for ever.'),
  reopenings: f.list(ReopeningView, 'requests', 'All requests to reopen it, newest first.'),
}))

// Errors of every decision about a request to reopen.
const decisionErrors = {
  errors: ['reopening_not_found', 'other_person_needed', 'request_decided'],
} as const

const { approving, rejecting, withdrawing } = operationsOf(
  reopenings,
  ({ params }: { params: { id: bigint } }) => params.id,
)

const months = resource(MONTHS, {
  tag: 'Accounting',
  noun: 'month',
  view: MonthView,
  scopes: SCOPES,
  params: {
    month: (month: string, { clock }: Deps) => readMonth(month, clock()),
    id: rowKey('reopening_not_found'),
  },
  paramDescriptions: { month: 'Month in West Africa, as yyyy-MM.' },
})
  .get('getMonth', {
    summary: 'Retrieve a month with its checklist',
    description: 'What is still to be done before it closes, its closings and its reopenings.',
    run: (db, call) => withReport(db, (tx) => readMonthRow(tx, call)),
  })
  .act('closeMonth', {
    path: '/:month/close',
    summary: 'Close a month',
    description:
      'Once its last day is closed, and every earlier month with transfers. Nothing posts into a ' +
      'closed month. Every check must be done, unless a reason is given. Stores and signs the ' +
      'pack, whose files are of one moment. Closing a closed month changes nothing.',
    body: strictObject({
      reason: Type.Optional(
        text(REASON_MAX, 'Why it is closed although a check is not done. Audited.'),
      ),
    }),
    message: 'Month closed successfully',
    errors: ['earlier_month_open', 'month_not_over', 'month_not_ready'],
    pool: 'settlementPool',
    lockedTable: 'closed_months',
    run: async (tx, call) => {
      const { actor, banks, body, clientId, mode, now, sealer } = call
      const { month } = call.params
      const [reason, closedBy] = [body.reason ?? null, actor]
      await closeMonth(tx, now, {
        month,
        reason,
        windows: timingWindows(banks),
        by: { clientId, actor },
        build: async ({ version, checklist }) => {
          const files = await readPackFiles(tx, call, month)
          const closedAt = timestamp(now)
          const facts = { month: month.month, version, closedAt, closedBy, mode, reason, checklist }
          return { files, manifest: signPack(files, facts, proofKey(sealer)) }
        },
      })
      return readMonthRow(tx, call)
    },
  })
  .act('requestMonthReopening', {
    ...ofPeople,
    path: '/:month/reopen',
    summary: 'Request to reopen a month',
    description: 'The month stays closed until another user approves.',
    body: strictObject({ reason: RequestReason }),
    message: 'Reopening requested successfully',
    errors: ['month_not_closed', 'reopening_requested'],
    run: async (tx, call) => {
      const { month } = call.params.month
      await requestReopening(tx, checkerOf(call), { month, reason: call.body.reason })
      return readMonthRow(tx, call)
    },
  })
  .act('approveMonthReopening', {
    ...approving,
    path: '/:month/reopen/:id/approve',
    summary: 'Approve to reopen a month',
    description: 'Only by a user who did not ask for it and is independent of who did.',
    errors: [
      ...decisionErrors.errors,
      'approver_gave_access',
      'approver_not_independent',
      'approver_too_new',
      'maker_counts_as_you',
      'request_changed',
    ],
    message: 'Month reopened',
    run: async (tx, call) => {
      await approving.run(tx, call)
      return readMonthRow(tx, call)
    },
  })
  .act('rejectMonthReopening', {
    ...rejecting,
    ...decisionErrors,
    path: '/:month/reopen/:id/reject',
    summary: 'Reject to reopen a month',
    description: 'The month stays closed. The requester sees the reason.',
    message: 'Reopening rejected',
    run: async (tx, call) => {
      await rejecting.run(tx, call)
      return readMonthRow(tx, call)
    },
  })
  .act('withdrawMonthReopening', {
    ...ofPeople,
    path: '/:month/reopen/:id/withdraw',
    summary: 'Withdraw a request to reopen a month',
    description: 'Only by the user who made it.',
    errors: ['reopening_not_found', 'own_request_only', 'request_decided'],
    message: 'Reopening withdrawn',
    run: async (tx, call) => {
      await withdrawing.run(tx, call)
      return readMonthRow(tx, call)
    },
  })

export const monthRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  months.register(app, deps)
  app.get(
    `${MONTHS}/:month/pack`,
    {
      exposeHeadRoute: false,
      onRequest: deps.authentication.requires('accounting:read'),
      config: { errors: ['month_not_closed'] },
      schema: {
        tags: ['Accounting'],
        security: BEARER,
        operationId: 'getMonthPack',
        summary: 'Retrieve the signed pack of a closed month',
        description:
          'A ZIP archive: opening and closing trial balance, journal, reconciliation per bank and ' +
          'day with its timing and reconciling items, suspense by age, VAT and its invoices, ' +
          'withholding tax, stamp duty, and a signed manifest. Always the same bytes. Verify it with ' +
          'verifier/verify_proof.py.',
        params: Type.Object({ month: Type.String() }),
        querystring: NoQuery,
        response: {
          200: { content: { 'application/zip': { schema: Type.String({ format: 'binary' }) } } },
        },
      },
    },
    async ({ params }, reply) => {
      const { month } = readMonth(params.month, deps.clock())
      const closing = await getStanding(deps.db, month)
      const name = `manilla-${month}-v${closing.version}.zip`
      return reply
        .type('application/zip')
        .headers({
          'content-disposition': `attachment; filename="${name}"`,
          'cache-control': 'no-store',
        })
        .send(zipOf(await readPack(deps.db, closing)) as never)
    },
  )
}

// Refuses a text that is not a month, and a month that has not begun.
function readMonth(month: string, now: Date): Month {
  return toMonth(month, parseMonth(month, now))
}

// The month with its current checks, closings and requests: the response of every route here.
async function readMonthRow(tx: Transaction, call: MonthCall): Promise<MonthRow> {
  const { month } = call.params
  const windows = timingWindows(call.banks)
  return {
    month: month.month,
    checks: await runChecks({ db: tx, month, windows, now: call.now, sellerId: call.clientId }),
    closings: await listClosings(tx, month.month),
    requests: await listReopenings(tx, viewerOf(call), month.month),
  }
}

type MonthCall = Omit<Call, 'params'> & { params: { month: Month } }
