// Reversals: a bank takes a credit back, whole or in part. Nothing booked is undone: new transfers move
// the money from its current place back to the bank (decide-reversal.ts).
//
// Answers to the bank, in the order of the checks:
//   duplicate                this reversal was taken before, or booked from a statement
//   session_reused           its session id belongs to a reversal with another credit or amount. Or its
//                            session id is that of the credit, and it comes from another place in the
//                            bank's messages: it may be a second reversal of the same amount.
//                            Operators are alerted and decide
//   original_not_found       this bank never reported a credit with this identifier
//   amount_exceeds_original  the amount is more than the rest of the credit
//   reversed                 taken. Money that had left us is on the bank's shortfall account, or the
//                            client owes it, and operators are alerted

import { discountReceipt } from '#accounts/received-today.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { feeAccounts, readFees, recordReturned, returnTransfers, sumOfFees } from '#fees/charges.ts'
import type { AccountId, ClientId, CreditId, SubaccountId } from '#ids.ts'
import {
  bankOwner,
  clientOwner,
  type SharedAccount,
  type SharedAccounts,
} from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'
import { updatePayments } from '#payments/states.ts'
import { type NewAlert, raiseAlerts } from '#records/alerts.ts'
import { appendEvents } from '#records/events.ts'
import {
  type ReturnedShare,
  readShares,
  recordReturnedShares,
  type StandingShare,
  shareBackTransfers,
  subaccountLedger,
} from '#splits/shares.ts'
import { lockPayments } from './balances.ts'
import { sessionName } from './decide.ts'
import {
  accountOf,
  decideReversal,
  explainReversal,
  type Receivable,
  type ReversalPlan,
} from './decide-reversal.ts'
import { markTaken } from './rail-items.ts'
import {
  findEarlier,
  giveBankIdToBookedReversal,
  lockBalances,
  lockCollections,
  lockOriginal,
  mayBeAnother,
  type Reversal,
  type ReversedCredit,
} from './reversal.ts'
import { adjustApprovalRequests, reduceItems } from './suspense-items.ts'

// Subaccounts return their shares of a credit before the bank takes the money (I56).

type Balances = {
  balances: ReadonlyMap<AccountId, Kobo> // The caller has locked the subaccounts.
  accountId: (account: SharedAccount) => AccountId
}

// Returns the balance of each subaccount that has a share of the credit.
function subaccountBalances(
  shares: readonly StandingShare[],
  { balances, accountId }: Balances,
): ReadonlyMap<SubaccountId, Kobo> {
  return new Map(
    shares.map(({ subaccountId }) => [
      subaccountId,
      balances.get(accountId(subaccountLedger(subaccountId))) ?? kobo(0n),
    ]),
  )
}

// Records the returned shares and returns the transfers that bring them back to the client. Also lowers the
// amount that each account received today, which counts towards its daily limit.
async function giveSharesBack(
  tx: Transaction,
  sharedAccounts: SharedAccounts,
  {
    plan: { shares },
    creditId,
  }: { plan: { shares: readonly ReturnedShare[] }; creditId: CreditId },
): Promise<Transfer[]> {
  await recordReturnedShares(tx, shares)
  for (const { share, returnedKobo } of shares) {
    await discountReceipt(tx, { accountId: share.accountId, amountKobo: returnedKobo })
  }
  const accountId = (account: SharedAccount) => sharedAccounts.id(account)
  return shareBackTransfers(shares, { creditId, accountId })
}

export type ReversalAnswer =
  | 'duplicate'
  | 'session_reused'
  | 'original_not_found'
  | 'amount_exceeds_original'
  | 'reversed'

type Deps = { sharedAccounts: SharedAccounts; now: Date }

