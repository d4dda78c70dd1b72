// Views of payouts, bank accounts and requests to fail payouts, and the filters of payouts. Account numbers
// are masked, except a client's own bank account for callers with payouts:write. The account number of a
// payer, which refunds and returns go to, is never shown here (I29).

import { type Static, Type } from '@fastify/type-provider-typebox'
import {
  approvalFields,
  CannotApprove,
  DecidedFields,
  presentObstacle,
  REVISION_SAYS,
  RequestedFields,
} from '#approvals/views.ts'
import type { BankConnections } from '#banks/connector.ts'
import { findBank, type NameBank } from '#banks/directory.ts'
import { nubanCheckDigit } from '#banks/nuban.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { type FieldError, Refusal, type RefusalCode } from '#errors.ts'
import type { Identity } from '#http/authentication.ts'
import { AmountQuery, choice, parseAmounts, parseWindow, WindowQuery } from '#http/lists.ts'
import { accountNumber, institutionCode, namedBody, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { describeDecision, type StoredDecision } from '#routing/decision.ts'
import { maskAccountNumber, type Sealer } from '#seal.ts'
import type { BankAccount, BankAccountStatus } from './bank-accounts.ts'
import { FAILURE_STATES, type PayoutFailure } from './failures.ts'
import { BLOCKS } from './holds.ts'
import { APPROVALS, type Payout, PURPOSES } from './payout.ts'
import type { PayoutDetail } from './queries.ts'
import { PAYOUT_STATUSES, type PayoutChange } from './states.ts'

export const REASON_MAX = 500
const EVIDENCE_MAX = 400

export const Evidence = text(
  EVIDENCE_MAX,
  'What the bank said: who, when, and under which reference. Shown to the approver.',
)

export const PayoutFailureView = view('RequestedFailure', (f: Fields<PayoutFailure>) => ({
  reference: f.text('reference', 'PFR and digits.'),
  payout: f.textOrNull('payout', 'Payout that is to fail. Null: those of a file.'),
  payoutFile: f.textOrNull('payoutFile', 'File whose open payouts are to fail.'),
  amount: f.naira('amountKobo', 'That becomes available again.'),
  reason: f.textOrNull('reason', 'Of a payout: shown to the client.'),
  evidence: f.text('evidence', 'What the bank said.'),
  state: f.text('state', `One of ${FAILURE_STATES.join(', ')}.`),
  ...RequestedFields,
  ...approvalFields('open'),
  ...DecidedFields,
}))

export const OpenFailure = Type.Union([PayoutFailureView.schema, Type.Null()], {
  description: 'Open request to fail it. Null: there is none.',
})

export const PayoutFilters = {
  status: choice(PAYOUT_STATUSES, 'Filter by status.'),
  approval: choice(APPROVALS, 'Filter by approval. needed: awaiting approval, while queued.'),
  purpose: choice(PURPOSES, 'Filter by purpose.'),
  recipient: Type.Optional(text(100, 'Part of the recipient’s name, case-insensitive.')),
  ...AmountQuery,
  ...WindowQuery,
}

type FilterQuery = Parameters<typeof parseAmounts>[0] & Parameters<typeof parseWindow>[0]

// Replaces the window and the amounts of a query by their parsed values, and keeps all other filters.
export function parsePayoutFilters<Query extends FilterQuery>(query: Query) {
  const { from: _from, to: _to, minAmount: _min, maxAmount: _max, ...otherFilters } = query
  return { ...otherFilters, ...parseWindow(query), ...parseAmounts(query) }
}

type PayoutContext = Pick<Identity, 'scopes'> & {
  sealer: Sealer
  nameBank: NameBank
  bankConnections: BankConnections
}

const ChangeView = view('PayoutChange', (f: Fields<PayoutChange, PayoutContext>) => ({
  change: f.text('change', 'The new status, or approved or rejected; routed: its bank was chosen.'),
  changedBy: f.text('changedBy'),
  changedAt: f.time('changedAt'),
  detail: f.textOrNull(
    ({ change, detail }, { nameBank }) =>
      change === 'routed' && detail ? describeRouting(detail, nameBank) : detail,
    'The bank’s reference, the payout file, the reason, or the chosen bank and why.',
  ),
}))

// Says in a sentence why routing chose the payout's bank.
function describeRouting(detail: string, nameBank: NameBank): string {
  const { bank, ...decision } = JSON.parse(detail) as StoredDecision & { bank: string }
  return `${nameBank(bank)}. ${describeDecision(decision, { kind: 'payout', nameBank })}`
}

// Refunds and returns go to a payer, whose account number the client must not see.
const goesToPayer = ({ purpose }: Payout) => purpose === 'refund' || purpose === 'return'

export const PayoutView = view('Payout', (f: Fields<Payout, PayoutContext>) => ({
  reference: f.text('reference', 'Permanent reference; the bank pays it at most once.'),
  purpose: f.text('purpose', `One of ${PURPOSES.join(', ')}.`),
  status: f.text(
    'status',
    `One of ${PAYOUT_STATUSES.join(', ')}. unknown: the bank has not answered, and is being ` +
      'asked. Do not pay again.',
  ),
  approval: f.text('approval', `One of ${APPROVALS.join(', ')}.`),
  amount: f.naira('amountKobo'),
  currency: f.text('currency'),
  fee: f.naira('feeKobo', 'Charged on top; given back if it fails or is cancelled.'),
  vat: f.naira('vatKobo', 'VAT on the fee.'),
  bankAccount: f.textOrNull('bankAccountReference', 'Reference of the bank account.'),
  toBankCode: f.text('toBankCode'),
  toAccountNumberMasked: f.text(({ toAccountSealed }, { sealer }) =>
    maskAccountNumber(sealer.open(toAccountSealed)),
  ),
  toAccountNumber: f.textOrNull(
    (payout, { sealer, scopes }) =>
      scopes.has('payouts:write') && !goesToPayer(payout)
        ? sealer.open(payout.toAccountSealed)
        : null,
    'Null without payouts:write, and for refunds and returns: it is the payer’s.',
  ),
  toAccountName: f.text('toAccountName'),
  narration: f.text('narration'),
  bankReference: f.textOrNull('bankReference', 'Set once the bank confirms.'),
  failureReason: f.textOrNull('failureReason'),
  requestedBy: f.text('requestedBy'),
  requestedAt: f.time('requestedAt'),
  decidedBy: f.textOrNull('decidedBy', 'Who approved or rejected it.'),
  decidedAt: f.timeOrNull('decidedAt'),
  sentAt: f.timeOrNull('sendingAt', 'When the bank was told to pay.'),
  settledAt: f.timeOrNull('settledAt', 'When it was confirmed, failed or cancelled.'),
}))

const DetailFieldsView = view(undefined, (f: Fields<PayoutDetail, PayoutContext>) => ({
  blockedBy: f.textOrNull(
    'blockedBy',
    `Why it waits: ${BLOCKS.join(', ')}. Null: it is not queued, or not blocked.`,
  ),
  history: f.list(ChangeView, 'history', 'What happened to it, in order.'),
}))

type ClientPayout = PayoutDetail & { obstacle: RefusalCode | null; revision: string }

export const PayoutDetailView = view('PayoutDetail', (f: Fields<ClientPayout, PayoutContext>) => ({
  ...PayoutView.fields,
  ...DetailFieldsView.fields,
  revision: f.token('revision', REVISION_SAYS),
  cannotApprove: f.as(
    CannotApprove('Why you cannot approve it while it awaits that. Null if you can.'),
    ({ obstacle }) => presentObstacle(obstacle),
  ),
}))

export const OperatorPayoutView = view('OperatorPayout', (f: Fields<Payout, PayoutContext>) => ({
  ...PayoutView.fields,
  clientId: f.textOrNull('clientName', 'Null: a return of unidentified money.'),
  bankCode: f.text('bankCode', 'Bank that sends it.'),
  bankCost: f.naira('costKobo', 'What the bank charged: fee and stamp duty.'),
  bankCostVat: f.naira('costVatKobo', 'VAT on the bank’s fee.'),
  settledBy: f.textOrNull('settledBy'),
  payoutFile: f.textOrNull(
    'fileReference',
    'Payout file that it is in. Null: in none, or not sent in a file.',
  ),
  queries: f.integer('queries', 'How often the bank was asked what became of it.'),
  nextQueryAt: f.timeOrNull(
    ({ bankCode, nextQueryAt }, { bankConnections }) =>
      bankConnections.get(bankCode)?.calls.findPayout ? nextQueryAt : null,
    'When it is asked next. Null: it is not unknown, or its bank cannot be asked.',
  ),
}))

type AnyPayout = PayoutDetail & { failure: PayoutFailure | null }

export const OperatorPayoutDetailView = view(
  'OperatorPayoutDetail',
  (f: Fields<AnyPayout, PayoutContext>) => ({
    ...OperatorPayoutView.fields,
    ...DetailFieldsView.fields,
    failureRequest: f.as(
      OpenFailure,
      ({ failure }) => failure && PayoutFailureView.present(failure),
    ),
  }),
)

const NAME_MAX = 100
const BANK_CODE_DIGITS = 3
const STATUSES: readonly BankAccountStatus[] = ['confirmed', 'mismatch', 'unconfirmed']

export const BankAccountRequest = namedBody('BankAccountRequest', {
  bankCode: institutionCode(
    'CBN code (3 or 5 digits), NIP code (6 digits) or a known alias: see GET /api/v1/banks.',
  ),
  accountNumber: accountNumber('Account number: ten digits, of wallets the telephone number.'),
  accountName: text(NAME_MAX, 'Name of the account holder, as the bank has it.'),
})

type AccountContext = Pick<Identity, 'scopes'> & { sealer: Sealer; nameBank: NameBank }

export const BankAccountView = view('BankAccount', (f: Fields<BankAccount, AccountContext>) => ({
  reference: f.text('reference'),
  bankCode: f.text('bankCode', 'As `code` in GET /api/v1/banks.'),
  bankName: f.textOrNull(
    ({ bankCode }, { nameBank }) => findBank(bankCode)?.name ?? nameBank(bankCode),
  ),
  accountNumberMasked: f.text(({ accountNumberSealed }, { sealer }) =>
    maskAccountNumber(sealer.open(accountNumberSealed)),
  ),
  accountNumber: f.textOrNull(
    ({ accountNumberSealed }, { sealer, scopes }) =>
      scopes.has('payouts:write') ? sealer.open(accountNumberSealed) : null,
    'Null without payouts:write.',
  ),
  accountName: f.text('accountName', 'As you gave it.'),
  nameAtBank: f.textOrNull(
    ({ nameAtBank }) => nameAtBank || null,
    'As the bank has it. Null: no answer yet, or the bank does not know the account.',
  ),
  status: f.text(
    'status',
    `One of ${STATUSES.join(', ')}. mismatch: the bank has another name for it, or does not know ` +
      'it, and nothing is paid to it. unconfirmed: no bank has answered. Banks that can be asked are ' +
      'asked again; until one answers, another user must approve payouts and settlements to it.',
  ),
  isDefault: f.flag('isDefault'),
  isActive: f.flag('isActive'),
  createdAt: f.time('createdAt'),
  enquiredAt: f.timeOrNull('enquiredAt', 'When the bank answered.'),
}))

// Accepts any known code of an institution and returns the institution's own code. Refuses an account number
// with a wrong NUBAN check digit if the institution uses NUBAN.
export function parseBankAccount(
  body: Static<typeof BankAccountRequest>,
  banks: readonly BankSettings[],
) {
  const { bankCode: code, accountNumber: number } = body
  const bank = findBank(code)
  const isConfigured = banks.some((configured) => configured.code === code)
  if (!isConfigured && (!bank || bank.canBePaid === false)) throw new Refusal('bank_not_supported')
  // A configured bank outside the directory has only its code, which is a CBN code if it has three digits.
  const hasCheckDigit = bank ? bank.checksNuban === true : code.length === BANK_CODE_DIGITS
  const cbnCode = bank?.cbnCode ?? code // The check digit is computed over the CBN code and the serial.
  if (hasCheckDigit && nubanCheckDigit(cbnCode, number.slice(0, -1)) !== number.slice(-1)) {
    const message = 'Is not an account number of this bank: the check digit is wrong.'
    throw new Refusal('invalid_request', [
      { field: 'accountNumber', message },
    ] satisfies FieldError[])
  }
  return { ...body, bankCode: bank?.code ?? code }
}
