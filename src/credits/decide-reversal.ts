// Decides how much money a reversal takes, and from which accounts (decideReversal, a pure function). Also
// adds the totals of the reversal to its events (explainReversal).
//
// A reversal first takes the part of the credit that is still in suspense, then the booked part, then parts
// assigned from suspense. Money already returned to the payer is a shortfall: no client's balance pays for
// it. The operator returns its fee on the reversed amount, so that the client loses no more than it got
// (I44). Subaccounts return their shares, as far as they still hold them (I56).
//
// Booked money may since have left the account, in payouts and refunds. The reversal takes as much as the
// ledger account that got the booking still holds. The client owes us the rest (I57).

import type { Transaction } from '#db/transaction.ts'
import { type ReturnedFee, returnedFee, type StandingFee, sumOfFees } from '#fees/charges.ts'
import type { AccountId, ClientId, CreditId, PaymentId, SubaccountId } from '#ids.ts'
import { clientOwner, type SharedAccount } from '#ledger/accounts.ts'
import { type Kobo, kobo } from '#money.ts'
import type { EventFacts, ReversalFacts } from '#records/event-types.ts'
import type { EventSubject, NewEvent } from '#records/events.ts'
import { overviewChanges } from '#records/money-totals.ts'
import {
  type ReturnedShare,
  returnShares,
  type StandingShare,
  sumReturned,
} from '#splits/shares.ts'
import { REASON_NOW } from './credit.ts'
import type { PaymentTarget } from './judge.ts'
import type { ReversedCredit } from './reversal.ts'
import type { LockedItem } from './suspense-items.ts'

// Where a part of the credit is now: the ledger account that holds it, and its owner.
type Holder =
  | { kind: 'suspense'; accountId: AccountId; clientId: ClientId | null }
  | { kind: 'collection'; accountId: AccountId; clientId: ClientId }
  | { kind: 'pending' | 'available'; accountId: AccountId; payment: PaymentTarget }

export type Receivable = { clientId: ClientId; accountId: AccountId; amountKobo: Kobo }

// Everything that the reversal writes, in memory.
export type ReversalPlan = {
  takings: { accountId: AccountId; amountKobo: Kobo }[]
  receivables: Receivable[] // Debts for money that the account no longer had.
  shortfallKobo: Kobo
  bookedKobo: Kobo // The booked part of the amount taken.
  items: { item: LockedItem; takenKobo: Kobo }[]
  fees: ReturnedFee[]
  shares: ReturnedShare[]
  payments: Set<PaymentTarget>
  events: ReversalEvent[] // The events, before explainReversal() completes them.
}

type State = {
  credit: ReversedCredit
  items: readonly LockedItem[]
  fees: readonly StandingFee[] // The fees of the credit.
  shares: readonly StandingShare[] // The shares of the credit.
  subaccounts: ReadonlyMap<SubaccountId, Kobo> // The balances of subaccounts.
  payments: ReadonlyMap<PaymentId, PaymentTarget>
  // The clients that own the collection accounts of the credit and its items.
  owners: ReadonlyMap<AccountId, ClientId>
  balances: ReadonlyMap<AccountId, Kobo> // Includes the available accounts. All are locked.
  accountId: (account: SharedAccount) => AccountId
}

// A part of the credit that the reversal may take. `item` is set if the part is or was in suspense.
type Source = { holder: Holder; amountKobo: Kobo; item?: LockedItem }

// Takes the amount from the sources one after another until it is complete. Money that no source has is the
// shortfall.
export function decideReversal(state: State, amountKobo: Kobo): ReversalPlan {
  const plan: ReversalPlan = {
    takings: [],
    receivables: [],
    shortfallKobo: amountKobo,
    bookedKobo: kobo(0n),
    items: [],
    fees: [],
    shares: [],
    payments: new Set(),
    events: [],
  }
  const balances = new Map(state.balances)
  const subaccounts = new Map(state.subaccounts)
  for (const { holder, item, amountKobo: heldKobo } of listSources(state)) {
    if (plan.shortfallKobo === 0n) break
    const isEnough = heldKobo >= plan.shortfallKobo
    const takenKobo = isEnough ? plan.shortfallKobo : heldKobo
    plan.shortfallKobo = kobo(plan.shortfallKobo - takenKobo)
    if (item) plan.items.push({ item, takenKobo })
    else plan.bookedKobo = kobo(plan.bookedKobo + takenKobo)
    const leftKobo = kobo(heldKobo - takenKobo)
    // The fee and the shares of the part that was booked at once have no item.
    const chargedFee = state.fees.find(({ itemId }) => itemId === (item?.id ?? null))
    const fee = chargedFee && returnedFee(chargedFee, leftKobo)
    if (fee && sumOfFees([fee]) > 0n) plan.fees.push(fee)
    const sharesOfPart = state.shares.filter(({ itemId }) => itemId === (item?.id ?? null))
    const shares = returnShares(sharesOfPart, { leftKobo, balances: subaccounts })
    plan.shares.push(...shares)
    const { credit } = state
    plan.events.push(...takeFrom(plan, { balances, credit, holder, takenKobo, fee, shares }))
  }
  return plan
}

