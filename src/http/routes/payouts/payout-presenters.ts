// Schemas and presenters of payouts. Account numbers are masked, except a client's own bank account for
// those who may pay out. The number of a payer, who gets a refund or a return, is never shown here: an
// operator who sends a return by hand reveals it there (I29).

import { Type } from '@fastify/type-provider-typebox'
import type { BankConnections } from '#banks/connector.ts'
import type { Queryable } from '#db/pool.ts'
import type { NameBank } from '#domain/payments/resource-presenters.ts'
import { BLOCKS, findBlock } from '#domain/payouts/blocked-payouts.ts'
import { type PayoutChange, readPayoutChanges } from '#domain/payouts/payout-changes.ts'
import {
  APPROVALS,
  PAYOUT_STATUSES,
  type Payout,
  PURPOSES,
  type Purpose,
} from '#domain/payouts/payouts.ts'
import { type StoredDecision, tellDecision } from '#domain/routing/tell-decision.ts'
import type { Identity } from '#http/authentication.ts'
import { parseWindow, WindowQuery } from '#http/lists.ts'
import { CannotApprove } from '#http/routes/suspense/approval-presenters.ts'
import { named, nullable, oneOf, text } from '#http/schemas.ts'
import { AmountQuery, parseAmounts } from '#http/summaries.ts'
import { maskAccountNumber } from '#mask.ts'
import { toNaira } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'
import { OpenFailure } from './payout-failure-presenters.ts'

