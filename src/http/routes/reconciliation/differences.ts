// /api/v1/operator/reconciliation/differences, and one of them with its history.

import { type TSchema, Type } from '@fastify/type-provider-typebox'
import type { Queryable } from '#db/pool.ts'
import { withSnapshot } from '#db/snapshot.ts'
import { allowedActions, DIFFERENCE_KINDS } from '#domain/reconciliation/allowed-actions.ts'
import {
  type BankItem,
  type ItemRef,
  readItems,
  refKey,
} from '#domain/reconciliation/bank-items.ts'
import { timingWindows } from '#domain/reconciliation/daily-proof.ts'
import { readLines } from '#domain/reconciliation/day-lines.ts'
import {
  AGE_BUCKETS,
  DIFFERENCE_STATES,
  type DifferenceChange,
  getDifference,
  listDifferences,
  readHistory,
  type ShownDifference,
} from '#domain/reconciliation/differences.ts'
import { ITEM_KINDS } from '#domain/reconciliation/item-sources.ts'
import type { BankAccount } from '#domain/reconciliation/reconciled-banks.ts'
import { READINGS } from '#domain/reconciliation/reversed-credits.ts'
import type { ListedLine } from '#domain/reconciliation/statements.ts'
import type { Identity } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import { choice } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import {
  CannotApprove,
  presentObstacle,
  toViewer,
} from '#http/routes/suspense/approval-presenters.ts'
import { bankCode } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import type { CreditId, DifferenceId, StatementLineId, TransferId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { Day, RECONCILIATION, requireDay } from './days.ts'
import { DifferenceOwnerBody, OwnerName, toOwner } from './owner-presenters.ts'
import { requireDifferenceId } from './resolution-presenters.ts'
import { StatementLineView } from './statements.ts'

type Opening = { sealer: Sealer }

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

function itemId(sealer: Sealer, { kind, id, reference }: BankItem): string {
  if (kind === 'credit' || kind === 'charges')
    return `${publicId(sealer, 'credit', id as CreditId)}`
  if (kind === 'booked') return `${publicId(sealer, 'transfer', id as TransferId)}`
  return reference ?? id.toString()
}

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

const orNull = (schema: TSchema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

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
  ageBucket: f.text('ageBucket', `One of ${AGE_BUCKETS.join(', ')}.`),
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
    (row) => (row.state === 'open' && row.action === null ? allowedActions(row) : []),
  ),
  action: f.textOrNull('action'),
  reason: f.textOrNull('reason'),
  askedBy: f.textOrNull('askedBy'),
  askedAt: f.timeOrNull('askedAt'),
  cannotApprove: f.as(
    CannotApprove('Why you cannot approve it while asked for. Null if you can.'),
    ({ obstacle }) => presentObstacle(obstacle),
  ),
  decidedBy: f.textOrNull('decidedBy'),
  decidedAt: f.timeOrNull('decidedAt'),
  openedAt: f.time('openedAt'),
}))

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
      bucket: choice(AGE_BUCKETS, 'Filter by age in days.'),
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

export function asOf(deps: Deps, by: Identity) {
  const { clock, banks } = deps
  return { now: clock(), windows: timingWindows(banks), viewer: toViewer(deps, by) }
}

export function readDifference(deps: Deps, by: Identity, id: DifferenceId): Promise<DetailRow> {
  return withSnapshot(deps.db, async (tx) => {
    const rows = await withSides(tx, [await getDifference(tx, asOf(deps, by), id)])
    return { ...(rows[0] as DifferenceRow), history: await readHistory(tx, id) }
  })
}

// Reads the lines and items of all differences in a few queries.
export async function withSides(
  db: Queryable,
  rows: readonly ShownDifference[],
): Promise<DifferenceRow[]> {
  const lineIds = rows.flatMap(({ lineId }) => (lineId === null ? [] : [lineId]))
  const lines = await readLines(db, [...new Set<StatementLineId>(lineIds)])
  const items = await readSides(db, rows)
  const find = (kind: ItemRef['kind'] | null, id: bigint | null) =>
    kind === null || id === null ? undefined : items.get(refKey({ kind, id }))
  return rows.map((row) => ({
    ...row,
    line: row.lineId === null ? undefined : lines.get(row.lineId),
    item: find(row.itemKind, row.itemId),
    credit: find('credit', creditIdOf(row)),
    suggestion: find(row.suggestedKind, row.suggestedId),
  }))
}

// The credit of charges is the one that they were withheld from.
function creditIdOf(difference: ShownDifference): bigint | null {
  const { itemKind, itemId, matchedCreditId, reversedCreditId } = difference
  if (itemKind === 'credit' || itemKind === 'charges') return itemId
  return matchedCreditId ?? reversedCreditId
}

async function readSides(
  db: Queryable,
  rows: readonly ShownDifference[],
): Promise<Map<string, BankItem>> {
  const accounts = new Map<string, { account: BankAccount; refs: ItemRef[] }>()
  for (const difference of rows) {
    const { bankCode, currency, itemKind, itemId, suggestedKind, suggestedId } = difference
    const key = `${bankCode} ${currency}`
    const known = accounts.get(key) ?? { account: { bankCode, currency }, refs: [] }
    accounts.set(key, known)
    const creditId = creditIdOf(difference)
    if (itemKind !== null && itemId !== null) known.refs.push({ kind: itemKind, id: itemId })
    if (creditId !== null) known.refs.push({ kind: 'credit', id: creditId })
    if (suggestedKind !== null && suggestedId !== null) {
      known.refs.push({ kind: suggestedKind, id: suggestedId })
    }
  }
  const found = [...accounts.values()].map(({ account, refs }) => readItems(db, account, refs))
  return new Map((await Promise.all(found)).flatMap((items) => [...items]))
}
