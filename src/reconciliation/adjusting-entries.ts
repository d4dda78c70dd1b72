// Adjusting entries bring the ledger's bank balance to the statement's, for a difference that no booking
// explains. One user requests the entry, and another, independent user approves it (I110):
//
//   the statement has less   Due from bank, Bank charges, Input VAT, Write-off or Due to bank → Bank
//   the statement has more   Bank → Due to bank, or → another of these accounts, up to its balance
//
// An entry has exactly the amount of its difference (I111), which it clears:
//
//   of a line       the entry is paired with the line (pairBooking in resolutions.ts)
//   of an item      the entry and the item offset each other
//   of a statement  the entry explains the gap, so find-differences.ts stops reporting the gap
//
// Locks: the matching of the bank, the difference, the entry, then ledger accounts.

import { type Checker, type Request, type Verb, Workflow } from '#approvals/workflow.ts'
import { lockBalances } from '#credits/reversal.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type DifferenceId, newReference, type UserId } from '#ids.ts'
import { bankOwner, type SharedAccount, type SharedAccounts } from '#ledger/accounts.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import {
  type AdjustingAccount,
  type Difference,
  type DifferenceKind,
  isAdjustable,
  isStanding,
  lockDifference,
} from './difference.ts'
import { postBooking, writeChange } from './resolutions.ts'
import { transition } from './states.ts'

export type AdjustingEntry = Request & {
  reference: string
  differenceId: DifferenceId
  bankCode: string
  currency: string
  day: string
  kind: DifferenceKind
  account: AdjustingAccount
  amountKobo: Kobo
  reason: string
  requestedByUser: UserId
}

type Deps = { sharedAccounts: SharedAccounts }

export const adjustingEntries = new Workflow<AdjustingEntry, Deps>({
  table: 'adjusting_entries',
  key: 'reference',
  columns: `r.reference, r.difference_id, d.bank_code, d.currency, d.day::text as day, d.kind,
    r.account, r.amount_kobo, r.reason, r.requested_by_user`,
  joins: 'join differences d on d.id = r.difference_id',
  obstacle: `case when d.state = 'cleared' then 'difference_resolved'
                  when d.amount_kobo <> r.amount_kobo then 'entry_not_the_difference' end`,
  notFound: 'entry_not_found',
  lock: (tx, { differenceId }) => lockDifference(tx, differenceId),
  perform: postEntry,
  audit,
})

// Returns the entry of the audit log for a request, an approval, a rejection or a withdrawal.
function audit(entry: AdjustingEntry, verb: Verb) {
  const { reference, differenceId, bankCode, day, kind, account, currency, reason } = entry
  const amount = formatKobo(entry.amountKobo)
  return {
    action: `adjusting_entry.${verb}`,
    subject: `adjusting_entry/${reference}`,
    detail: {
      differenceId: `${differenceId}`,
      bankCode,
      day,
      kind,
      account,
      amount,
      currency,
      reason,
    },
  } as const
}

type NewEntry = Pick<AdjustingEntry, 'differenceId' | 'account' | 'amountKobo' | 'reason'>

// Requests an entry. Refusals, in this order: difference_not_found, difference_asked, difference_resolved,
// entry_not_possible, entry_not_the_difference, entry_overdraws_account.
export async function requestEntry(
  tx: Transaction,
  by: Checker & Deps,
  { differenceId, account, amountKobo, reason }: NewEntry,
): Promise<AdjustingEntry> {
  const difference = await lockDifference(tx, differenceId)
  if (difference.entryReference !== null) throw new Refusal('difference_asked')
  await refuseImpossibleEntry(tx, by, { difference, account, amountKobo })
  const values = {
    reference: newReference('AJE'),
    difference_id: differenceId,
    account,
    amount_kobo: amountKobo,
    reason,
  }
  return adjustingEntries.request(tx, by, { values, conflict: 'difference_asked' })
}

type Entry = { difference: Difference; account: AdjustingAccount; amountKobo: Kobo }

// Refuses an entry that cannot be posted. Both the request and the approval call it, because matching may
// have changed the difference in between.
async function refuseImpossibleEntry(
  tx: Transaction,
  deps: Deps,
  { difference, account, amountKobo }: Entry,
): Promise<void> {
  if (difference.state === 'asked') throw new Refusal('difference_asked')
  if (!isStanding(difference)) throw new Refusal('difference_resolved')
  if (!isAdjustable(difference)) throw new Refusal('entry_not_possible')
  if (amountKobo !== difference.amountKobo) {
    const message = `Must be ${formatKobo(difference.amountKobo)}, as the difference.`
    throw new Refusal('entry_not_the_difference', [{ field: 'amount', message }])
  }
  await requireFunds(tx, deps, { difference, account, amountKobo })
}

// Returns the ledger account that the entry is posted against: the bank's account of this kind, in the
// currency of the difference.
const counterAccountOf = (
  { bankCode, currency }: Difference,
  kind: AdjustingAccount,
): SharedAccount => ({
  kind,
  owner: bankOwner(bankCode),
  currency,
})

// Refuses an entry that would take an account below zero. Due to bank grows by credits, the other accounts
// by debits. So an entry lowers due to bank if it is a debit of that account, and lowers another account if
// it is a credit; every other entry makes the account grow and needs no check.
async function requireFunds(
  tx: Transaction,
  { sharedAccounts }: Deps,
  { difference, account, amountKobo }: Entry,
): Promise<void> {
  const isDebit = amountKobo < 0n
  if ((account === 'due_to_bank') !== isDebit) return
  const counterAccount = counterAccountOf(difference, account)
  await sharedAccounts.open([counterAccount])
  const id = sharedAccounts.id(counterAccount)
  const balanceKobo = (await lockBalances(tx, [id])).get(id) ?? kobo(0n)
  // Balances are credits less debits, so an account that grows by debits has a negative balance.
  const heldKobo = isDebit ? balanceKobo : -balanceKobo
  if (heldKobo < (isDebit ? -amountKobo : amountKobo)) {
    throw new Refusal('entry_overdraws_account')
  }
}

// Posts an approved entry. The approvals workflow calls it and has locked the difference.
async function postEntry(
  tx: Transaction,
  by: Checker & Deps,
  { differenceId, account, amountKobo, reason, reference, ...entry }: AdjustingEntry,
): Promise<void> {
  const { now, actor, userId } = by
  const difference = await lockDifference(tx, differenceId)
  await refuseImpossibleEntry(tx, by, { difference, account, amountKobo })
  const counterAccount = counterAccountOf(difference, account)
  const movedKobo = kobo(amountKobo < 0n ? -amountKobo : amountKobo)
  const posting = { difference, counterAccount, movedKobo, reason: 'adjusting_entry' } as const
  const { transferId } = await postBooking(tx, by, posting)
  await transition(tx, {
    name: 'clear-adjusted-difference',
    id: differenceId,
    from: difference.state,
    to: 'cleared',
    set: `action = 'adjust', reason = $2, asked_by = $3, asked_by_user = $4, asked_at = $5,
          decided_by = $6, decided_by_user = $7, decided_at = $8`,
    values: [
      reason,
      entry.requestedBy,
      entry.requestedByUser,
      entry.requestedAt,
      actor,
      userId,
      now,
    ],
  })
  const detail = {
    action: 'adjust',
    reason,
    account,
    entry: reference,
    item: `booked/${transferId}`,
  }
  // The history shows the user's resolution, then the clearing, which is the system's change (no actor).
  await writeChange(tx, now, { id: differenceId, change: 'resolved', actor, detail })
  await writeChange(tx, now, { id: differenceId, change: 'cleared', actor: null, detail })
}