// Takes one reversal: locks everything that it may change, decides from which accounts the money comes, and
// writes the result. See the answers at the top of this file.
export async function takeReversal(
  tx: Transaction,
  deps: Deps,
  reversal: Reversal,
): Promise<ReversalAnswer> {
  const { credit, items = [] } = (await lockOriginal(tx, reversal)) ?? {}
  const earlier = await findEarlier(tx, reversal, credit?.id)
  if (earlier) {
    const isSame = earlier.creditId === credit?.id && earlier.amountKobo === reversal.amountKobo
    // If the rest of the credit is too small for a second reversal of this amount, this one is a repetition.
    const fitsAgain =
      credit && (await sumOfReversals(tx, credit.id)) + reversal.amountKobo <= credit.amountKobo
    if (isSame && !(fitsAgain && (await mayBeAnother(tx, reversal, earlier)))) return 'duplicate'
    const detail = { reversalOf: reversal.originalSessionId }
    const alert = { kind: 'session_reused', subject: sessionName(reversal), detail } as const
    await appendEvents(tx, deps.now, await raiseAlerts(tx, deps.now, [alert]))
    return 'session_reused'
  }
  if (!credit) return 'original_not_found'
  if (!reversal.isFromStatement && (await giveBankIdToBookedReversal(tx, reversal, credit.id))) {
    await markTaken(tx, deps.now, { reversal, creditId: credit.id })
    return 'duplicate'
  }
  const takenKobo = await sumOfReversals(tx, credit.id)
  if (takenKobo + reversal.amountKobo > credit.amountKobo) return 'amount_exceeds_original'

  const payments = await lockPayments(tx, [
    ...items.flatMap((item) => item.assignedPaymentId ?? []),
    ...(credit.paymentId ? [credit.paymentId] : []),
  ])
  const owners = await lockCollections(tx, credit, items)
  const fees = await readFees(tx, credit.id)
  const shares = await readShares(tx, credit.id)
  const clientIds = [
    ...owners.values(),
    ...[...payments.values()].map((payment) => payment.clientId),
  ]
  const { currency } = credit
  const ledgerAccounts: SharedAccount[] = [
    ...bankAccounts(reversal, currency),
    ...[...payments.values()].map(accountOf),
    ...clientIds.flatMap((clientId) => clientAccounts(clientId, currency)),
    ...fees.flatMap((fee) => feeAccounts(fee.clientId)),
    ...shares.map(({ subaccountId }) => subaccountLedger(subaccountId)),
  ]
  await deps.sharedAccounts.open(ledgerAccounts)
  const accountId = (account: SharedAccount) => deps.sharedAccounts.id(account)
  const accountIds = [
    ...owners.keys(),
    ...ledgerAccounts.map(accountId),
    ...items.map((item) => item.accountId),
  ]
  const balances = await lockBalances(tx, accountIds)
  const subaccounts = subaccountBalances(shares, { balances, accountId })
  const state = { credit, items, fees, shares, subaccounts, payments, owners, balances, accountId }
  const plan = decideReversal(state, reversal.amountKobo)
  const isWhole = takenKobo + reversal.amountKobo === credit.amountKobo
  await writeReversal(tx, deps, { reversal, credit, plan, isWhole })
  return 'reversed'
}

type DecidedReversal = {
  reversal: Reversal
  credit: ReversedCredit
  plan: ReversalPlan
  isWhole: boolean
}

// Writes a decided reversal: its row, the new states of the credit, suspense items, approval requests and
// payments, the transfers and the events.
async function writeReversal(
  tx: Transaction,
  { sharedAccounts, now }: Deps,
  { reversal, credit, plan, isWhole }: DecidedReversal,
): Promise<void> {
  const { shortfallKobo } = plan
  const { currency } = credit
  const [bank, shortfall] = bankAccounts(reversal, currency).map((account) =>
    sharedAccounts.id(account),
  ) as [AccountId, AccountId]
  const receivableKobo = sumReceivables(plan.receivables)
  const debits = [
    ...plan.takings,
    ...plan.receivables.map(({ clientId, amountKobo }) => ({
      accountId: sharedAccounts.id(receivableOf(clientId, currency)),
      amountKobo,
    })),
    ...(shortfallKobo > 0n ? [{ accountId: shortfall, amountKobo: shortfallKobo }] : []),
  ]
  const alerts = await raiseAlerts(tx, now, createAlerts(plan, { reversal, credit }))
  const transfers = debits.map(
    ({ accountId, amountKobo }): Transfer => ({
      debitAccountId: accountId,
      creditAccountId: bank,
      amountKobo,
      creditId: credit.id,
      reason: 'reversal',
    }),
  )
  await insertReversal(tx, now, { reversal, creditId: credit.id, plan })
  await markTaken(tx, now, { reversal, creditId: credit.id })
  await tx.query({
    name: 'reverse-credit',
    // If no part of the credit is booked any more, the credit gets the outcome of its suspended part.
    text: `update credits c
              set reversed_kobo = c.reversed_kobo + $2,
                  outcome = case
                    when $3 then 'reversed'
                    when c.outcome = 'booked'
                         and c.suspended_kobo + c.reversed_kobo + $2 = c.amount_kobo
                    then (select case when i.state in ('assigned', 'returned') then i.state
                                      else 'suspended' end
                            from suspense_items i
                           where i.credit_id = c.id and i.state <> 'reversed')
                    else c.outcome end
            where c.id = $1`,
    values: [credit.id, plan.bookedKobo, isWhole],
  })
  await reduceItems(tx, now, { takings: plan.items, reference: reversal.sessionId })
  await adjustApprovalRequests(tx, now, plan.items)
  await updatePayments(tx, now, [...plan.payments])
  const returned = { plan, creditId: credit.id }
  const shares = await giveSharesBack(tx, sharedAccounts, returned)
  const fees = await giveFeesBack(tx, sharedAccounts, returned)
  await postTransfers(tx, now, [...shares, ...transfers, ...fees])
  const { sessionId, amountKobo } = reversal
  const facts = { sessionId, amountKobo, shortfallKobo, receivableKobo }
  const events = [...plan.events, ...alerts]
  await appendEvents(tx, now, await explainReversal(tx, credit.id, { reversal: facts, events }))
}

