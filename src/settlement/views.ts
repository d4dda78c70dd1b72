// Views of settlements and their lines.

import { CannotApprove, presentObstacle, REVISION_SAYS } from '#approvals/views.ts'
import { findBank, type NameBank } from '#banks/directory.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { Identity } from '#http/authentication.ts'
import { type Fields, view } from '#http/view.ts'
import { publicId } from '#ids.ts'
import { kobo } from '#money.ts'
import { maskAccountNumber, type Sealer } from '#seal.ts'
import { obstacleTo, type Payee } from './approve.ts'
import { LINE_KINDS, type SettlementLine, type UpcomingSettlement } from './queries.ts'
import { REFERENCE_PATTERN, type Settlement, type SettlementAmounts } from './settlement.ts'

const REFERENCE = new RegExp(REFERENCE_PATTERN)

// Returns the reference in upper case, in which it is stored. Refuses text that is no settlement's
// reference.
export function requireReference(text: string): string {
  const reference = text.toUpperCase()
  if (!REFERENCE.test(reference)) throw new Refusal('settlement_not_found')
  return reference
}

const AmountsView = view(undefined, (f: Fields<SettlementAmounts>) => ({
  gross: f.naira('grossKobo', 'Credits that became available.'),
  fees: f.naira('feesKobo', 'Fees charged, without VAT, less those given back.'),
  vat: f.naira('vatKobo', 'VAT on the fees.'),
  reversed: f.naira('reversedKobo', 'Reversed by the banks.'),
  refunds: f.naira('refundsKobo', 'Refunded to payers, less failed refunds.'),
  paidOut: f.naira('paidOutKobo', 'Paid out by payouts of your own, less failed payouts.'),
  recovered: f.naira('recoveredKobo', 'Recovered of what you owed.'),
  reserved: f.naira('reservedKobo', 'Held back.'),
  released: f.naira('releasedKobo', 'Released of what was held back before.'),
  carried: f.naira(
    'carriedKobo',
    'Below zero: drawn after the cut-off, so a later settlement evens it out; or held by the operator. ' +
      'Above: the reverse.',
  ),
  net: f.naira(
    'netKobo',
    'What is paid out: gross − fees − vat − reversed − refunds − paidOut − recovered − reserved ' +
      '+ released + carried.',
  ),
}))

const PayoutView = view('SettlementPayout', (f: Fields<Settlement['payouts'][number]>) => ({
  reference: f.text('reference'),
  status: f.text('status'),
  amount: f.naira(({ amountKobo }) => kobo(BigInt(amountKobo))),
  subaccountCode: f.textOrNull('subaccountCode', 'Null: yours.'),
}))

export const PeriodView = view('SettlementPeriod', (f: Fields<Settlement>) => ({
  from: f.timeOrNull('periodFrom', 'Cut-off of the settlement before. Null: the first.'),
  to: f.time('cutOff', 'The cut-off.'),
}))

export const SettlementView = view('Settlement', (f: Fields<Settlement>) => ({
  reference: f.text('reference', 'Permanent: STL and 15 digits.'),
  status: f.text('status', 'closed, approved, sending, paid, part_failed, failed or cancelled.'),
  period: f.one(PeriodView, (settlement) => settlement),
  cutOff: f.time('cutOff', 'Money posted before this is in it.'),
  currency: f.text('currency'),
  ...AmountsView.fields,
  lines: f.integer('lines', 'Number of lines.'),
  payouts: f.list(PayoutView, 'payouts', 'One per party, once approved.'),
  needsApproval: f.flag('needsApproval', 'By another user than who closed it.'),
  heldReason: f.textOrNull(
    'heldReason',
    'Why closing did not approve it: approval_needed, or what was wrong with a bank account. ' +
      'blockedBy of each payee says what is now.',
  ),
  closedBy: f.text('closedBy'),
  closedAt: f.time('closedAt'),
  approvedBy: f.textOrNull('approvedBy'),
  approvedAt: f.timeOrNull('approvedAt'),
  cancelledBy: f.textOrNull('cancelledBy'),
  cancelledAt: f.timeOrNull('cancelledAt'),
  finishedAt: f.timeOrNull('finishedAt', 'When the last payout was confirmed or failed.'),
}))

type PayeeContext = Pick<Identity, 'scopes'> & { sealer: Sealer; nameBank: NameBank }
type PaidPayee = Payee & { bankAccount: string }

