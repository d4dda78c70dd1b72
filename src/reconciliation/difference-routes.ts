// Routes of differences: list them, retrieve one with its history, and list the reconciling items.

import { type TSchema, Type } from '@fastify/type-provider-typebox'
import { CannotApprove, presentObstacle, REVISION_SAYS, toViewer } from '#approvals/views.ts'
import type { Queryable } from '#db/pool.ts'
import { withSnapshot } from '#db/replica.ts'
import type { Identity } from '#http/authentication.ts'
import type { Columns } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { choice } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { bankCode } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import {
  type CreditId,
  type DifferenceId,
  publicId,
  type StatementLineId,
  type TransferId,
} from '#ids.ts'
import type { Kobo } from '#money.ts'
import { AGEING_BUCKETS } from '#records/shared-sql.ts'
import type { Sealer } from '#seal.ts'
import type { BankAccount } from './banks.ts'
import { timingWindows } from './daily-proof.ts'
import {
  adjustingAccounts,
  allowedActions,
  DIFFERENCE_KINDS,
  READINGS,
  resolutionRevision,
} from './difference.ts'
import { type BankItem, ITEM_KINDS, type ItemRef, readItems, refKey } from './items.ts'
import {
  type DifferenceChange,
  getDifference,
  listDifferences,
  readHistory,
  readLines,
  type ShownDifference,
} from './queries.ts'
import { StatementLineView } from './statement-routes.ts'
import type { ListedLine } from './statements.ts'
import { DIFFERENCE_STATES } from './states.ts'
import {
  comparePayers,
  Day,
  DifferenceOwnerBody,
  OwnerName,
  type PayerComparison,
  RECONCILIATION,
  requireDay,
  requireDifferenceId,
  toOwner,
} from './views.ts'

type Opening = { sealer: Sealer }

