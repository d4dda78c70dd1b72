// /api/v1/operator/returns: returns that operators execute at the banks, and the outcomes that they report.

import { Type } from '@fastify/type-provider-typebox'
import { RETURN_STATUSES } from '#credits/states.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { Identity } from '#http/authentication.ts'
import { withCaller } from '#http/caller.ts'
import type { Deps } from '#http/deps.ts'
import { choice, flag, parseWindow, WindowQuery } from '#http/lists.ts'
import { type Call, resource } from '#http/resource.ts'
import { digits, strictObject, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { publicId } from '#ids.ts'
import { arePayoutsHeld } from '#payouts/holds.ts'
import { PAYOUT_STATUSES } from '#payouts/states.ts'
import { recordActions } from '#records/audit-log.ts'
import { awaitHolders } from '#records/call-rates.ts'
import { maskAccountNumber, type Sealer } from '#seal.ts'
import {
  findBlocks,
  findReturn,
  isReturnReference,
  listReturns,
  type Return,
  SENDERS,
  type Sender,
  senderOf,
} from './return.ts'
import { settleByHand, type Verdict } from './settle.ts'

const BANK_REFERENCE_MAX = 100
const REASON_MAX = 500

// The query parameter that reveals payers' account numbers.
const RevealQuery = flag(
  'true: show payerAccountNumber in full. Requires returns:write; every disclosure is recorded in ' +
    'the audit log.',
)

// A return as a response shows it. `isRevealed`: the payer's account number is shown in full.
type ShownReturn = Return & { sentBy: Sender | null; isRevealed?: boolean }
type Context = { sealer: Sealer }

// Opens the payer's sealed account number; null if the payer is unknown.
function openPayerNumber({ payerAccountSealed }: Return, { sealer }: Context): string | null {
  return payerAccountSealed && sealer.open(payerAccountSealed)
}

const ReturnView = view('Return', (f: Fields<ShownReturn, Context>) => ({
  reference: f.text('reference', 'Permanent reference; pass it to the bank with the instruction.'),
  status: f.text('status', `One of ${RETURN_STATUSES.join(', ')}.`),
  sentBy: f.textOrNull(
    'sentBy',
    `Who sends it, or has sent it, while it is pending: ${SENDERS.join(', ')}. Only what is ` +
      'the operator’s is sent by hand. Null: it is settled.',
  ),
  payoutStatus: f.textOrNull(
    'payoutStatus',
    `Status of its payout, of the same reference: ${PAYOUT_STATUSES.join(', ')}. Null: it has ` +
      'none.',
  ),
  blockedBy: f.textOrNull(
    'blockedBy',
    'client_suspended: do not send it before the client is resumed. client_held: nor before the hold ' +
      'of the client ends. payout_under_review: nor before its screening is decided. ' +
      'return_credit_reversed: the ' +
      'bank has reversed the credit, so the payer has the money. Do not send it; fail the return. ' +
      'return_may_have_been_sent: it is older than the restored or moved database. Ask the bank, then ' +
      'confirm or fail it.',
  ),
  amount: f.naira('amountKobo'),
  currency: f.text('currency'),
  bankCode: f.text('bankCode', 'Bank that holds and returns the money.'),
  sessionId: f.text('sessionId', 'Session ID of the returned credit.'),
  payerName: f.textOrNull('payerName'),
  payerBankCode: f.textOrNull('payerBankCode'),
  payerAccountNumberMasked: f.textOrNull((row, context) => {
    const number = openPayerNumber(row, context)
    return number && maskAccountNumber(number)
  }),
  payerAccountNumber: f.textOrNull(
    (row, context) => (row.isRevealed ? openPayerNumber(row, context) : null),
    'Null unless reveal=true, while it is not to be sent by hand (sentBy, blockedBy), and of ' +
      'what is pending while payouts are held.',
  ),
  narration: f.textOrNull('narration'),
  clientId: f.textOrNull('clientId', 'Owner of the suspense item. Null: unidentified.'),
  suspenseId: f.integer(({ itemId }, { sealer }) => publicId(sealer, 'suspense', itemId)),
  creditId: f.integer(({ creditId }, { sealer }) => publicId(sealer, 'credit', creditId)),
  bankReference: f.textOrNull('bankReference', 'Set once the bank confirms.'),
  failureReason: f.textOrNull('failureReason'),
  requestedBy: f.textOrNull('requestedBy'),
  requestedAt: f.time('requestedAt'),
  settledBy: f.textOrNull('settledBy'),
  settledAt: f.timeOrNull('settledAt'),
}))

function requireReturnReference(text: string): string {
  if (!isReturnReference(text)) throw new Refusal('return_not_found')
  return text
}

// Payers' account numbers are masked unless the caller reveals them. Revealing needs returns:write, and the
// audit log records each number. If a connector or file sends the return, its number is never revealed, so
// that no operator also pays it by hand. While payouts are held, no number of a pending return is revealed
// (I82).
export const returns = resource('/api/v1/operator/returns', {
  tag: 'Operator',
  noun: 'return',
  view: ReturnView,
  scopes: { read: 'returns:read', write: 'returns:write' },
  params: { reference: requireReturnReference },
})
  .list('listReturns', {
    exportAs: 'exportReturns',
    summary: 'List returns, newest first',
    description: 'Suspended money on its way back to payers, and what became of it.',
    filters: {
      status: choice<Return['status']>(RETURN_STATUSES),
      bankCode: Type.Optional(digits('^[0-9]{3,6}$', 'Filter by bank.', 'Must be a bank code.')),
      ...WindowQuery,
      reveal: RevealQuery,
    },
    unbound: ['reveal'],
    rows: async (db, call) => {
      const { query, after: beforeId, limit } = call
      const { status, bankCode, reveal: revealFlag } = query
      const isRevealed = mayReveal(call, revealFlag)
      const filters = { status, bankCode, ...parseWindow(query) }
      const rows = await listReturns(db, { ...filters, beforeId, limit })
      // The query reads one row more than the page shows, to know whether there is a next page.
      const revealed = isRevealed
        ? await checkReveal(call, call, rows.slice(0, limit - 1))
        : undefined
      return rows.map((row) => {
        return { ...row, sentBy: findSender(call, row), isRevealed: revealed?.get(row) === null }
      })
    },
  })
  .get('getReturn', {
    summary: 'Retrieve a return',
    description: 'Its amount, state and the bank’s reference or reason.',
    query: { reveal: RevealQuery },
    errors: [
      'client_held',
      'client_suspended',
      'payout_under_review',
      'payouts_held',
      'return_credit_reversed',
      'return_may_have_been_sent',
      'return_not_by_hand',
      'return_not_found',
    ],
    run: async (db, call) => {
      const isRevealed = mayReveal(call, call.query.reveal)
      const storedReturn = await findReturn(db, call.params.reference)
      if (!storedReturn) throw new Refusal('return_not_found')
      const concealment =
        isRevealed && (await checkReveal(call, call, [storedReturn])).get(storedReturn)
      if (concealment) throw new Refusal(concealment)
      return { ...storedReturn, sentBy: findSender(call, storedReturn), isRevealed }
    },
  })
  .act('confirmReturn', {
    path: '/:reference/confirm',
    summary: 'Confirm a return',
    description:
      'The bank has returned the money. Idempotent. bankReference defaults to reference.',
    pool: 'batchPool',
    body: strictObject({
      bankReference: Type.Optional(text(BANK_REFERENCE_MAX, 'The bank’s own reference.')),
    }),
    errors: ['payout_under_review', 'return_confirmed', 'return_failed', 'return_not_found'],
    message: 'Return confirmed successfully',
    run: (tx, call) => {
      const { bankReference = call.params.reference } = call.body
      return settleAsReported(tx, call, { status: 'confirmed', bankReference })
    },
  })
  .act('failReturn', {
    path: '/:reference/fail',
    summary: 'Fail a return',
    description:
      'The money goes back to suspense; the client is notified (credit.return_failed). Idempotent. ' +
      'Two people fail what the bank may have, as a payout (return_may_be_paid).',
    pool: 'batchPool',
    body: strictObject({ reason: text(REASON_MAX, 'Failure reason, shown to the client.') }),
    errors: [
      'payout_under_review',
      'return_confirmed',
      'return_may_be_paid',
      'return_not_found',
      'return_sending',
    ],
    message: 'Return failed',
    run: (tx, call) => settleAsReported(tx, call, { status: 'failed', reason: call.body.reason }),
  })

// Settles a return as the operator reports it: the routes confirmReturn and failReturn call it. Returns the
// settled return, which no longer has a sender.
async function settleAsReported(
  tx: Transaction,
  { sharedAccounts, now, client: by, actor, params }: Call<{ reference: () => string }>,
  verdict: Verdict,
): Promise<ShownReturn> {
  const { reference } = params
  await settleByHand(tx, { sharedAccounts, now, by, actor }, { reference, verdict })
  return { ...((await findReturn(tx, reference)) as Return), sentBy: null }
}

// Returns who sends a pending return: the bank's connector, a file, or an operator by hand. Returns null for
// a settled return.
function findSender({ banks, bankConnections }: Deps, storedReturn: Return): Sender | null {
  return senderOf(storedReturn, (bankCode) => {
    if (banks.find(({ code }) => code === bankCode)?.payoutFiles) return 'file'
    return bankConnections.get(bankCode)?.calls.sendMoney ? 'connector' : 'operator'
  })
}

// Whether the request asks to reveal payers' numbers. Refuses a caller who may not.
function mayReveal({ scopes, isPerson }: Identity, reveal: string | undefined): boolean {
  if (reveal !== 'true') return false
  if (!scopes.has('returns:write'))
    throw new Refusal(isPerson ? 'role_not_allowed' : 'scope_missing')
  return true
}

// Returns for each return the reason why its payer's number is concealed, or null if it may be shown. Writes
// the numbers that may be shown to the audit log, and commits before the caller shows any. First waits for
// operations that stop payouts, and then reads again why each return must not be sent (findBlocks).
async function checkReveal(
  deps: Call,
  by: Identity,
  rows: readonly Return[],
): Promise<Map<Return, RefusalCode | null>> {
  return withCaller(deps, { request: deps.request, pool: deps.db }, async (tx) => {
    await awaitHolders(tx)
    const now = deps.clock()
    const isHeld = await arePayoutsHeld(tx)
    const references = rows.map(({ reference }) => reference)
    const blocks = await findBlocks(tx, now, references)
    // The number of a settled return, which has no sender (null), may be shown.
    const concealments = rows.map((row): [Return, RefusalCode | null] => {
      const block = blocks.get(row.reference)
      if (block) return [row, block]
      if (![null, 'operator'].includes(findSender(deps, row))) return [row, 'return_not_by_hand']
      return [row, isHeld && row.status === 'pending' ? 'payouts_held' : null]
    })
    const revealable = concealments.flatMap(([row, reason]) => (reason === null ? row : []))
    const withNumber = revealable.filter(({ payerAccountSealed }) => payerAccountSealed !== null)
    await recordActions(
      tx,
      now,
      withNumber.map(({ reference }) => ({
        clientId: by.client.id,
        actor: by.actor,
        action: 'return.reveal',
        subject: `return/${reference}`,
        detail: {},
      })),
    )
    return new Map(concealments)
  })
}
