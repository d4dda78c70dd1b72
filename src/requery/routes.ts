// Routes that requery a payment, for clients and for payers, and the operator's route for the health of
// banks.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type Deps, scoped } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { resource } from '#http/resource.ts'
import { ApiEnvelope, named } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { checkoutReader, requireReference } from '#payments/checkout-routes.ts'
import { CHECKOUT, CheckoutBody } from '#payments/checkout-views.ts'
import { findPaymentOfAdvice } from '#payments/payment.ts'
import { findPayment } from '#payments/queries.ts'
import type { PaymentStatus } from '#payments/states.ts'
import { BY_ANY_REFERENCE } from '#payments/views.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { ROUTE_STATES } from '#routing/bank-route.ts'
import { type BankHealth, CIRCUITS, type RoutingView, readBankHealth } from './bank-health.ts'
import { type OpenRequery, REQUERY_STATES, type RequeryState, requeryPayment } from './requery.ts'

const SessionId = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^(?!\\.{1,2}$)[^\\p{Cc}\\p{Cs}]+$', // Dots alone would change the path at the bank.
  description: 'Session ID from the payer’s receipt: the bank is asked for this transfer.',
  'x-says': 'Must be 1 to 64 characters without control characters.',
})

const RequeryRequest = named(
  'RequeryRequest',
  { sessionId: Type.Optional(SessionId) },
  { additionalProperties: false, 'x-says': 'Must be an object with at most sessionId.' },
)

type Naming = Pick<Deps, 'nameBank'>

const OpenRequeryView = view(undefined, (f: Fields<OpenRequery, Naming>) => ({
  bankCode: f.text('bankCode'),
  bankName: f.text(({ bankCode }, { nameBank }) => nameBank(bankCode)),
  state: f.as(Type.Unsafe<RequeryState>({ type: 'string', enum: [...REQUERY_STATES] }), 'state'),
  dueAt: f.time('dueAt', 'When the bank is asked next.'),
  attempts: f.integer('attempts', 'Times asked so far.'),
  askedAt: f.timeOrNull('askedAt', 'When it was last asked.'),
}))

type PaymentRequery = { paymentReference: string; requeries: OpenRequery[] }

const RequeryView = view('Requery', (f: Fields<PaymentRequery, Naming>) => ({
  paymentReference: f.text('paymentReference'),
  requeries: f.list(OpenRequeryView, 'requeries', 'One per bank that can be asked.'),
}))

// POST /api/v1/payments/{reference}/requery: ask the payment's banks now. An open requery is only brought
// forward.
export const paymentRequeries = resource('/api/v1/payments', {
  tag: 'Payments',
  noun: 'requery',
  view: RequeryView,
  scopes: { read: 'payments:read', write: 'payments:write' },
  params: { reference: String },
  paramDescriptions: { reference: BY_ANY_REFERENCE },
}).act('requeryPayment', {
  path: '/:reference/requery',
  summary: 'Ask the bank for a payment’s transfer',
  description:
    'For a payer who paid but whose transfer was not reported. The bank is asked within ' +
    'seconds, and again while it finds nothing; each query appears in the timeline. ' +
    'Idempotent while a requery is pending. Banks that cannot list transfers need a sessionId.',
  message: 'Requery accepted',
  errors: ['payment_not_found', 'requery_not_supported', 'too_many_requeries'],
  body: RequeryRequest,
  route: {
    // A client may omit the body.
    preValidation: (request, _reply, done) => {
      request.body ??= {}
      done()
    },
  },
  run: async (tx, { client, actor, now, params, body, bankConnections }) => {
    const { payment } = await findPayment(tx, client.id, params.reference)
    const { sessionId } = body
    const requery = { payment, reason: 'demand', sessionId } as const
    const requeries = await requeryPayment(tx, { now, bankConnections }, requery)
    if (requeries.length === 0) throw new Refusal('requery_not_supported')
    await writeAuditLog(tx, now, {
      clientId: client.id,
      actor,
      action: 'payment.requery',
      subject: `payment/${payment.id}`,
      detail: sessionId === undefined ? {} : { sessionId },
    })
    return { paymentReference: payment.id, requeries }
  },
})

// A requery of a payment in any other status would be dropped before the bank is asked.
const REQUERIED_STATUSES: readonly PaymentStatus[] = ['Processing', 'PartPayment', 'Expired']