// Lists the parts of the credit in the order in which a reversal takes them: suspended, booked, assigned.
// Returned items are missing, because their money has left us.
function listSources({
  credit,
  items,
  payments,
  owners,
  accountId: sharedAccountId,
}: State): Source[] {
  // Returns the holder of money that is booked to a collection account or, if `accountId` is null, to a
  // payment.
  const holderOf = (accountId: AccountId | null, paymentId: PaymentId | null): Holder => {
    if (accountId !== null) {
      return { kind: 'collection', accountId, clientId: owners.get(accountId) as ClientId }
    }
    const payment = payments.get(paymentId as PaymentId) as PaymentTarget
    const account = accountOf(payment)
    return { kind: account.kind, accountId: sharedAccountId(account), payment }
  }
  const sources: Source[] = items
    .filter((item) => item.state === 'open')
    .map((item) => ({
      item,
      amountKobo: item.amountKobo,
      holder: { kind: 'suspense', accountId: item.accountId, clientId: item.clientId },
    }))
  const bookedKobo = kobo(credit.amountKobo - credit.suspendedKobo - credit.reversedKobo)
  if (bookedKobo > 0n) {
    const holder = holderOf(credit.collectionAccountId, credit.paymentId)
    sources.push({ holder, amountKobo: bookedKobo })
  }
  for (const item of items.filter(({ state }) => state === 'assigned')) {
    const holder = holderOf(item.assignedAccountId, item.assignedPaymentId)
    sources.push({ item, amountKobo: item.amountKobo, holder })
  }
  return sources
}

// Returns the ledger account that holds the money of a payment: `pending` until the payment is paid in full.
export function accountOf({ status, clientId, currency }: PaymentTarget) {
  const kind = status === 'PartPayment' ? ('pending' as const) : ('available' as const)
  return { kind, owner: clientOwner(clientId), currency }
}

type Taking = {
  balances: Map<AccountId, Kobo>
  credit: ReversedCredit
  holder: Holder
  takenKobo: Kobo
  fee: ReturnedFee | undefined
  shares: readonly ReturnedShare[]
}

// Takes `takenKobo` from one source and returns the events about it. A payment that was paid in full becomes
// Reversed permanently. A part-paid payment stays open.
function takeFrom(
  plan: ReversalPlan,
  { balances, credit: { id: creditId, currency }, holder, takenKobo, fee, shares }: Taking,
): ReversalEvent[] {
  const feesKobo = sumOfFees(fee ? [fee] : [])
  const returnedKobo = kobo(feesKobo + sumReturned(shares))
  const balanceKobo = takeFromAccount(plan, { balances, holder, takenKobo, returnedKobo })
  const change = overviewChanges(currency, { reversed: takenKobo, fees: -feesKobo })
  switch (holder.kind) {
    case 'suspense': {
      const { clientId } = holder
      if (clientId === null) return [] // Unidentified money has no client to notify.
      const suspended = overviewChanges(currency, { reversed: takenKobo, suspended: -takenKobo })
      return [{ clientId, type: 'credit.reversed', creditId, facts: {}, ...suspended }]
    }
    case 'collection': {
      const { clientId, accountId } = holder
      const facts = { accountBalanceKobo: balanceKobo, amountReversedKobo: takenKobo }
      const collectionAccountId = accountId
      const subject = { clientId, collectionAccountId, creditId }
      return [{ ...subject, type: 'collection.reversed', facts, ...change }]
    }
    default: {
      const { payment } = holder
      payment.amountPaidKobo = kobo(payment.amountPaidKobo - takenKobo)
      payment.chargedFeeKobo = kobo(payment.chargedFeeKobo - (fee?.feeKobo ?? 0n))
      payment.chargedVatKobo = kobo(payment.chargedVatKobo - (fee?.vatKobo ?? 0n))
      if (holder.kind === 'available') payment.status = 'Reversed'
      else payment.status = payment.amountPaidKobo > 0n ? 'PartPayment' : 'Processing'
      plan.payments.add(payment)
      const { clientId, paymentId, status } = payment
      const facts = {
        status,
        amountPaidKobo: payment.amountPaidKobo,
        amountReversedKobo: takenKobo,
      }
      return [{ clientId, type: 'payment.reversed', paymentId, creditId, facts, ...change }]
    }
  }
}