const orNull = (schema: TSchema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

export const BankItemView = view('BankItem', (f: Fields<BankItem, Opening>) => ({
  kind: f.text('kind', `One of ${ITEM_KINDS.join(', ')}.`),
  id: f.text(
    (item, { sealer }) => itemId(sealer, item),
    'Of a credit and its charges the creditId; else our reference, or its number.',
  ),
  amount: f.naira('amountKobo', 'Above zero: received.'),
  day: f.text('day', 'On which it was posted, in West Africa.'),
  reference: f.textOrNull('reference', 'A credit’s identifier, or our own reference.'),
  accountNumber: f.textOrNull('accountNumber'),
  name: f.textOrNull('name'),
}))

// Returns the id of an item as users know it: a public id, our reference, or a plain number.
function itemId(sealer: Sealer, { kind, id, reference }: BankItem): string {
  if (kind === 'credit' || kind === 'charges')
    return `${publicId(sealer, 'credit', id as CreditId)}`
  if (kind === 'booked') return `${publicId(sealer, 'transfer', id as TransferId)}`
  return reference ?? id.toString()
}

const PayerView = view('PayerComparison', (f: Fields<PayerComparison>) => ({
  onStatement: f.textOrNull('onStatement', 'The name on the statement.'),
  inBooks: f.textOrNull('inBooks', 'The name in the books.'),
  score: f.as(orNull(Type.Integer({ minimum: 0, maximum: 100, examples: [100] })), 'score'),
}))

export const PayerBody = orNull(
  PayerView.schema,
  'The payer’s or recipient’s name on both sides. score: how alike they are, 0 to 100; null if a ' +
    'name is missing. It decides nothing.',
)

const CreditView = view('DifferenceCredit', (f: Fields<BankItem, Opening>) => ({
  creditId: f.integer(({ id }, { sealer }) => publicId(sealer, 'credit', id as CreditId)),
  sessionId: f.textOrNull('reference'),
  accountNumber: f.textOrNull('accountNumber'),
  amount: f.naira('amountKobo'),
}))

const PayoutView = view('DifferencePayout', (f: Fields<ShownDifference>) => ({
  reference: f.text(({ payoutReference }) => payoutReference as string),
  status: f.text(({ payoutStatus }) => payoutStatus as string, 'As the books have it now.'),
  amount: f.naira(({ payoutKobo }) => payoutKobo as Kobo),
  booking: f.textOrNull(
    'payoutBooking',
    'What book does. paid: the client owes the line. returned: it is available again to whom it ' +
      'was taken from. undone: the line and the one that gives or takes the same cancel out. Null: ' +
      'nothing is to be booked.',
  ),
}))

type DifferenceRow = ShownDifference & {
  line: ListedLine | undefined
  item: BankItem | undefined
  credit: BankItem | undefined
  suggestion: BankItem | undefined
}

export const DifferenceView = view('Difference', (f: Fields<DifferenceRow, Opening>) => ({
  id: f.integer('id'),
  bankCode: f.text('bankCode'),
  currency: f.text('currency'),
  day: f.text('day', 'From which on it counts.'),
  kind: f.text('kind'),
  amount: f.naira('amountKobo', 'By how much it makes the statement more than the books.'),
  state: f.text('state', `One of ${DIFFERENCE_STATES.join(', ')}.`),
  isTiming: f.flag('isTiming', 'Within the bank’s window: it may still be on its way.'),
  ageDays: f.integer('ageDays'),
  ageBucket: f.text('ageBucket', `One of ${AGEING_BUCKETS.join(', ')}.`),
  owner: f.as(
    orNull(DifferenceOwnerBody, 'Who works on it. Others may resolve it all the same.'),
    'owner',
  ),
  ownedAt: f.timeOrNull('ownedAt', 'Since when.'),
  line: f.as(orNull(StatementLineView.schema), ({ line }, by) =>
    line ? StatementLineView.present(line, by) : null,
  ),
  item: f.as(orNull(BankItemView.schema), ({ item }, by) =>
    item ? BankItemView.present(item, by) : null,
  ),
  credit: f.as(
    orNull(
      CreditView.schema,
      'That the line or item is about. Of reversed_at_bank, what it names.',
    ),
    ({ credit }, by) => (credit ? CreditView.present(credit, by) : null),
  ),
  payer: f.as(PayerBody, ({ line, item, credit, suggestion }) =>
    comparePayers(line?.counterpartyName, (item ?? credit ?? suggestion)?.name),
  ),
  payout: f.as(
    orNull(PayoutView.schema, 'Of a line that names a payout: payout_paid, payout_returned.'),
    (row) => (row.payoutReference === null ? null : PayoutView.present(row)),
  ),
  statementId: f.textOrNull(
    ({ statementId }) => statementId?.toString() ?? null,
    'Of a gap between statements.',
  ),
  suggestion: f.as(orNull(BankItemView.schema), ({ suggestion }, by) =>
    suggestion ? BankItemView.present(suggestion, by) : null,
  ),
  readings: f.as(
    Type.Array(Type.String({ examples: ['charge'] }), {
      description:
        'Of a debit that is smaller than the credit it names, what it may be: charge, reversal. To ' +
        'book it, say which. Empty of every other difference.',
    }),
    ({ isPartialReversal }) => (isPartialReversal ? [...READINGS] : []),
  ),
  actions: f.as(
    Type.Array(Type.String(), { description: 'What may be done now: book, match, note.' }),
    (row) =>
      row.state === 'open' && row.action === null && row.entryReference === null
        ? allowedActions(row)
        : [],
  ),
  adjustingAccounts: f.as(
    Type.Array(Type.String({ examples: ['shortfall'] }), {
      description:
        'The accounts that an adjusting entry may be posted against, the likeliest first. Empty: no ' +
        'entry can be requested now.',
    }),
    adjustingAccounts,
  ),
  adjustingEntry: f.textOrNull('entryReference', 'The adjusting entry that awaits approval.'),
  action: f.textOrNull('action', 'book, match, note or adjust.'),
  reason: f.textOrNull('reason'),
  askedBy: f.textOrNull('askedBy'),
  askedAt: f.timeOrNull('askedAt'),
  revision: f.token(resolutionRevision, REVISION_SAYS),
  cannotApprove: f.as(
    CannotApprove('Why you cannot approve it while asked for. Null if you can.'),
    ({ obstacle }) => presentObstacle(obstacle),
  ),
  decidedBy: f.textOrNull('decidedBy'),
  decidedAt: f.timeOrNull('decidedAt'),
  openedAt: f.time('openedAt'),
}))

// The CSV columns that the list has in nested objects. If a difference has both a line and an item, the
// columns show the line's data, because the line is the bank's own record.
const EXPORT_COLUMNS: Columns<ReturnType<typeof DifferenceView.present>> = [
  ['counterparty', ({ line, item }) => line?.counterpartyName ?? item?.name],
  ['narration', ({ line }) => line?.narration],
  ['reference', ({ line, item }) => line?.sessionId ?? line?.bankReference ?? item?.reference],
  ['accountNumber', ({ line, item }) => line?.accountNumber ?? item?.accountNumber],
  ['owner', ({ owner }) => owner?.email],
]

const ChangeView = view('DifferenceChange', (f: Fields<DifferenceChange>) => ({
  change: f.text('change'),
  actor: f.textOrNull('actor', 'Null: by itself.'),
  detail: f.as(Type.Record(Type.String(), Type.Unknown()), 'detail'),
  changedAt: f.time('changedAt'),
}))

type DetailRow = DifferenceRow & { history: DifferenceChange[] }

export const DifferenceDetailView = view('DifferenceDetail', (f: Fields<DetailRow, Opening>) => ({
  ...DifferenceView.fields,
  history: f.list(ChangeView, 'history'),
}))

export const differences = resource(RECONCILIATION, {
  tag: 'Operator',
  noun: 'difference',
  view: DifferenceView,
  scopes: { read: 'accounting:read', write: 'accounting:write' },
  params: { id: requireDifferenceId },
})
  .list('listDifferences', {
    exportAs: 'exportDifferences',
    exportColumns: EXPORT_COLUMNS,
    path: '/differences',
    name: 'differences',
    summary: 'List differences between statements and the books, newest first',
    description:
      'Filter by bank, day, kind, state, age and owner to find what is still to be explained.',
    filters: {
      bankCode: Type.Optional(bankCode('Filter by bank.')),
      day: Type.Optional(Day('Filter by day.')),
      kind: choice(DIFFERENCE_KINDS, 'Filter by kind.'),
      state: choice(DIFFERENCE_STATES, 'Filter by state. Default: all but cleared.'),
      bucket: choice(AGEING_BUCKETS, 'Filter by age in days. In a URL, write 365+ as 365%2B.'),
      owner: Type.Optional(OwnerName('Filter by owner: me, nobody, or the ID of a user.')),
    },
    rows: async (db, { after, limit, ...call }) => {
      const { bankCode, day, kind, state, bucket, owner } = call.query
      if (day !== undefined) requireDay('day', day)
      const ownerId = owner === undefined ? undefined : toOwner(owner, call)
      const filters = { bankCode, day, kind, state, bucket, ownerId }
      return withSnapshot(db, async (tx) => {
        const page = { ...filters, beforeId: after ?? undefined, limit }
        return withSides(tx, await listDifferences(tx, asOf(call, call), page))
      })
    },
  })
  .get('getDifference', {
    summary: 'Retrieve a difference with its history',
    description: 'Its line or item, what can be done about it, and everything that happened to it.',
    view: DifferenceDetailView,
    errors: ['difference_not_found'],
    run: (_db, call) => readDifference(call, call, call.params.id),
  })

// Lists noted differences, oldest first, like the aged report of a bank reconciliation.
export const reconcilingItems = resource(RECONCILIATION, {
  tag: 'Operator',
  noun: 'reconciling item',
  view: DifferenceView,
  scopes: { read: 'accounting:read', write: 'accounting:write' },
}).list('listReconcilingItems', {
  exportAs: 'exportReconcilingItems',
  exportColumns: EXPORT_COLUMNS,
  path: '/reconciling-items',
  name: 'reconciling-items',
  summary: 'List reconciling items, oldest first',
  description:
    'Noted differences, each with its age, reason and people, until a line, a booking or an ' +
    'adjusting entry clears it.',
  filters: {
    bankCode: Type.Optional(bankCode('Filter by bank.')),
    bucket: choice(AGEING_BUCKETS, 'Filter by age in days. In a URL, write 365+ as 365%2B.'),
  },
  hasTextIds: true,
  position: ({ day, id }) => `${day} ${id}`,
  rows: (db, { after, limit, query, ...call }) =>
    withSnapshot(db, async (tx) => {
      const [afterDay, afterId] = after?.split(' ') ?? []
      const from = afterDay && afterId ? { day: afterDay, id: BigInt(afterId) } : undefined
      const page = { ...query, state: 'resolved', action: 'note', from, limit }
      return withSides(tx, await listDifferences(tx, asOf(call, call), page))
    }),
})

// Returns what the queries of differences need besides their filter: the time, the banks' timing windows, and
// the viewer, because each row says whether this user can approve its resolution.
export function asOf(deps: Deps, by: Identity) {
  const { clock, banks } = deps
  return { now: clock(), windows: timingWindows(banks), viewer: toViewer(deps, by) }
}

// Returns a difference with its line, items and history, all as of the same moment.
export function readDifference(deps: Deps, by: Identity, id: DifferenceId): Promise<DetailRow> {
  return withSnapshot(deps.db, async (tx) => {
    const rows = await withSides(tx, [await getDifference(tx, asOf(deps, by), id)])
    return { ...(rows[0] as DifferenceRow), history: await readHistory(tx, id) }
  })
}

// Adds to each difference its line, item, credit and suggestion. Reads them for all differences in a few
// queries.
export async function withSides(
  db: Queryable,
  rows: readonly ShownDifference[],
): Promise<DifferenceRow[]> {
  const lineIds = rows.flatMap(({ lineId }) => (lineId === null ? [] : [lineId]))
  const lines = await readLines(db, [...new Set<StatementLineId>(lineIds)])
  const items = await readSides(db, rows)
  const findItem = (kind: ItemRef['kind'] | null, id: bigint | null) =>
    kind === null || id === null ? undefined : items.get(refKey({ kind, id }))
  return rows.map((row) => ({
    ...row,
    line: row.lineId === null ? undefined : lines.get(row.lineId),
    item: findItem(row.itemKind, row.itemId),
    credit: findItem('credit', creditIdOf(row)),
    suggestion: findItem(row.suggestedKind, row.suggestedId),
  }))
}

// Returns the id of the credit that a difference is about: its item, the credit that its line is matched to,
// or the credit that its debit takes back. An item of charges has the id of the credit they were withheld
// from.
function creditIdOf(difference: ShownDifference): bigint | null {
  const { itemKind, itemId, matchedCreditId, reversedCreditId } = difference
  if (itemKind === 'credit' || itemKind === 'charges') return itemId
  return matchedCreditId ?? reversedCreditId
}

// Reads the items that the differences are about, as a map by refKey(). Items are read per bank and
// currency, in one query each.
async function readSides(
  db: Queryable,
  rows: readonly ShownDifference[],
): Promise<Map<string, BankItem>> {
  const accounts = new Map<string, { account: BankAccount; refs: ItemRef[] }>()
  for (const difference of rows) {
    const { bankCode, currency, itemKind, itemId, suggestedKind, suggestedId } = difference
    const key = `${bankCode} ${currency}`
    const refsOfAccount = accounts.get(key) ?? { account: { bankCode, currency }, refs: [] }
    accounts.set(key, refsOfAccount)
    const creditId = creditIdOf(difference)
    if (itemKind !== null && itemId !== null)
      refsOfAccount.refs.push({ kind: itemKind, id: itemId })
    if (creditId !== null) refsOfAccount.refs.push({ kind: 'credit', id: creditId })
    if (suggestedKind !== null && suggestedId !== null) {
      refsOfAccount.refs.push({ kind: suggestedKind, id: suggestedId })
    }
  }
  const itemMaps = [...accounts.values()].map(({ account, refs }) => readItems(db, account, refs))
  return new Map((await Promise.all(itemMaps)).flatMap((items) => [...items]))
}
