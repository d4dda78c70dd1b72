// Schemas and presenters of settlements and their lines.

import { type TSchema, Type } from '@fastify/type-provider-typebox'
import { findBank } from '#banks/directory.ts'
import type { NameBank } from '#domain/payments/resource-presenters.ts'
import { LINE_KINDS, type SettlementLine } from '#domain/settlement/settlement-lines.ts'
import { obstacleTo, type Payee } from '#domain/settlement/settlement-payees.ts'
import {
  REFERENCE_PATTERN,
  type Settlement,
  type SettlementAmounts,
} from '#domain/settlement/settlements.ts'
import type { UpcomingSettlement } from '#domain/settlement/upcoming-settlement.ts'
import { Refusal } from '#errors.ts'
import type { Identity } from '#http/authentication.ts'
import { CannotApprove } from '#http/routes/suspense/approval-presenters.ts'
import { named, nullable } from '#http/schemas.ts'
import { maskAccountNumber } from '#mask.ts'
import { kobo, toNaira } from '#money.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'

export const SETTLEMENTS = '/api/v1/settlements'
const REFERENCE = new RegExp(REFERENCE_PATTERN)

export const ReferenceParams = Type.Object({ reference: Type.String() })

// In any case, as other references.
export function requireReference(given: string): string {
  const reference = given.toUpperCase()
  if (!REFERENCE.test(reference)) throw new Refusal('settlement_not_found')
  return reference
}

const amount = (description: string) => Type.Number({ description })

const AmountFields = {
  gross: amount('Credits that became available.'),
  fees: amount('Fees charged, without VAT, less those given back.'),
  vat: amount('VAT on the fees.'),
  reversed: amount('Reversed by the banks.'),
  refunds: amount('Refunded to payers, less failed refunds.'),
  paidOut: amount('Paid out by payouts of your own, less failed payouts.'),
  recovered: amount('Recovered of what you owed.'),
  reserved: amount('Held back.'),
  released: amount('Released of what was held back before.'),
  carried: amount(
    'Below zero: drawn after the cut-off, so a later settlement evens it out. Above: the reverse.',
  ),
  net: amount(
    'What is paid out: gross − fees − vat − reversed − refunds − paidOut − recovered − reserved ' +
      '+ released + carried.',
  ),
}

const PayoutOfSettlement = named('SettlementPayout', {
  reference: Type.String(),
  status: Type.String(),
  amount: Type.Number(),
  subaccountCode: nullable('string', { description: 'Null: yours.' }),
})

const period = named('SettlementPeriod', {
  from: nullable('string', { description: 'Cut-off of the settlement before. Null: the first.' }),
  to: Type.String({ description: 'The cut-off.' }),
})

const PayeeOfSettlement = named('SettlementPayee', {
  subaccountCode: nullable('string', { description: 'Null: you.' }),
  amount: Type.Number(),
  bankAccount: Type.String({ description: 'Its reference.' }),
  bankCode: Type.String(),
  bankName: Type.String(),
  accountNumberMasked: Type.String(),
  accountNumber: nullable('string', { description: 'Null without payouts:write.' }),
  accountName: Type.String(),
  defaultSince: nullable('string', {
    description:
      'When it was made your default account, or chosen for the subaccount. Null: not recorded.',
  }),
  blockedBy: nullable('string', {
    description:
      'Why it cannot be paid to: bank_account_inactive, bank_account_mismatch, or ' +
      'bank_account_unconfirmed: no bank has confirmed its name, and another user must approve. ' +
      'Null: it can.',
  }),
})

const SettlementFields = {
  reference: Type.String({ description: 'Permanent: STL and 15 digits.' }),
  status: Type.String({
    description: 'closed, approved, sending, paid, part_failed, failed or cancelled.',
  }),
  period,
  cutOff: Type.String({ description: 'Money posted before this is in it.' }),
  currency: Type.String(),
  ...AmountFields,
  lines: Type.Integer({ description: 'Number of lines.' }),
  payouts: Type.Array(PayoutOfSettlement, { description: 'One per party, once approved.' }),
  needsApproval: Type.Boolean({ description: 'By another user than who closed it.' }),
  heldReason: nullable('string', {
    description:
      'Why closing did not approve it: approval_needed, or what was wrong with a bank account. ' +
      'blockedBy of each payee says what is now.',
  }),
  closedBy: Type.String(),
  closedAt: Type.String(),
  approvedBy: nullable('string'),
  approvedAt: nullable('string'),
  cancelledBy: nullable('string'),
  cancelledAt: nullable('string'),
  finishedAt: nullable('string', { description: 'When the last payout was confirmed or failed.' }),
}

export const SettlementBody = named('Settlement', SettlementFields)

export const SettlementDetailBody = named('SettlementDetail', {
  ...SettlementFields,
  payees: Type.Array(PayeeOfSettlement, {
    description: 'While it is closed: the bank accounts that it would be paid to if approved now.',
  }),
  cannotApprove: CannotApprove(
    'Why you cannot approve it while it is closed, giving the bankAccount and accountName of each payee. ' +
      'Null if you can.',
  ),
})

