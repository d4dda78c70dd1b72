// /api/v1/payouts: create, read, cancel, approve and reject a client's payouts. Workers send them. Only users
// approve and reject: client credentials are not a second person.

import { Type } from '@fastify/type-provider-typebox'
import { ApprovalBody, requireApprover, requireUser, toViewer } from '#approvals/views.ts'
import type { NameAnswer } from '#banks/connector.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import { scopeRefusal } from '#http/authentication.ts'
import { withCaller } from '#http/caller.ts'
import { SUMMARISED } from '#http/lists.ts'
import { type Call, resource } from '#http/resource.ts'
import { Amount, digits, namedBody, strictObject, text } from '#http/schemas.ts'
import { CURRENCY, type Kobo, koboOf } from '#money.ts'
import {
  approvePayout,
  cancelPayout,
  findApprovalObstacle,
  payoutRevision,
  rejectPayout,
} from './approve.ts'
import { type BankAccount, getBankAccount, recordNameAnswer } from './bank-accounts.ts'
import { enquireName } from './name-enquiries.ts'
import { awaitsApproval } from './payout.ts'
import { listPayouts, readPayoutDetail, summarizePayouts } from './queries.ts'
import { requestPayout } from './request.ts'
import {
  PayoutDetailView,
  PayoutFilters,
  PayoutView,
  parsePayoutFilters,
  REASON_MAX,
} from './views.ts'

const NARRATION_MAX = 100 // The most that NIP carries.
const REFERENCE_MAX = 40

const PayoutRequest = namedBody('PayoutRequest', {
  bankAccount: Type.Optional(
    text(REFERENCE_MAX, 'Reference of one of your bank accounts. Default: your default one.'),
  ),
  amount: Amount,
  currency: Type.Optional(
    digits('^[A-Z]{3}$', `ISO 4217 code. Default ${CURRENCY}.`, 'Must be a currency code.'),
  ),
  narration: text(NARRATION_MAX, 'Shown on the recipient’s statement.'),
})

