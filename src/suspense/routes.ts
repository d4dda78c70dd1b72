// /api/v1/suspense: list, sum, export, assign and return suspense items.
// /api/v1/operator/suspense-escalation: after how many days money in suspense raises an alert.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { bankNames } from '#banks/directory.ts'
import { readSuspenseChanges } from '#credits/suspense-items.ts'
import { withSnapshot } from '#db/replica.ts'
import type { Transaction } from '#db/transaction.ts'
import { type Columns, type CsvExports, FileQuery, readBatches } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import { type Call, resource } from '#http/resource.ts'
import { BEARER, named, namedBody, oneOf, strictObject, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { toNaira } from '#money.ts'
import { AGE_BUCKETS } from '#records/shared-sql.ts'
import { assignSuspense } from './assign.ts'
import { type Escalation, readEscalation, setEscalation } from './escalation.ts'
import {
  getSuspense,
  listSuspense,
  SUMMARY_MAX,
  type SuspensePosition,
  type SuspenseSum,
  type SuspenseSums,
  sumSuspense,
} from './queries.ts'
import { requestReturn } from './return.ts'
import {
  AssignTarget,
  OrderField,
  parseAssignTo,
  parsePosition,
  parseSuspenseFilters,
  positionOf,
  requireItemId,
  SuspenseDetailView,
  SuspenseFilterFields,
  SuspenseView,
} from './views.ts'

// The fields of a sum over suspense items.
const Sum = { currency: Type.String(), count: Type.Integer(), amount: Type.Number() }

const SummaryBody = named('SuspenseSummary', {
  totals: Type.Array(named('SuspenseTotal', Sum), { description: 'One for each currency.' }),
  byReason: Type.Array(named('SuspenseByReason', { reason: Type.String(), ...Sum }), {
    description: 'Largest sum first.',
  }),
  byAge: Type.Array(
    named('SuspenseByAge', {
      age: oneOf(AGE_BUCKETS, 'Days in suspense, of the calendar in West Africa.'),
      ...Sum,
    }),
    { description: 'Youngest first.' },
  ),
  isComplete: Type.Boolean({
    description: `False if there are more than ${SUMMARY_MAX} items: the newest are added up.`,
  }),
})

// Arranges the sums of one query for the response: in total, by reason, and by age from the youngest.
function presentSums({ sums, isComplete }: SuspenseSums) {
  const byAge = AGE_BUCKETS.flatMap((age) => {
    return sums.filter((sum) => sum.age === age).map((sum) => ({ age, ...presentSum(sum) }))
  })
  return {
    totals: sums.filter(({ reason, age }) => reason === null && age === null).map(presentSum),
    byReason: sums.flatMap((sum) => {
      return sum.reason === null ? [] : [{ reason: sum.reason, ...presentSum(sum) }]
    }),
    byAge,
    isComplete,
  }
}

function presentSum({ currency, items, kobo }: SuspenseSum) {
  return { currency, count: Number(items), amount: toNaira(kobo) }
}

const Note = Type.Optional(text(500, 'Reason (audit log).'))
const AssignRequest = namedBody('AssignRequest', { ...AssignTarget, note: Note })

type Acting = Call<Record<never, never>, object, { note?: string }>

// Returns the context of assigning or returning: who acts, when, with which note and services.
function suspenseAction(call: Acting) {
  const { sealer, sharedAccounts, mode, now, client: by, actor, userId, body } = call
  return { sealer, sharedAccounts, mode, now, by, actor, userId, note: body.note ?? null }
}

export const suspense = resource('/api/v1/suspense', {
  tag: 'Suspense',
  noun: 'suspense',
  view: SuspenseView,
  scopes: { read: 'suspense:read', write: 'suspense:write' },
  params: { id: (text: string, { sealer }: Deps) => requireItemId(sealer, text) },
})
  .act('assignSuspense', {
    path: '/:id/assign',
    summary: 'Assign a suspense item to a payment or collection account',
    description:
      'Send either accountNumber or paymentReference. Idempotent. Refused with ' +
      'approval_needed while maker-checker is on.',
    pool: 'batchPool',
    body: AssignRequest,
    errors: [
      'account_not_found',
      'approval_needed',
      'credit_held',
      'payment_not_found',
      'suspense_closed',
      'suspense_not_fitting',
      'suspense_not_found',
    ],
    message: 'Suspense assigned successfully',
    parse: ({ body }) => parseAssignTo(body),
    run: async (tx, call) => {
      const itemId = call.params.id
      await assignSuspense(tx, suspenseAction(call), { itemId, to: call.input })
      return getSuspense(tx, call.client, itemId)
    },
  })
  .route('POST', 'returnSuspense', {
    path: '/:id/return',
    summary: 'Return a suspense item to its payer',
    description:
      'Instructs the bank, which confirms later (immediately in the sandbox). Refused with ' +
      'approval_needed while maker-checker is on.',
    isKeyed: true,
    body: strictObject({ note: Note }),
    errors: [
      'approval_needed',
      'client_held',
      'client_suspended',
      'credit_held',
      'suspense_closed',
      'suspense_not_found',
      'suspense_requested',
    ],
    handle: (call) => {
      const { db, batchPool: pool, client, params, request, reply } = call
      // The first step, in its own transaction. The idempotency key stores its result.
      const begin = async (tx: Transaction) => {
        await requestReturn(tx, suspenseAction({ ...call, now: call.clock() }), params.id)
        return params.id.toString()
      }
      return withIdempotentSteps(call, { request, reply, pool, begin }, async () => {
        await call.sendReturns()
        const item = await getSuspense(db, client, params.id)
        const view = SuspenseView.present(item, { ...call, now: call.clock() })
        return accepted('Return requested successfully', view)
      })
    },
  })
  .get('summarizeSuspense', {
    path: '/summary',
    summary: 'Add up suspense items by reason and age',
    description: 'Number and sum of the items that the list has with the same filters.',
    query: SuspenseFilterFields,
    view: SummaryBody,
    message: 'Suspense added up successfully',
    run: async (db, { client, query, now }) =>
      presentSums(await sumSuspense(db, client, { filters: parseSuspenseFilters(query), now })),
  })
  .list('listSuspense', {
    summary: 'List suspense items, newest first',
    description: 'Your own; operators also see unidentified items (unknown account numbers).',
    filters: { ...SuspenseFilterFields, ...OrderField },
    message: 'Suspense retrieved successfully',
    position: positionOf,
    hasTextIds: true,
    rows: (db, { client, query, after: position, now, limit }) => {
      const after = position === null ? undefined : parsePosition(String(position))
      const filters = parseSuspenseFilters(query)
      return listSuspense(db, client, { filters, order: query.order, after, now, limit })
    },
  })
  .get('getSuspense', {
    summary: 'Retrieve a suspense item',
    description: 'Why the money could not be booked, and every change since.',
    view: SuspenseDetailView,
    errors: ['suspense_not_found'],
    run: (db, { client, params }) =>
      withSnapshot(db, async (tx) => {
        const item = await getSuspense(tx, client, params.id)
        const changes = await readSuspenseChanges(tx, [item.id])
        return { ...item, changes: changes.get(item.id) ?? [] }
      }),
  })

const BATCH = 500
const DAY_SECONDS = 86_400

type Item = ReturnType<typeof SuspenseView.present> & { bankName: string }

const { columns } = SuspenseView
export const COLUMNS: Columns<Item> = [
  ...columns('id', 'amount', 'currency', 'reason', 'state', 'openedAt', 'closedAt'),
  ['ageDays', ({ ageSeconds }) => Math.floor(ageSeconds / DAY_SECONDS)],
  ...columns('creditId', 'sessionId', 'bankCode'),
  ['bankName', ({ bankName }) => bankName],
  ...columns('accountNumber', 'sourceAccountName', 'sourceAccountNumberMasked', 'sourceBankCode'),
  ...columns('narration', 'paymentReference', 'assignedTo'),
  ...columns('returnReference', 'bankReference', 'failureReason'),
]

// GET /api/v1/suspense.csv: exports the items that pass the filters of the list, as a stream.
export const suspenseExport: FastifyPluginAsyncTypebox<Deps & { exports: CsvExports }> = async (
  app,
  { db, sealer, authentication, banks, clock, exports },
) => {
  const nameBank = bankNames(banks)
  app.get(
    '/api/v1/suspense.csv',
    {
      exposeHeadRoute: false, // A HEAD request would read the whole list.
      onRequest: authentication.requires('suspense:read'),
      schema: {
        operationId: 'exportSuspense',
        tags: ['Suspense'],
        summary: 'Export suspense items as CSV',
        description:
          'As they are now, with the filters and orders of the list. Columns: docs/exports.md. ' +
          'Streamed as UTF-8; amounts have two decimals. A truncated file ends with a connection ' +
          'error. At most 3 concurrent exports.',
        security: BEARER,
        querystring: strictObject({ ...SuspenseFilterFields, ...OrderField, ...FileQuery }),
        response: {
          200: { content: { 'text/csv': { schema: Type.String() } } },
        },
      },
    },
    async ({ client, query }, reply) => {
      const [filters, now] = [parseSuspenseFilters(query), clock()]
      // Reads the items in batches, each after the last item of the batch before. A batch that is not full
      // is the last.
      const batches = readBatches<Item, SuspensePosition>(async (after) => {
        const page = { order: query.order, after, now, limit: BATCH }
        const rows = await listSuspense(db, client, { filters, ...page })
        const next = rows.length === BATCH ? (rows.at(-1) ?? null) : null
        const items = rows.map((row) => {
          return { ...SuspenseView.present(row, { sealer, now }), bankName: nameBank(row.bankCode) }
        })
        return { rows: items, next }
      })
      return exports.send(reply, client.id, { name: 'suspense', columns: COLUMNS, batches })
    },
  )
}

const SAYS = 'Must be null or a whole number from 1 to 3650.'

const EscalationView = view('SuspenseEscalation', (f: Fields<Escalation>) => ({
  days: f.integerOrNull(
    'days',
    'Money that is in suspense for more than so many days raises an alert. Null: none does.',
  ),
}))

export const suspenseEscalation = resource('/api/v1/operator/suspense-escalation', {
  tag: 'Operator',
  noun: 'setting',
  view: EscalationView,
  scopes: { read: 'accounting:read', write: 'accounting:write' },
})
  .get('getSuspenseEscalation', {
    path: '',
    summary: 'Retrieve the escalation of suspense',
    description: 'After more than how many days of the calendar money in suspense raises an alert.',
    run: readEscalation,
  })
  .replace('setSuspenseEscalation', {
    path: '',
    summary: 'Update the escalation of suspense',
    description:
      'Each credit with money in suspense for more than `days` days raises the alert suspense_aged, ' +
      'within a few minutes.',
    body: namedBody('SuspenseEscalationRequest', {
      days: Type.Union([Type.Integer({ minimum: 1, maximum: 3_650 }), Type.Null()], {
        description:
          'Money that is in suspense for more than so many days raises an alert. Null: none does.',
        'x-says': SAYS,
      }),
    }),
    run: (tx, call) => setEscalation(tx, call, call.body),
  })