const PayeeView = view('SettlementPayee', (f: Fields<PaidPayee, PayeeContext>) => ({
  subaccountCode: f.textOrNull('subaccountCode', 'Null: you.'),
  amount: f.naira('netKobo'),
  bankAccount: f.text('bankAccount', 'Its reference.'),
  bankCode: f.text('bankCode'),
  bankName: f.text(({ bankCode }, { nameBank }) => findBank(bankCode)?.name ?? nameBank(bankCode)),
  accountNumberMasked: f.text(({ accountNumberSealed }, { sealer }) =>
    maskAccountNumber(sealer.open(accountNumberSealed)),
  ),
  accountNumber: f.textOrNull(
    ({ accountNumberSealed }, { sealer, scopes }) =>
      scopes.has('payouts:write') ? sealer.open(accountNumberSealed) : null,
    'Null without payouts:write.',
  ),
  accountName: f.text('accountName'),
  defaultSince: f.timeOrNull(
    'chosenAt',
    'When it was made your default account, or chosen for the subaccount. Null: not recorded.',
  ),
  blockedBy: f.textOrNull(
    (payee) => obstacleTo(payee) ?? null,
    'Why it cannot be paid to: bank_account_inactive, bank_account_mismatch, or ' +
      'bank_account_unconfirmed: no bank has confirmed its name, and another user must approve. ' +
      'Null: it can.',
  ),
}))

type SettlementDetail = Settlement & {
  payees: readonly Payee[]
  obstacle: RefusalCode | null
  revision: string
}

export const SettlementDetailView = view(
  'SettlementDetail',
  (f: Fields<SettlementDetail, PayeeContext>) => ({
    ...SettlementView.fields,
    // Payees without a bank account are left out; heldReason says that one is missing.
    payees: f.list(
      PayeeView,
      ({ payees }) => payees.filter((payee) => payee.bankAccount !== null) as PaidPayee[],
      'While it is closed: the bank accounts that it would be paid to if approved now.',
    ),
    revision: f.token('revision', REVISION_SAYS),
    cannotApprove: f.as(
      CannotApprove('Why you cannot approve it while it is closed. Null if you can.'),
      ({ obstacle }) => presentObstacle(obstacle),
    ),
  }),
)

const UpcomingPeriodView = view('UpcomingPeriod', (f: Fields<UpcomingSettlement>) => ({
  from: f.timeOrNull('periodFrom'),
}))

export const UpcomingView = view('UpcomingSettlement', (f: Fields<UpcomingSettlement>) => ({
  status: f.text(() => 'open', 'Always open.'),
  period: f.one(UpcomingPeriodView, (upcoming) => upcoming),
  currency: f.text('currency'),
  ...AmountsView.fields,
  lines: f.integer('lines', 'Number of credits.'),
  schedule: f.text('schedule'),
  closesAt: f.timeOrNull(({ next }) => next?.at ?? null, 'Null: not by itself.'),
  cutOff: f.timeOrNull(({ next }) => next?.cutOff ?? null, 'The cut-off it will have.'),
}))

export const LineView = view('SettlementLine', (f: Fields<SettlementLine, { sealer: Sealer }>) => ({
  kind: f.text('kind', `One of ${LINE_KINDS.join(', ')}.`),
  postedAt: f.time('postedAt'),
  subaccountCode: f.textOrNull('subaccountCode', 'Null: yours.'),
  creditId: f.integerOrNull(({ creditId }, { sealer }) =>
    creditId === null ? null : publicId(sealer, 'credit', creditId),
  ),
  sessionId: f.textOrNull('sessionId'),
  receivedAt: f.timeOrNull('receivedAt'),
  paymentReference: f.textOrNull('paymentReference'),
  merchantRef: f.textOrNull('merchantRef'),
  collectionAccountNumber: f.textOrNull('accountNumber'),
  merchantCode: f.textOrNull('merchantCode'),
  payoutReference: f.textOrNull('payoutReference'),
  gross: f.naira('grossKobo'),
  fee: f.naira('feeKobo'),
  vat: f.naira('vatKobo'),
  split: f.naira('splitKobo', 'To subaccounts. Below zero: from you to the subaccount.'),
  reversed: f.naira('reversedKobo'),
  other: f.naira('otherKobo', 'What the kind says. Below zero: taken.'),
  net: f.naira('netKobo', 'gross − fee − vat − split − reversed + other.'),
}))