export const payouts = resource('/api/v1/payouts', {
  tag: 'Payouts',
  noun: 'payout',
  view: PayoutView,
  scopes: { read: 'payouts:read', write: 'payouts:write' },
  params: { reference: String },
  isForWholeClient: true,
})
  .create('createPayout', {
    summary: 'Create a payout',
    description:
      'Amount, fee and VAT leave the available balance at once, or it is refused ' +
      '(insufficient_balance); what you owe, and what the operator keeps back, stays there. Sent within ' +
      'seconds, unless it needs approval. At most once: a payout that failed is retried by creating another.',
    body: PayoutRequest,
    view: PayoutDetailView,
    errors: [
      'bank_account_inactive',
      'bank_account_mismatch',
      'bank_account_needed',
      'bank_account_not_found',
      'bank_account_unknown',
      'client_suspended',
      'daily_payout_limit',
      'insufficient_balance',
      'payout_limit',
      'reserve_floor_reached',
    ],
    pool: 'batchPool',
    prepare: (call) => confirmAccount(call, call.body.bankAccount),
    run: async (tx, call) => {
      const { client, actor, userId, body, prepared } = call
      const { narration, currency = CURRENCY } = body
      const { account, answer } = prepared
      if (answer?.status === 'not_found') throw new Refusal('bank_account_unknown')
      const amountKobo = koboOf(body.amount) as Kobo // The schema has checked it.
      const bankAccountId = account.id
      const order = { client, actor, userId, bankAccountId, amountKobo, currency, narration }
      return readDetail(tx, call, await requestPayout(tx, call, order))
    },
  })
  .summary('summarizePayouts', {
    summary: 'Count and add up payouts',
    description: SUMMARISED,
    filters: PayoutFilters,
    run: (db, { clientId, query }) =>
      summarizePayouts(db, { ...parsePayoutFilters(query), clientId }),
  })
  .list('listPayouts', {
    exportAs: 'exportPayouts',
    summary: 'List payouts, newest first',
    description: 'Those of settlements and refunds included.',
    filters: PayoutFilters,
    isOrdered: true,
    rows: (db, { clientId, query, order, after, limit }) =>
      listPayouts(db, { ...parsePayoutFilters(query), clientId, order, after, limit }),
  })
  .get('getPayout', {
    summary: 'Retrieve a payout',
    description: 'Its state and, once settled, the bank’s reference or the reason why it failed.',
    view: PayoutDetailView,
    errors: ['payout_not_found'],
    run: (db, call) => readDetail(db, call, call.params.reference),
  })
  .act('cancelPayout', {
    path: '/:reference/cancel',
    summary: 'Cancel a payout',
    description:
      'While it is queued. The money, fee and VAT are available again. One of a settlement or ' +
      'refund only while it is blocked (blockedBy).',
    body: strictObject({ reason: Type.Optional(text(REASON_MAX, 'Reason.')) }),
    view: PayoutDetailView,
    errors: ['payout_may_have_been_sent', 'payout_not_found', 'payout_not_queued'],
    message: 'Payout cancelled successfully',
    pool: 'batchPool',
    run: async (tx, call) => {
      const { reference } = call.params
      const { reason = 'Cancelled.' } = call.body
      await cancelPayout(tx, { ...call, hooks: call.payoutHooks }, { reference, reason })
      return readDetail(tx, call, reference)
    },
  })
  .act('approvePayout', {
    path: '/:reference/approve',
    summary: 'Approve a payout',
    description: 'Only by a user who neither created it nor chose its bank account.',
    isForPeople: true,
    guard: () => requireUser,
    body: ApprovalBody,
    view: PayoutDetailView,
    errors: [
      'second_approver_needed',
      'approver_chose_account',
      'approver_gave_access',
      'approver_not_independent',
      'approver_too_new',
      'maker_counts_as_you',
      'bank_account_inactive',
      'bank_account_mismatch',
      'client_held',
      'client_suspended',
      'other_person_needed',
      'payout_decided',
      'payout_not_found',
      'refund_credit_reversed',
      'request_changed',
    ],
    message: 'Payout approved successfully',
    pool: 'batchPool',
    run: async (tx, call) => {
      const { reference } = call.params
      const { revision } = call.body
      await approvePayout(tx, requireApprover(call, call), { reference, revision })
      return readDetail(tx, call, reference)
    },
  })
  .act('rejectPayout', {
    path: '/:reference/reject',
    summary: 'Reject a payout',
    description: 'It is cancelled: money, fee and VAT are available again.',
    isForPeople: true,
    guard: () => requireUser,
    body: strictObject({ reason: text(REASON_MAX, 'Reason, shown to the maker.') }),
    view: PayoutDetailView,
    errors: [
      'other_person_needed',
      'payout_decided',
      'payout_may_have_been_sent',
      'payout_not_found',
    ],
    message: 'Payout rejected successfully',
    pool: 'batchPool',
    run: async (tx, call) => {
      const { sharedAccounts, payoutHooks: hooks, params, body } = call
      const by = { ...requireApprover(call, call), sharedAccounts, hooks }
      await rejectPayout(tx, by, { reference: params.reference, reason: body.reason })
      return readDetail(tx, call, params.reference)
    },
  })

// If an account is unconfirmed, or the bank did not know it, asks the bank again. The answer stays recorded
// even if the payout is refused.
async function confirmAccount(
  call: Call,
  reference: string | undefined,
): Promise<{ account: BankAccount; answer?: NameAnswer }> {
  const { db, batchPool, sealer, clock, bankConnections, clientId, request } = call
  const account = await getBankAccount(db, clientId, reference)
  if (account.status !== 'unconfirmed' && account.nameAtBank !== '') return { account }
  const answer = await enquireName(db, bankConnections, {
    bankCode: account.bankCode,
    accountNumber: sealer.open(account.accountNumberSealed),
    expectedName: account.accountName,
  })
  if (answer.status !== 'no_answer') {
    await withCaller(call, { request, pool: batchPool }, (tx) =>
      recordNameAnswer(tx, clock(), { account, answer }),
    )
  }
  return { account, answer }
}

// Reads a payout with the reason why the caller cannot approve it. That reason is null if the caller can
// approve it, or if it awaits no approval.
async function readDetail(db: Queryable, call: Call, reference: string) {
  const payout = await readPayoutDetail(db, { reference, clientId: call.clientId })
  const obstacle = awaitsApproval(payout)
    ? (scopeRefusal(call, 'payouts:write') ??
      (await findApprovalObstacle(db, toViewer(call, call), payout.id)))
    : null
  return { ...payout, obstacle, revision: payoutRevision(payout) }
}
