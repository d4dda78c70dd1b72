// Schemas and presenters of differences, and of items of the books.

import { type Static, Type } from '@fastify/type-provider-typebox'
import type { Queryable } from '#db/pool.ts'
import { allowedActions } from '#domain/reconciliation/allowed-actions.ts'
import {
  type BankItem,
  type ItemRef,
  readItems,
  refKey,
} from '#domain/reconciliation/bank-items.ts'
import { readLines } from '#domain/reconciliation/day-lines.ts'
import {
  AGE_BUCKETS,
  DIFFERENCE_STATES,
  type DifferenceChange,
  type ShownDifference,
} from '#domain/reconciliation/differences.ts'
import { ITEM_KINDS } from '#domain/reconciliation/item-sources.ts'
import type { BankAccount } from '#domain/reconciliation/reconciled-banks.ts'
import { READINGS } from '#domain/reconciliation/reversed-credits.ts'
import { CannotApprove, presentObstacle } from '#http/routes/suspense/approval-presenters.ts'
import { named, nullable } from '#http/schemas.ts'
import type { CreditId, StatementLineId, TransferId } from '#ids.ts'
import { type Kobo, toNaira } from '#money.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'
import { DifferenceOwnerBody } from './owner-presenters.ts'
import { presentLine, StatementLineBody } from './statement-presenters.ts'

export const BankItemBody = named('BankItem', {
  kind: Type.String({ description: `One of ${ITEM_KINDS.join(', ')}.` }),
  id: Type.String({
    description: 'Of a credit and its charges the creditId; else our reference, or its number.',
  }),
  amount: Type.Number({ description: 'Above zero: received.' }),
  day: Type.String({ description: 'On which it was posted, in West Africa.' }),
  reference: nullable('string', { description: 'A credit’s identifier, or our own reference.' }),
  accountNumber: nullable('string'),
  name: nullable('string'),
})

const NamedCredit = named('DifferenceCredit', {
  creditId: Type.Integer(),
  sessionId: nullable('string'),
  accountNumber: nullable('string'),
  amount: Type.Number(),
})

const NamedPayoutBody = named('DifferencePayout', {
  reference: Type.String(),
  status: Type.String({ description: 'As the books have it now.' }),
  amount: Type.Number(),
  booking: nullable('string', {
    description:
      'What book does. paid: the client owes the line. returned: it is available again to whom it ' +
      'was taken from. undone: the line and the one that gives or takes the same cancel out. Null: ' +
      'nothing is to be booked.',
  }),
})

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(
  schema: T,
  description?: string,
) => Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

const FIELDS = {
  id: Type.Integer(),
  bankCode: Type.String(),
  currency: Type.String(),
  day: Type.String({ description: 'From which on it counts.' }),
  kind: Type.String(),
  amount: Type.Number({ description: 'By how much it makes the statement more than the books.' }),
  state: Type.String({ description: `One of ${DIFFERENCE_STATES.join(', ')}.` }),
  isTiming: Type.Boolean({ description: 'Within the bank’s window: it may still be on its way.' }),
  ageDays: Type.Integer(),
  ageBucket: Type.String({ description: `One of ${AGE_BUCKETS.join(', ')}.` }),
  owner: orNull(DifferenceOwnerBody, 'Who works on it. Others may resolve it all the same.'),
  ownedAt: nullable('string', { description: 'Since when.' }),
  line: orNull(StatementLineBody),
  item: orNull(BankItemBody),
  credit: orNull(
    NamedCredit,
    'That the line or item is about. Of reversed_at_bank, what it names.',
  ),
  payout: orNull(NamedPayoutBody, 'Of a line that names a payout: payout_paid, payout_returned.'),
  statementId: nullable('string', { description: 'Of a gap between statements.' }),
  suggestion: orNull(BankItemBody),
  readings: Type.Array(Type.String({ examples: ['charge'] }), {
    description:
      'Of a debit that is smaller than the credit it names, what it may be: charge, reversal. To ' +
      'book it, say which. Empty of every other difference.',
  }),
  actions: Type.Array(Type.String(), { description: 'What may be done now: book, match, note.' }),
  action: nullable('string'),
  reason: nullable('string'),
  askedBy: nullable('string'),
  askedAt: nullable('string'),
  cannotApprove: CannotApprove('Why you cannot approve it while asked for. Null if you can.'),
  decidedBy: nullable('string'),
  decidedAt: nullable('string'),
  openedAt: Type.String(),
}

export const DifferenceBody = named('Difference', FIELDS)

