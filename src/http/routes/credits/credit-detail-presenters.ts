// A credit with its history: suspense items, reversals, ledger transfers and events.

import { Type } from '@fastify/type-provider-typebox'
import type { CreditTrace } from '#domain/credits/credit-list.ts'
import type { TracedItem, TracedReturn } from '#domain/credits/credit-location.ts'
import type { CreditHistory } from '#domain/reports/credit-histories.ts'
import { ReturnOfItem } from '#http/routes/suspense/suspense-presenters.ts'
import { named, nullable } from '#http/schemas.ts'
import { toNaira } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'
import {
  CreditBody,
  itemIdText,
  optionalTime,
  presentCredit,
  type Showing,
} from './credit-presenters.ts'

const LedgerSideBody = named('LedgerSide', {
  kind: Type.String({ description: 'Ledger account kind.' }),
  accountNumber: nullable('string'),
})

const ReturnInTrace = named('CreditReturn', {
  reference: Type.String(),
  status: Type.String({ description: 'pending, confirmed or failed.' }),
  amount: Type.Number(),
  bankReference: nullable('string'),
  failureReason: nullable('string'),
  requestedAt: Type.String(),
  settledAt: nullable('string'),
})

export const CreditDetailBody = named('CreditDetail', {
  ...CreditBody.properties,
  suspense: Type.Array(
    Type.Object({
      id: Type.String(),
      amount: Type.Number(),
      reason: Type.String(),
      state: Type.String(),
      assignedAccountNumber: nullable('string'),
      assignedPaymentReference: nullable('string'),
      ...ReturnOfItem,
      returns: Type.Array(ReturnInTrace, { description: 'Every attempt to return it.' }),
      openedAt: Type.String(),
      closedAt: nullable('string'),
    }),
  ),
  reversals: Type.Array(
    Type.Object({
      sessionId: Type.String(),
      amount: Type.Number(),
      shortfall: Type.Number({ description: 'Part of the amount that had already been returned.' }),
      receivable: Type.Number({ description: 'Part of the amount that the client owes.' }),
      receivedAt: Type.String(),
    }),
  ),
  transfers: Type.Array(
    Type.Object({
      amount: Type.Number(),
      reason: Type.String(),
      from: LedgerSideBody,
      to: LedgerSideBody,
      postedAt: Type.String(),
    }),
  ),
  events: Type.Array(
    Type.Object({
      id: Type.String(),
      type: Type.String(),
      sequence: Type.Integer(),
      createdAt: Type.String(),
    }),
  ),
})

export function presentCreditDetail(
  credit: CreditTrace,
  { transfers, reversals, events }: CreditHistory,
  how: Showing,
) {
  return {
    ...presentCredit(credit, how),
    suspense: credit.items.map((item) => presentItem(item, how.sealer)),
    reversals: reversals.map((reversal) => ({
      sessionId: reversal.sessionId,
      amount: toNaira(reversal.amountKobo),
      shortfall: toNaira(reversal.shortfallKobo),
      receivable: toNaira(reversal.receivableKobo),
      receivedAt: timestamp(reversal.receivedAt),
    })),
    transfers: transfers.map(({ amountKobo, reason, from, to, postedAt }) => ({
      amount: toNaira(amountKobo),
      reason,
      from,
      to,
      postedAt: timestamp(postedAt),
    })),
    events: events.map(({ id, type, sequence, createdAt }) => ({
      id,
      type,
      sequence: Number(sequence),
      createdAt: timestamp(createdAt),
    })),
  }
}

function presentItem(item: TracedItem, sealer: Sealer) {
  const last = item.returns.at(-1)
  return {
    id: itemIdText(sealer, item.id),
    amount: toNaira(item.amountKobo),
    reason: item.reason,
    state: item.state,
    assignedAccountNumber: item.accountNumber,
    assignedPaymentReference: item.paymentReference,
    returnReference: last?.reference ?? null,
    bankReference: last?.bankReference ?? null,
    failureReason: last?.failureReason ?? null,
    returns: item.returns.map(presentReturn),
    openedAt: timestamp(item.openedAt),
    closedAt: optionalTime(item.closedAt),
  }
}

function presentReturn({ amountKobo, requestedAt, settledAt, ...told }: TracedReturn) {
  return {
    ...told,
    amount: toNaira(amountKobo),
    requestedAt: timestamp(requestedAt),
    settledAt: optionalTime(settledAt),
  }
}