export const UpcomingBody = named('UpcomingSettlement', {
  status: Type.String({ description: 'Always open.' }),
  period: named('UpcomingPeriod', { from: nullable('string') }),
  currency: Type.String(),
  ...AmountFields,
  lines: Type.Integer({ description: 'Number of credits.' }),
  schedule: Type.String(),
  closesAt: nullable('string', { description: 'Null: not by itself.' }),
  cutOff: nullable('string', { description: 'The cut-off it will have.' }),
})

const LineFields: Record<string, TSchema> = {
  kind: Type.String({ description: `One of ${LINE_KINDS.join(', ')}.` }),
  postedAt: Type.String(),
  subaccountCode: nullable('string', { description: 'Null: yours.' }),
  creditId: nullable('number'),
  sessionId: nullable('string'),
  receivedAt: nullable('string'),
  paymentReference: nullable('string'),
  merchantRef: nullable('string'),
  collectionAccountNumber: nullable('string'),
  merchantCode: nullable('string'),
  payoutReference: nullable('string'),
  gross: Type.Number(),
  fee: Type.Number(),
  vat: Type.Number(),
  split: amount('To subaccounts. Below zero: from you to the subaccount.'),
  reversed: Type.Number(),
  other: amount('What the kind says. Below zero: taken.'),
  net: amount('gross − fee − vat − split − reversed + other.'),
}
export const LineBody = named('SettlementLine', LineFields)

function presentAmounts(of: SettlementAmounts) {
  return {
    gross: toNaira(of.grossKobo),
    fees: toNaira(of.feesKobo),
    vat: toNaira(of.vatKobo),
    reversed: toNaira(of.reversedKobo),
    refunds: toNaira(of.refundsKobo),
    paidOut: toNaira(of.paidOutKobo),
    recovered: toNaira(of.recoveredKobo),
    reserved: toNaira(of.reservedKobo),
    released: toNaira(of.releasedKobo),
    carried: toNaira(of.carriedKobo),
    net: toNaira(of.netKobo),
  }
}

const time = (at: Date | null) => at && timestamp(at)

export function presentSettlement(settlement: Settlement) {
  const cutOff = timestamp(settlement.cutOff)
  return {
    reference: settlement.reference,
    status: settlement.status,
    period: { from: time(settlement.periodFrom), to: cutOff },
    cutOff,
    currency: settlement.currency,
    ...presentAmounts(settlement),
    lines: Number(settlement.lines),
    payouts: settlement.payouts.map(({ amountKobo, ...payout }) => ({
      ...payout,
      amount: toNaira(kobo(BigInt(amountKobo))),
    })),
    needsApproval: settlement.needsApproval,
    heldReason: settlement.heldReason,
    closedBy: settlement.closedBy,
    closedAt: timestamp(settlement.closedAt),
    approvedBy: settlement.approvedBy,
    approvedAt: time(settlement.approvedAt),
    cancelledBy: settlement.cancelledBy,
    cancelledAt: time(settlement.cancelledAt),
    finishedAt: time(settlement.finishedAt),
  }
}

type Showing = { sealer: Sealer; by: Pick<Identity, 'scopes'>; nameBank: NameBank }

// Those without a bank account are left out; why it is held says so.
export function presentPayees(payees: readonly Payee[], { sealer, by, nameBank }: Showing) {
  return payees.flatMap((payee) => {
    const { bankAccount, bankCode } = payee
    if (bankAccount === null) return []
    const number = sealer.open(payee.accountNumberSealed)
    return {
      subaccountCode: payee.subaccountCode,
      amount: toNaira(payee.netKobo),
      bankAccount,
      bankCode,
      bankName: findBank(bankCode)?.name ?? nameBank(bankCode),
      accountNumberMasked: maskAccountNumber(number),
      accountNumber: by.scopes.has('payouts:write') ? number : null,
      accountName: payee.accountName,
      defaultSince: time(payee.chosenAt),
      blockedBy: obstacleTo(payee) ?? null,
    }
  })
}

export function presentUpcoming(upcoming: UpcomingSettlement) {
  const { periodFrom, currency, lines, schedule, next } = upcoming
  return {
    status: 'open',
    period: { from: time(periodFrom) },
    currency,
    ...presentAmounts(upcoming),
    lines: Number(lines),
    schedule,
    closesAt: time(next?.at ?? null),
    cutOff: time(next?.cutOff ?? null),
  }
}

export function presentLine(sealer: Sealer, line: SettlementLine) {
  const { creditId } = line
  return {
    kind: line.kind,
    postedAt: timestamp(line.postedAt),
    subaccountCode: line.subaccountCode,
    creditId: creditId === null ? null : publicId(sealer, 'credit', creditId),
    sessionId: line.sessionId,
    receivedAt: time(line.receivedAt),
    paymentReference: line.paymentReference,
    merchantRef: line.merchantRef,
    collectionAccountNumber: line.accountNumber,
    merchantCode: line.merchantCode,
    payoutReference: line.payoutReference,
    gross: toNaira(line.grossKobo),
    fee: toNaira(line.feeKobo),
    vat: toNaira(line.vatKobo),
    split: toNaira(line.splitKobo),
    reversed: toNaira(line.reversedKobo),
    other: toNaira(line.otherKobo),
    net: toNaira(line.netKobo),
  }
}
