// The routes of the overview, of pending approvals, of search, and of timelines.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { grantedScopes, type Scope } from '#access/permissions.ts'
import { ACCOUNTS } from '#accounts/views.ts'
import { newSinceOf } from '#approvals/views.ts'
import { bankNames } from '#banks/directory.ts'
import { HOUR_MS, watDayStart } from '#clock.ts'
import { getCredit } from '#credits/queries.ts'
import { parseCreditKey } from '#credits/views.ts'
import { type List, readCursor, writeCursor } from '#db/paging.ts'
import { withSnapshot } from '#db/replica.ts'
import { invalidField, Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import {
  ListEnvelope,
  listResponse,
  PageQuery,
  parseLimit,
  parseWindow,
  WindowQuery,
} from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { BEARER, named, strictObject, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { type CreditId, publicName } from '#ids.ts'
import { CURRENCY } from '#money.ts'
import { getAdvice } from '#payments/advice.ts'
import { getPayment } from '#payments/payment.ts'
import { resolveReference } from '#payments/queries.ts'
import { computeNet, type Sums } from '#records/money-totals.ts'
import type { Sealer } from '#seal.ts'
import { type BreakdownRow, MERCHANTS_MAX, readBreakdown, readTotals } from './hourly-totals.ts'
import {
  buildSeries,
  COUNT_MAX,
  COUNTED_MAX,
  type Comparison,
  compareWithLastWeek,
  countPendingApprovals,
  countTasks,
  DAYS_SHOWN,
  firstHourShown,
  HOURS_SHOWN,
  type Issues,
  type Period,
  type PeriodFigures,
  readIssues,
  readPeriod,
  successRate,
  WORKFLOWS,
} from './overview.ts'
import { HIT_TYPES, type Hit, type HitType, search } from './search.ts'
import { ENTRY_KINDS, type TimelineEntry } from './timeline-entries.ts'
import {
  accountTimeline,
  adviceTimeline,
  CREDITS_MAX,
  creditTimeline,
  getTimelineAccount,
  paymentTimeline,
} from './timelines.ts'

// The fields that a period and a part of a day have in common.
const { gross, net, credits, ...lessFields } = view(
  undefined,
  (f: Fields<Sums & { credits: bigint }>) => ({
    gross: f.naira('grossKobo', 'Credits received.'),
    net: f.naira(computeNet, 'gross − reversed − returned − refunded − suspended − fees.'),
    credits: f.integer('credits'),
    reversed: f.naira('reversedKobo', 'Reversed by banks.'),
    returned: f.naira('returnedKobo', 'Returned to payers from suspense.'),
    refunded: f.naira(
      'refundedKobo',
      'Refunded to payers, confirmed by the banks, less what came back.',
    ),
    suspended: f.naira(
      'suspendedKobo',
      'Net change of suspense; negative when more left than entered.',
    ),
    fees: f.naira('feesKobo', 'Fees and VAT charged, less those given back.'),
  }),
).fields

const PointView = view('OverviewPoint', (f: Fields<Period>) => ({
  from: f.time('from', 'Start of the period.'),
  gross,
  net,
  credits,
  successful: f.integer('successful', 'Successful payments.'),
}))

const PeriodView = view('OverviewPeriod', (f: Fields<Period>) => ({
  ...PointView.fields,
  ...lessFields,
  expired: f.integer('expired'),
  cancelled: f.integer('cancelled'),
  successRate: f.decimalOrNull(
    successRate,
    'Successful share of closed payments, 0 to 1. Null if none closed.',
  ),
}))

const ComparisonView = view('OverviewComparison', (f: Fields<Comparison>) => ({
  until: f.time('until', 'The last full hour: both count up to it.'),
  today: f.one(PointView, 'today'),
  lastWeek: f.one(PointView, 'lastWeek'),
}))

const SuspenseView = view(undefined, (f: Fields<Issues>) => ({
  amount: f.naira('suspenseKobo'),
  items: f.integer('suspenseItems', `Counted up to ${COUNT_MAX}.`),
}))

type Overview = ReturnType<typeof buildSeries> & {
  now: Date
  comparison: Comparison
  issues: Issues
  isComplete: boolean
}

const OverviewView = view('Overview', (f: Fields<Overview, { scopes: ReadonlySet<Scope> }>) => ({
  now: f.time('now'),
  currency: f.text(() => CURRENCY),
  today: f.one(PeriodView, 'today'),
  yesterday: f.one(PeriodView, 'yesterday'),
  comparison: f.one(ComparisonView, 'comparison'),
  inSuspense: f.as(
    Type.Union([SuspenseView.schema, Type.Null()], {
      description: 'Null without the scope suspense:read.',
    }),
    ({ issues }, { scopes }) => (scopes.has('suspense:read') ? SuspenseView.present(issues) : null),
  ),
  failingWebhooks: f.as(
    Type.Unsafe({
      type: ['integer', 'null'],
      description: 'Destinations whose last attempt failed. Null without the scope webhooks:read.',
    }),
    ({ issues }, { scopes }) =>
      scopes.has('webhooks:read') ? Number(issues.failingWebhooks) : null,
  ),
  hours: f.list(PointView, 'hours', `The last ${HOURS_SHOWN} hours; the current one last.`),
  days: f.list(PointView, 'days', `The last ${DAYS_SHOWN} days; today last.`),
  isComplete: f.flag('isComplete', 'False while history is still being counted.'),
}))

const shareFields = { gross, ...lessFields, net, credits }

const BankView = view('OverviewBank', (f: Fields<BreakdownRow, Pick<Deps, 'nameBank'>>) => ({
  bankCode: f.textOrNull(({ bankCode }) => bankCode || null, 'Null for what no bank is known of.'),
  bankName: f.textOrNull(({ bankCode }, { nameBank }) => (bankCode ? nameBank(bankCode) : null)),
  ...shareFields,
}))

const MerchantView = view('OverviewMerchant', (f: Fields<BreakdownRow>) => ({
  merchantCode: f.textOrNull(
    ({ merchantCode }) => merchantCode || null,
    'Null for payments, and for the rest.',
  ),
  isRest: f.flag('isRest', `All merchants but the first ${MERCHANTS_MAX}.`),
  ...shareFields,
}))

const PeriodFiguresView = view('OverviewPeriodFigures', (f: Fields<PeriodFigures>) => ({
  from: f.time('from'),
  to: f.time('to', 'Exclusive.'),
  currency: f.text(() => CURRENCY),
  since: f.timeOrNull('since', 'The hour of your first event: there is no data before it.'),
  figures: f.as(
    Type.Union([PeriodView.schema, Type.Null()], { description: 'Null: no data.' }),
    ({ figures }) => figures && PeriodView.present(figures),
  ),
  isComplete: f.flag('isComplete', 'False while history is still being counted.'),
}))

// Lists make both ends of a window optional. A period needs both.
const PeriodQuery = Type.Required(Type.Object(WindowQuery)).properties

const PERIOD_MAX_MS = 366 * 24 * HOUR_MS

// Totals are stored by the hour, so both ends must be full hours.
function parsePeriod(query: { from: string; to: string }) {
  const { from, to } = parseWindow(query)
  const errors = [
    { field: 'from', at: from },
    { field: 'to', at: to },
  ].flatMap(({ field, at }) =>
    at && at.getTime() % HOUR_MS === 0 ? [] : [{ field, message: 'Must be a full hour.' }],
  )
  if (!from || !to || errors.length > 0) throw new Refusal('invalid_request', errors)
  if (to.getTime() - from.getTime() > PERIOD_MAX_MS) {
    throw invalidField('to', 'At most 366 days after from.')
  }
  return { from, to }
}

type Breakdown = { from: Date; rows: BreakdownRow[] }

const BreakdownView = view('OverviewBreakdown', (f: Fields<Breakdown, Pick<Deps, 'nameBank'>>) => ({
  from: f.time('from', 'Start of the day (West Africa Time).'),
  currency: f.text(() => CURRENCY),
  banks: f.list(
    BankView,
    ({ rows }) => rows.filter(({ bankCode }) => bankCode !== null),
    'By the bank that reported the credit. Largest gross first.',
  ),
  merchants: f.list(
    MerchantView,
    ({ rows }) => rows.filter(({ bankCode }) => bankCode === null),
    'By merchantCode of the collection account. Largest gross first.',
  ),
}))

export const overview = resource('/api/v1/overview', {
  tag: 'Overview',
  noun: 'overview',
  view: OverviewView,
  scopes: { read: 'credits:read', write: 'credits:read' },
  isForWholeClient: true,
})
  .get('getOverviewBreakdown', {
    path: '/breakdown',
    summary: 'Retrieve today by bank and merchant',
    description:
      'Each adds up to today in the overview. Payments have no merchantCode and are one row.',
    view: BreakdownView,
    message: 'Breakdown retrieved successfully',
    run: async (db, { clientId, now }) => {
      const day = watDayStart(now)
      return { from: day, rows: await readBreakdown(db, clientId, { day }) }
    },
  })
  .get('getOverviewPeriod', {
    path: '/period',
    summary: 'Retrieve the figures of a period',
    description:
      'From `from` up to `to`, both full hours, at most 366 days apart. The figures are those of the ' +
      'overview, so that any two periods can be compared. Figures of a period before your first ' +
      'event, or in the future, are null.',
    query: PeriodQuery,
    view: PeriodFiguresView,
    message: 'Period retrieved successfully',
    run: (db, { clientId, now, query }) => readPeriod(db, clientId, { ...parsePeriod(query), now }),
  })
  .get('getOverview', {
    path: '',
    summary: 'Retrieve the overview',
    description:
      'Days are in West Africa Time. Every movement counts when it is posted: a reversal today ' +
      'of a credit from yesterday lowers the net of today. Gross, reversed, returned, ' +
      'refunded, suspended, fees and net are defined as in /api/v1/balances and the credits ' +
      'CSV; over all periods they add up to the balances.',
    run: async (db, { clientId, now }) => {
      const [{ hours, isComplete }, issues] = await Promise.all([
        readTotals(db, clientId, { since: firstHourShown(now) }),
        readIssues(db, clientId),
      ])
      const comparison = compareWithLastWeek(hours, now)
      return { ...buildSeries(hours, now), now, comparison, issues, isComplete }
    },
  })

const countOrNull = (description: string) =>
  Type.Union([Type.Integer(), Type.Null()], {
    description: `${description} Null: not for your role.`,
  })
const countFields = Object.fromEntries(WORKFLOWS.map((workflow) => [workflow, Type.Integer()]))

const PendingApprovalsBody = named('PendingApprovals', {
  total: Type.Integer({ description: 'Of all workflows.' }),
  ...(countFields as Record<(typeof WORKFLOWS)[number], ReturnType<typeof Type.Integer>>),
  openDifferences: countOrNull('Differences between statements and books that nobody resolved.'),
  suspenseItems: countOrNull('Items in suspense.'),
  failingWebhooks: countOrNull('Webhooks whose last delivery failed.'),
  openAlerts: countOrNull('Alerts that nobody acknowledged.'),
  openCases: countOrNull('Cases that are not closed.'),
})

// GET /dashboard/api/approvals: the number of requests that the signed-in user may approve now.
export const pendingApprovals = resource('/dashboard/api/approvals', {
  tag: 'Dashboard',
  noun: 'pending approval',
  view: PendingApprovalsBody,
  scopes: 'session',
}).get('countPendingApprovals', {
  path: '',
  summary: 'Count what needs you',
  description:
    'Requests of others that nothing prevents you from approving now, by workflow; at most ' +
    `${COUNTED_MAX} of each are counted. And what else waits for your role.`,
  message: 'Pending approvals counted successfully',
  run: async (db, call) => {
    const { user, client } = call.request.session
    const viewer = {
      client: { ...client, isOperator: client.isOperator && user.role === 'operator' },
      actor: call.actor,
      userId: user.id,
      newSince: newSinceOf(call),
      scopes: new Set(grantedScopes(user.role, client)),
    }
    const pending = await countPendingApprovals(db, viewer)
    const total = WORKFLOWS.reduce((sum, workflow) => sum + pending[workflow], 0)
    return { total, ...pending, ...(await countTasks(db, viewer)) }
  },
})

const Kind = Type.Unsafe<HitType>({ type: 'string', enum: [...HIT_TYPES] })

const HitView = view('SearchHit', (f: Fields<Hit, { scopes: ReadonlySet<Scope> }>) => ({
  type: f.as(Kind, 'type'),
  reference: f.text('reference'),
  href: f.text(
    ({ type, reference }, { scopes }) => `${pathOf(type, scopes)}/${encodeURIComponent(reference)}`,
    'Path of the object.',
  ),
  title: f.text('title'),
  detail: f.textOrNull('detail'),
  amount: f.nairaOrNull('amountKobo'),
  currency: f.textOrNull('currency'),
  status: f.textOrNull('status', 'Of what has one.'),
  at: f.timeOrNull('at', 'When it was created, received, requested or closed.'),
  of: f.as(
    Type.Union([named('SearchHitOwner', { type: Kind, reference: Type.String() }), Type.Null()], {
      description: 'Of a refund, the payment or credit that it refunds.',
    }),
    ({ of }) => of ?? null,
  ),
}))

const PATHS: Record<HitType, string> = {
  payment: '/api/v1/payments',
  advice: '/api/v1/advices',
  account: ACCOUNTS,
  credit: '/api/v1/credits',
  event: '/api/v1/events',
  payout: '/api/v1/payouts',
  settlement: '/api/v1/settlements',
  refund: '/api/v1/refunds',
  return: '/api/v1/operator/returns',
  statement: '/api/v1/operator/statements',
}

// Returns the API path of hits of this type. A user with accounting access gets the path for payouts of all
// clients.
function pathOf(type: HitType, scopes: ReadonlySet<Scope>): string {
  const showsAllClients = type === 'payout' && scopes.has('accounting:read')
  return showsAllClients ? '/api/v1/operator/payouts' : PATHS[type]
}

// GET /api/v1/search: find objects by reference, number or name.
export const searching = resource('/api/v1/search', {
  tag: 'Overview',
  noun: 'search',
  view: HitView,
  scopes: { read: 'credits:read', write: 'credits:read' },
}).get('search', {
  path: '',
  summary: 'Search',
  description:
    'By the beginning of any reference (three characters or more), merchantRef, session ID or ' +
    'account number (six or more), by event or credit ID, email address, phone number, amount ' +
    'or part of a name. Amounts and names are matched among recent objects only. Finds ' +
    'payments, advices, accounts, credits, events, payouts, settlements and refunds; for ' +
    'operators also returns and statements. At most five of a kind and twenty in all, best ' +
    'match first, limited to your scopes. Also finds short codes such as PAY-7K3M-Q2XT, as pages ' +
    'and messages show them: any case, with or without dashes. ' +
    'Understands days and kinds: "12,500 yesterday", ' +
    '"ada last week", "refunds 3 Nov", "settlement".',
  errors: ['mistyped_code'],
  query: { q: text(100, 'Search term.') },
  view: Type.Array(HitView.schema),
  message: 'Search completed successfully',
  run: async (db, call) => {
    const hits = await withSnapshot(db, (tx) => search(tx, call, call.query.q.trim()))
    return hits.map((hit) => HitView.present(hit, call))
  },
})

// Timelines of payments, credits and collection accounts.

type Context = { scopes: ReadonlySet<Scope>; sealer: Sealer }

const EntryView = view('TimelineEntry', (f: Fields<TimelineEntry, Context>) => ({
  at: f.time('at'),
  kind: f.oneOf('kind', ENTRY_KINDS, 'Entries of the same time are in this order.'),
  description: f.text('description', 'Human-readable summary.'),
  amount: f.nairaOrNull('amountKobo'),
  currency: f.textOrNull('currency'),
  reference: f.textOrNull(
    ({ reference }, { sealer }) => reference && publicName(sealer, reference),
    'Related object: a session ID, account number, event ID and so on.',
  ),
  detail: f.as(
    Type.Unsafe({
      type: 'object',
      description: 'Texts, numbers or null, by name.',
      additionalProperties: { type: ['string', 'number', 'null'], 'x-described': {} },
    }),
    'detail',
  ),
}))

type Timeline = { entries: TimelineEntry[]; isWhole: boolean }

const TimelineView = view('Timeline', (f: Fields<Timeline, Context>) => ({
  entries: f.list(
    EntryView,
    ({ entries }, { scopes }) => visibleEntries(entries, scopes),
    'Oldest first.',
  ),
  isWhole: f.flag('isWhole', `False if truncated to the latest ${CREDITS_MAX} credits.`),
}))

const SCOPED = 'Webhook attempts require the scope webhooks:read.'
const timelines = { tag: 'Timelines', noun: 'timeline', view: TimelineView }

const paymentTimelines = resource('/api/v1/payments', {
  ...timelines,
  scopes: { read: 'payments:read', write: 'payments:write' },
}).get('getPaymentTimeline', {
  path: '/:reference/timeline',
  summary: 'Retrieve the timeline of a payment',
  description: `By any reference, including advices without a number. ${SCOPED}`,
  errors: ['payment_not_found'],
  run: (db, { client, sealer, banks, params }) =>
    withSnapshot(db, async (tx) => {
      const timelineDeps = { sealer, viewer: client, nameBank: bankNames(banks) }
      const { reference } = params as { reference: string }
      const [match] = await resolveReference(tx, client.id, reference)
      if (!match) throw new Refusal('payment_not_found')
      const { adviceId, paymentId } = match
      if (paymentId === null) {
        return adviceTimeline(tx, timelineDeps, await getAdvice(tx, client.id, adviceId))
      }
      const payment = await getPayment(tx, client.id, { by: 'payment', reference: paymentId })
      return paymentTimeline(tx, timelineDeps, payment)
    }),
})

const creditTimelines = resource('/api/v1/credits', {
  ...timelines,
  scopes: { read: 'credits:read', write: 'credits:read' },
  params: { id: (text: string, { sealer }: Deps) => parseCreditKey(sealer, text) },
}).get('getCreditTimeline', {
  path: '/:id/timeline',
  summary: 'Retrieve the timeline of a credit',
  description: `By ID or session ID. ${SCOPED}`,
  errors: ['credit_not_found'],
  run: (db, { client, sealer, banks, params }) =>
    withSnapshot(db, async (tx) => {
      const credit = await getCredit(tx, { sealer, viewer: client, by: params.id })
      return creditTimeline(tx, { sealer, viewer: client, nameBank: bankNames(banks) }, credit)
    }),
})

export const timelineRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  paymentTimelines.register(app, deps)
  creditTimelines.register(app, deps)
  await accountTimelineRoute(app, deps)
}

// GET /api/v1/accounts/static/{accountNumber}/timeline. A cursor has two parts: the id of the last credit,
// and the time at which the last page starts.
const accountTimelineRoute: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, banks } = deps
  const nameBank = bankNames(banks)

  app.get(
    '/api/v1/accounts/static/:accountNumber/timeline',
    {
      config: { errors: ['account_not_found'] },
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'getAccountTimeline',
        tags: ['Timelines'],
        summary: 'Retrieve the timeline of a collection account',
        description:
          'Pages go back in time; entries within a page are oldest first. limit applies to the ' +
          'credits of a page, shown with their full history, and to manual actions. ' +
          SCOPED,
        security: BEARER,
        params: Type.Object({ accountNumber: Type.String() }),
        querystring: strictObject(PageQuery),
        response: { 200: ListEnvelope(EntryView.schema) },
      },
    },
    async ({ client, scopes, params, query }) => {
      const filters = { accountNumber: params.accountNumber }
      const list: List = { name: 'account-timeline', clientId: client.id, filters }
      const [id, at] = readCursor(sealer, list, query.cursor) ?? []
      const before =
        id === undefined
          ? undefined
          : { creditId: BigInt(id) as CreditId, at: new Date(Number(at)) }
      const { entries, next } = await withSnapshot(db, async (tx) => {
        const account = await getTimelineAccount(tx, client.id, params.accountNumber)
        const page = { before, limit: parseLimit(query) }
        return accountTimeline(tx, { sealer, viewer: client, nameBank }, { account, ...page })
      })
      const position = next && [next.creditId.toString(), next.at.getTime().toString()]
      const nextCursor = position && writeCursor(sealer, list, position)
      const page = { rows: [...visibleEntries(entries, scopes)], nextCursor }
      return listResponse('Timeline retrieved successfully', page, (entry) =>
        EntryView.present(entry, { scopes, sealer }),
      )
    },
  )
}

// Leaves out webhook attempts if the caller may not see them.
function visibleEntries(entries: readonly TimelineEntry[], scopes: ReadonlySet<Scope>) {
  const isWebhook = ({ kind }: TimelineEntry) => kind === 'attempt' || kind === 'waiting'
  return scopes.has('webhooks:read') ? entries : entries.filter((entry) => !isWebhook(entry))
}