export const DifferenceDetailBody = named('DifferenceDetail', {
  ...FIELDS,
  history: Type.Array(
    named('DifferenceChange', {
      change: Type.String(),
      actor: nullable('string', { description: 'Null: by itself.' }),
      detail: Type.Record(Type.String(), Type.Unknown()),
      changedAt: Type.String(),
    }),
  ),
})

export function presentItem(sealer: Sealer, item: BankItem): Static<typeof BankItemBody> {
  const { kind, id, amountKobo, day, reference, accountNumber, name } = item
  return {
    kind,
    id: shownId(sealer, item, id),
    amount: toNaira(amountKobo),
    day,
    reference,
    accountNumber,
    name,
  }
}

function shownId(sealer: Sealer, { kind, reference }: BankItem, id: bigint): string {
  if (kind === 'credit' || kind === 'charges')
    return `${publicId(sealer, 'credit', id as CreditId)}`
  if (kind === 'booked') return `${publicId(sealer, 'transfer', id as TransferId)}`
  return reference ?? id.toString()
}

type Presenting = { db: Queryable; sealer: Sealer }

// With the lines and items that they are about, read in few queries for all of them.
export async function presentDifferences(
  { db, sealer }: Presenting,
  differences: readonly ShownDifference[],
): Promise<Static<typeof DifferenceBody>[]> {
  const lineIds = differences.flatMap(({ lineId }) => (lineId === null ? [] : [lineId]))
  const lines = await readLines(db, [...new Set<StatementLineId>(lineIds)])
  const items = await readAbout(db, differences)
  return differences.map((difference) => {
    const find = (kind: ItemRef['kind'] | null, id: bigint | null) =>
      kind === null || id === null ? undefined : items.get(refKey({ kind, id }))
    const line = difference.lineId === null ? undefined : lines.get(difference.lineId)
    const item = find(difference.itemKind, difference.itemId)
    const suggestion = find(difference.suggestedKind, difference.suggestedId)
    const credit = find('credit', creditIdOf(difference))
    return {
      ...presentFields(difference),
      line: line ? presentLine(sealer, line) : null,
      item: item ? presentItem(sealer, item) : null,
      credit: credit ? presentNamed(sealer, credit) : null,
      payout: presentPayout(difference),
      suggestion: suggestion ? presentItem(sealer, suggestion) : null,
    }
  })
}

function presentNamed(sealer: Sealer, { id, reference, accountNumber, amountKobo }: BankItem) {
  return {
    creditId: publicId(sealer, 'credit', id as CreditId),
    sessionId: reference,
    accountNumber,
    amount: toNaira(amountKobo),
  }
}

function presentPayout(difference: ShownDifference): Static<typeof NamedPayoutBody> | null {
  const { payoutReference: reference, payoutStatus, payoutKobo, payoutBooking } = difference
  if (reference === null) return null
  const amount = toNaira(payoutKobo as Kobo)
  return { reference, status: payoutStatus as string, amount, booking: payoutBooking }
}

// Of charges, the credit that they were withheld from.
function creditIdOf(difference: ShownDifference): bigint | null {
  const { itemKind, itemId, matchedCreditId, reversedCreditId } = difference
  if (itemKind === 'credit' || itemKind === 'charges') return itemId
  return matchedCreditId ?? reversedCreditId
}

async function readAbout(
  db: Queryable,
  differences: readonly ShownDifference[],
): Promise<Map<string, BankItem>> {
  const accounts = new Map<string, { account: BankAccount; refs: ItemRef[] }>()
  for (const difference of differences) {
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

function presentFields(difference: ShownDifference) {
  const { askedAt, decidedAt, ownedAt, state, action, statementId, obstacle } = difference
  const isUndecided = state === 'open' && action === null
  return {
    id: Number(difference.id),
    bankCode: difference.bankCode,
    currency: difference.currency,
    day: difference.day,
    kind: difference.kind,
    amount: toNaira(difference.amountKobo),
    state,
    isTiming: difference.isTiming,
    ageDays: difference.ageDays,
    ageBucket: difference.ageBucket,
    owner: difference.owner,
    ownedAt: ownedAt && timestamp(ownedAt),
    statementId: statementId === null ? null : statementId.toString(),
    readings: difference.isPartialReversal ? [...READINGS] : [],
    actions: isUndecided ? allowedActions(difference) : [],
    action,
    reason: difference.reason,
    askedBy: difference.askedBy,
    askedAt: askedAt && timestamp(askedAt),
    cannotApprove: presentObstacle(obstacle),
    decidedBy: difference.decidedBy,
    decidedAt: decidedAt && timestamp(decidedAt),
    openedAt: timestamp(difference.openedAt),
  }
}

export function presentChange({ change, actor, detail, changedAt }: DifferenceChange) {
  return { change, actor, detail, changedAt: timestamp(changedAt) }
}