const choice = <T extends string>(values: readonly T[], description: string) =>
  Type.Optional({
    ...oneOf(values, description),
    'x-says': `Must be one of ${values.join(', ')}.`,
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

// In place of what was asked for as text.
export function parsePayoutFilters<Asked extends FilterQuery>(asked: Asked) {
  const { from: _from, to: _to, minAmount: _min, maxAmount: _max, ...others } = asked
  return { ...others, ...parseWindow(asked), ...parseAmounts(asked) }
}

const ChangeBody = named('PayoutChange', {
  change: Type.String({
    description: 'The new status, or approved or rejected; routed: its bank was chosen.',
  }),
  changedBy: Type.String(),
  changedAt: Type.String(),
  detail: nullable('string', {
    description: 'The bank’s reference, the payout file, the reason, or the chosen bank and why.',
  }),
})

const Fields = {
  reference: Type.String({ description: 'Permanent reference; the bank pays it at most once.' }),
  purpose: Type.String({ description: `One of ${PURPOSES.join(', ')}.` }),
  status: Type.String({
    description:
      `One of ${PAYOUT_STATUSES.join(', ')}. unknown: the bank has not answered, and is being ` +
      'asked. Do not pay again.',
  }),
  approval: Type.String({ description: `One of ${APPROVALS.join(', ')}.` }),
  amount: Type.Number(),
  currency: Type.String(),
  fee: Type.Number({ description: 'Charged on top; given back if it fails or is cancelled.' }),
  vat: Type.Number({ description: 'VAT on the fee.' }),
  bankAccount: nullable('string', { description: 'Reference of the bank account.' }),
  toBankCode: Type.String(),
  toAccountNumberMasked: Type.String(),
  toAccountNumber: nullable('string', {
    description: 'Null without payouts:write, and for refunds and returns: it is the payer’s.',
  }),
  toAccountName: Type.String(),
  narration: Type.String(),
  bankReference: nullable('string', { description: 'Set once the bank confirms.' }),
  failureReason: nullable('string'),
  requestedBy: Type.String(),
  requestedAt: Type.String(),
  decidedBy: nullable('string', { description: 'Who approved or rejected it.' }),
  decidedAt: nullable('string'),
  sentAt: nullable('string', { description: 'When the bank was told to pay.' }),
  settledAt: nullable('string', { description: 'When it was confirmed, failed or cancelled.' }),
}

export const PayoutBody = named('Payout', Fields)

const DetailFields = {
  blockedBy: nullable('string', {
    description: `Why it waits: ${BLOCKS.join(', ')}. Null: it is not queued, or not blocked.`,
  }),
  history: Type.Array(ChangeBody, { description: 'What happened to it, in order.' }),
}

export const PayoutDetailBody = named('PayoutDetail', {
  ...Fields,
  ...DetailFields,
  cannotApprove: CannotApprove('Why you cannot approve it while it awaits that. Null if you can.'),
})

const OperatorFields = {
  ...Fields,
  clientId: nullable('string', { description: 'Null: a return of unidentified money.' }),
  bankCode: Type.String({ description: 'Bank that sends it.' }),
  bankCost: Type.Number({ description: 'What the bank charged: fee and stamp duty.' }),
  bankCostVat: Type.Number({ description: 'VAT on the bank’s fee.' }),
  settledBy: nullable('string'),
  payoutFile: nullable('string', {
    description: 'Payout file that it is in. Null: in none, or not sent in a file.',
  }),
  queries: Type.Integer({ description: 'How often the bank was asked what became of it.' }),
  nextQueryAt: nullable('string', {
    description: 'When it is asked next. Null: it is not unknown, or its bank cannot be asked.',
  }),
}

export const OperatorPayoutBody = named('OperatorPayout', OperatorFields)
export const OperatorPayoutDetailBody = named('OperatorPayoutDetail', {
  ...OperatorFields,
  ...DetailFields,
  failureRequest: OpenFailure,
})

const TO_PAYER: ReadonlySet<Purpose> = new Set(['refund', 'return'])

type Showing = { sealer: Sealer; by: Pick<Identity, 'scopes'> }

export function presentPayout(payout: Payout, { sealer, by }: Showing) {
  const number = sealer.open(payout.toAccountSealed)
  const isShown = by.scopes.has('payouts:write') && !TO_PAYER.has(payout.purpose)
  return {
    reference: payout.reference,
    purpose: payout.purpose,
    status: payout.status,
    approval: payout.approval,
    amount: toNaira(payout.amountKobo),
    currency: payout.currency,
    fee: toNaira(payout.feeKobo),
    vat: toNaira(payout.vatKobo),
    bankAccount: payout.bankAccountReference,
    toBankCode: payout.toBankCode,
    toAccountNumberMasked: maskAccountNumber(number),
    toAccountNumber: isShown ? number : null,
    toAccountName: payout.toAccountName,
    narration: payout.narration,
    bankReference: payout.bankReference,
    failureReason: payout.failureReason,
    requestedBy: payout.requestedBy,
    requestedAt: timestamp(payout.requestedAt),
    decidedBy: payout.decidedBy,
    decidedAt: payout.decidedAt && timestamp(payout.decidedAt),
    sentAt: payout.sendingAt && timestamp(payout.sendingAt),
    settledAt: payout.settledAt && timestamp(payout.settledAt),
  }
}

type ShowingAll = Showing & { bankConnections: BankConnections }

export function presentOperatorPayout(payout: Payout, showing: ShowingAll) {
  const { bankCode, nextQueryAt } = payout
  const canBeAsked = showing.bankConnections.get(bankCode)?.calls.findPayout !== undefined
  return {
    ...presentPayout(payout, showing),
    clientId: payout.clientName,
    bankCode,
    bankCost: toNaira(payout.costKobo),
    bankCostVat: toNaira(payout.costVatKobo),
    settledBy: payout.settledBy,
    payoutFile: payout.fileReference,
    queries: payout.queries,
    nextQueryAt: canBeAsked && nextQueryAt ? timestamp(nextQueryAt) : null,
  }
}

// What is shown of one payout beyond what lists show.
export async function readDetail(db: Queryable, nameBank: NameBank, { id }: Payout) {
  const changes = await readPayoutChanges(db, id)
  const history = changes.map((change) => presentChange(change, nameBank))
  return { blockedBy: await findBlock(db, id), history }
}

function presentChange({ change, changedBy, changedAt, detail }: PayoutChange, nameBank: NameBank) {
  const words = change === 'routed' && detail ? tellRouting(detail, nameBank) : detail
  return { change, changedBy, changedAt: timestamp(changedAt), detail: words }
}

function tellRouting(detail: string, nameBank: NameBank): string {
  const { bank, ...decision } = JSON.parse(detail) as StoredDecision & { bank: string }
  return `${nameBank(bank)}. ${tellDecision(decision, { kind: 'payout', nameBank })}`
}