// POST /pay/{reference}/sent: the payer says that the money is sent, and the service asks the banks of the
// payment's numbers. The advice reference is the only credential, as for the whole checkout page.
//
// Accepts a form, whose fields are ignored, so that the page works without JavaScript. Scripts request JSON.
// The time `sent` in the address tells the page that the payer has just pressed the button.
export const payerRequeryRoutes: FastifyPluginAsyncTypebox<Deps> = scoped(async (app, deps) => {
  const { db, clock, realClock, bankConnections } = deps
  const read = checkoutReader(deps)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, null))

  app.post(
    `${CHECKOUT}/:reference/sent`,
    {
      config: { rate: 'initiate' },
      schema: {
        hide: true,
        params: Type.Object({ reference: Type.String() }),
        response: { 200: ApiEnvelope(CheckoutBody) },
      },
    },
    async (request, reply) => {
      const adviceId = requireReference(request.params.reference)
      const payment = await findPaymentOfAdvice(db, adviceId)
      if (!payment) throw new Refusal('advice_not_found')
      if (REQUERIED_STATUSES.includes(payment.status)) {
        await withTransaction(db, (tx) =>
          requeryPayment(tx, { now: clock(), bankConnections }, { payment, reason: 'payer' }),
        )
      }
      const wantsJson = request.headers.accept?.includes('application/json') ?? false
      const sent = String(realClock().getTime())
      const { bank } = request.query as { bank?: unknown }
      const pageQuery = new URLSearchParams({ adviceReference: adviceId, sent })
      if (typeof bank === 'string') pageQuery.set('bank', bank) // The bank whose number the page shows.
      if (!wantsJson) return reply.redirect(`${CHECKOUT}?${pageQuery}`, 303)
      const { checkout } = await read(adviceId)
      return accepted('Checking with the bank', checkout)
    },
  )
})

const ROUTING_STATES = [...ROUTE_STATES, 'unknown'] as const

const BankRoutingView = view('BankRouting', (f: Fields<RoutingView>) => ({
  state: f.oneOf(
    'state',
    ROUTING_STATES,
    'in_use; left: passed over while another can be used; returning: takes a growing share; ' +
      'unknown: in use, and nothing observed yet.',
  ),
  since: f.timeOrNull('since', 'Since when.'),
  reason: f.textOrNull(
    'reason',
    'Why it is left: failing (calls to it fail) or silent (it reports nothing).',
  ),
  retryAt: f.timeOrNull('retryAt', 'When one order may try it again.'),
}))

const routingOrNull = (description: string) =>
  Type.Union([BankRoutingView.schema, Type.Null()], { description })

const RoutingsView = view('BankRoutings', (f: Fields<BankHealth['routing']>) => ({
  payments: f.as(
    routingOrNull(
      'Whether payments without a bankCode use it. Null: it issues no numbers for them.',
    ),
    ({ payments }) => payments && BankRoutingView.present(payments),
  ),
  payouts: f.as(
    routingOrNull('Whether payouts use it. Null: it takes no orders.'),
    ({ payouts }) => payouts && BankRoutingView.present(payouts),
  ),
}))

type Reservation = BankHealth['abandonedReservations'][number]

const ReservationView = view(undefined, (f: Fields<Reservation>) => ({
  reference: f.text('reference', 'By which the bank knows the reservation.'),
  accountNumber: f.textOrNull(
    'accountNumber',
    'Null: the bank never answered, and may have reserved a number.',
  ),
  askedAt: f.time('askedAt'),
}))

const BankHealthView = view('BankHealth', (f: Fields<BankHealth>) => ({
  code: f.text('code'),
  name: f.text('name'),
  connector: f.text('connector'),
  lastHeardAt: f.timeOrNull('lastHeardAt', 'Latest notification.'),
  silentSince: f.timeOrNull('silentSince', 'Silent for longer than usual since then.'),
  lagP50: f.decimalOrNull(
    'lagP50',
    'Seconds from a transfer to its notification, median over 24 hours.',
  ),
  lagP99: f.decimalOrNull('lagP99', 'The same, 99th percentile.'),
  queries: f.integer('queries', 'Calls to the bank in 24 hours.'),
  errorRate: f.decimalOrNull('errorRate', 'Share of them without an answer, 0 to 1.'),
  foundByRequery: f.integer(
    'foundByRequery',
    'Credits of the last 24 hours that were found by asking.',
  ),
  isLosing: f.flag(
    'isLosing',
    'At least 3 credits, and 1% of all, were found by asking: notifications get lost.',
  ),
  openQuestions: f.integer('openRequeries', 'Waiting to be asked, or asked again.'),
  circuit: f.oneOf(
    'circuit',
    CIRCUITS,
    'open: calls pause after repeated failures; half_open: the next call is a probe.',
  ),
  circuitUntil: f.timeOrNull('circuitUntil', 'End of the pause.'),
  abandonedReservations: f.list(
    ReservationView,
    'abandonedReservations',
    'Numbers reserved for a customer more than an hour ago whose account was never created, the ' +
      'oldest 20. Repeat the request with its Idempotency-Key, or close the number at the bank.',
  ),
  canFind: f.flag('canFind', 'Answers for one transfer by its identifier.'),
  canList: f.flag('canList', 'Lists transfers: without it there are no sweeps.'),
  routing: f.one(RoutingsView, 'routing'),
}))

// GET /api/v1/operator/banks: the health of each bank.
export const bankHealth = resource('/api/v1/operator/banks', {
  tag: 'Operator',
  noun: 'bank health',
  view: Type.Array(BankHealthView.schema),
  scopes: { read: 'accounting:read', write: 'accounting:read' },
}).get('listBankHealth', {
  path: '',
  summary: 'Retrieve the health of every bank',
  description: 'In the order of the settings.',
  run: async (db, { now, banks, bankConnections: connections }) => {
    const health = await readBankHealth(db, now, { banks, connections })
    return health.map((bank) => BankHealthView.present(bank))
  },
})