// Alerts operators: the bank owes the money that had left us, and the client owes the money that it had
// spent.
function createAlerts(
  { shortfallKobo, receivables }: ReversalPlan,
  { reversal, credit }: Pick<DecidedReversal, 'reversal' | 'credit'>,
): NewAlert[] {
  const subject = sessionName(reversal)
  const creditId = credit.id.toString()
  const alerts: NewAlert[] = []
  if (shortfallKobo > 0n) {
    const detail = { creditId, shortfallKobo: shortfallKobo.toString() }
    alerts.push({ kind: 'reversal_shortfall', subject, detail })
  }
  if (receivables.length > 0) {
    const detail = { creditId, receivableKobo: sumReceivables(receivables).toString() }
    alerts.push({ kind: 'reversal_receivable', subject, detail })
  }
  return alerts
}

// Returns the bank account that the money leaves, and the account of what the bank owes us.
function bankAccounts({ bankCode }: Reversal, currency: string): SharedAccount[] {
  const owner = bankOwner(bankCode)
  return [
    { kind: 'bank', owner, currency },
    { kind: 'shortfall', owner, currency },
  ]
}

// Returns the available account of a client and the account of its debts, in lock order: an account that is
// opened first has the lower id.
function clientAccounts(clientId: ClientId, currency: string): SharedAccount[] {
  const available = { kind: 'available', owner: clientOwner(clientId), currency } as const
  return [available, receivableOf(clientId, currency)]
}

// Returns the account of what the client owes us.
function receivableOf(clientId: ClientId, currency: string): SharedAccount {
  return { kind: 'receivable', owner: clientOwner(clientId), currency }
}

function sumReceivables(receivables: readonly Receivable[]): Kobo {
  return kobo(receivables.reduce((sum, { amountKobo }) => sum + amountKobo, 0n))
}

type NewReversal = { reversal: Reversal; creditId: CreditId; plan: ReversalPlan }

// Inserts the reversal, and a debt for each account that no longer had its part of the money.
async function insertReversal(
  tx: Transaction,
  now: Date,
  { reversal, creditId, plan: { shortfallKobo, receivables } }: NewReversal,
): Promise<void> {
  await tx.query({
    name: 'insert-reversal',
    text: `with reversal as (
             insert into reversals (bank_code, session_id, credit_id, amount_kobo, shortfall_kobo,
                                    receivable_kobo, received_at, place)
             values ($1, $2, $3, $4, $5, $6, $7, $11) returning id)
           insert into receivables (reversal_id, client_id, account_id, amount_kobo)
           select reversal.id, r.*
             from reversal, unnest($8::bigint[], $9::bigint[], $10::bigint[]) as r`,
    values: [
      reversal.bankCode,
      reversal.sessionId,
      creditId,
      reversal.amountKobo,
      shortfallKobo,
      sumReceivables(receivables),
      now,
      numberArray(receivables.map(({ clientId }) => clientId)),
      numberArray(receivables.map(({ accountId }) => accountId)),
      numberArray(receivables.map(({ amountKobo }) => amountKobo)),
      reversal.place ?? null,
    ],
  })
}

// Records the returned fees and returns the transfers that bring them back to the accounts that paid them.
async function giveFeesBack(
  tx: Transaction,
  sharedAccounts: SharedAccounts,
  { plan: { fees }, creditId }: { plan: ReversalPlan; creditId: CreditId },
): Promise<Transfer[]> {
  await recordReturned(tx, fees)
  const transfers: Transfer[] = []
  for (const { chargedFee, feeKobo, vatKobo } of fees) {
    const { clientId, accountId } = chargedFee
    const returnedFee = { clientId, accountId, creditId, feeKobo, vatKobo }
    transfers.push(...returnTransfers(returnedFee, (account) => sharedAccounts.id(account)))
    await discountReceipt(tx, { accountId, amountKobo: sumOfFees([returnedFee]) })
  }
  return transfers
}

// Returns the total that banks took back of the credit so far.
async function sumOfReversals(tx: Transaction, creditId: CreditId): Promise<Kobo> {
  const { rows } = await tx.query<{ sum: Kobo }>({
    name: 'sum-of-reversals',
    text: 'select coalesce(sum(amount_kobo), 0)::bigint as sum from reversals where credit_id = $1',
    values: [creditId],
  })
  return rows[0]?.sum ?? kobo(0n)
}