type AccountTaking = Pick<Taking, 'balances' | 'holder' | 'takenKobo'> & {
  returnedKobo: Kobo // Fees and shares that are returned to the account first.
}

// Takes money from an account. What the account lacks becomes a debt of the client (receivable). Only
// collection and available accounts can lack the money, because suspense and pending accounts always hold it.
// `returnedKobo`: fees and shares that the account gets back first. Returns the remaining balance.
function takeFromAccount(
  plan: ReversalPlan,
  { balances, holder, takenKobo, returnedKobo }: AccountTaking,
): Kobo {
  const { accountId } = holder
  const isLimited = holder.kind === 'collection' || holder.kind === 'available'
  const balanceKobo = isLimited ? (balances.get(accountId) as Kobo) + returnedKobo : takenKobo
  const amountKobo = balanceKobo < takenKobo ? kobo(balanceKobo) : takenKobo
  if (amountKobo > 0n) plan.takings.push({ accountId, amountKobo })
  if (amountKobo < takenKobo) {
    const { clientId } = 'payment' in holder ? holder.payment : holder
    const owedKobo = kobo(takenKobo - amountKobo)
    plan.receivables.push({ clientId: clientId as ClientId, accountId, amountKobo: owedKobo })
  }
  const leftKobo = kobo(balanceKobo - amountKobo)
  balances.set(accountId, leftKobo)
  return leftKobo
}

// explainReversal() adds the details of the reversal to its events: the total that the bank took back, the
// shortfall that had already been returned to the payer, and the amount that the client owes. So the amounts
// also add up for a recipient that sees only a part of the credit.

// The facts that explainReversal() adds to an event of a reversal.
type Missing<Type extends Kind> = Type extends 'credit.reversed'
  ? keyof EventFacts[Type]
  : 'reversal'
type Kind = 'alert.raised' | 'collection.reversed' | 'credit.reversed' | 'payment.reversed'
type ReversalEvent = {
  [Type in Kind]: EventSubject & { type: Type; facts: Omit<EventFacts[Type], Missing<Type>> }
}[Kind]

// Completes the events of a reversal. Call it after the credit and its reversals are written, so that the
// event `credit.reversed` shows the same data as the API.
export async function explainReversal(
  tx: Transaction,
  creditId: CreditId,
  { reversal, events }: { reversal: ReversalFacts; events: readonly ReversalEvent[] },
): Promise<NewEvent[]> {
  if (events.length === 0) return []
  const credit = await readReversed(tx, creditId)
  return events.map((event) => completeEvent(event, credit, reversal))
}

// Adds the facts that are missing in an event of the reversal, depending on its type.
function completeEvent(event: ReversalEvent, credit: Reversed, reversal: ReversalFacts): NewEvent {
  switch (event.type) {
    case 'credit.reversed':
      return { ...event, facts: { ...credit, reversal } }
    case 'collection.reversed':
      return { ...event, facts: { ...event.facts, reversal } }
    case 'payment.reversed':
      return { ...event, facts: { ...event.facts, reversal } }
    case 'alert.raised':
      return { ...event, facts: { ...event.facts, reversal } }
  }
}

type Reversed = Omit<EventFacts['credit.reversed'], 'reversal'>

// Reads the outcome of the credit and the totals of all its reversals, as the API shows them.
async function readReversed(tx: Transaction, creditId: CreditId): Promise<Reversed> {
  const { rows } = await tx.query<Reversed>({
    name: 'read-reversed-credit',
    text: `select c.outcome, ${REASON_NOW} as reason,
                  sum(r.amount_kobo)::bigint as amount_reversed_kobo,
                  sum(r.shortfall_kobo)::bigint as amount_shortfall_kobo,
                  sum(r.receivable_kobo)::bigint as amount_receivable_kobo
             from credits c join reversals r on r.credit_id = c.id
            where c.id = $1 group by c.id`,
    values: [creditId],
  })
  return rows[0] as Reversed
}
