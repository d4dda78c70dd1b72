// Decides the amounts that a reversal takes, and from which accounts. A pure function.
//
// Takes first the part of the credit that is still in suspense, then the booked part, then parts assigned
// from suspense. Money already returned to the payer is a shortfall: no client's balance pays for it. The
// fee on the reversed amount goes back to the client, so that the client loses no more than it got (I44),
// and subaccounts give back their shares, as far as they hold them (I56).
//
// Booked money may have left since, in payouts and refunds. The reversal takes what is left on the ledger
// account it was booked to; the client owes us the rest (I57).

import {
  type ReturnedFee,
  returnedFee,
  type StandingFee,
  sumOfFees,
} from '#domain/fees/credit-fees.ts'
import { moved } from '#domain/records/movements.ts'
import {
  type ReturnedShare,
  returnShares,
  type StandingShare,
  sumReturned,
} from '#domain/splits/return-shares.ts'
import type { AccountId, ClientId, PaymentId, SubaccountId } from '#ids.ts'
import { clientOwner, type SharedAccount } from '#ledger/accounts.ts'
import { type Kobo, kobo } from '#money.ts'
import type { PaymentTarget } from './judge-credit.ts'
import type { ReversalEvent } from './reversal-events.ts'
import type { ReversedCredit } from './reversal-locks.ts'
import type { LockedItem } from './suspense-items.ts'

type Holder =
  | { kind: 'suspense'; accountId: AccountId; clientId: ClientId | null }
  | { kind: 'collection'; accountId: AccountId; clientId: ClientId }
  | { kind: 'pending' | 'available'; accountId: AccountId; payment: PaymentTarget }

export type Receivable = { clientId: ClientId; accountId: AccountId; amountKobo: Kobo }

export type ReversalPlan = {
  takings: { accountId: AccountId; amountKobo: Kobo }[]
  receivables: Receivable[] // Owed because the account no longer had the money.
  shortfallKobo: Kobo
  bookedKobo: Kobo // The part of the takings that was booked.
  items: { item: LockedItem; takenKobo: Kobo }[]
  fees: ReturnedFee[]
  shares: ReturnedShare[]
  payments: Set<PaymentTarget>
  events: ReversalEvent[] // Without their explanation.
}

type State = {
  credit: ReversedCredit
  items: readonly LockedItem[]
  fees: readonly StandingFee[] // The credit's.
  shares: readonly StandingShare[] // The credit's.
  subaccounts: ReadonlyMap<SubaccountId, Kobo> // Their balances.
  payments: ReadonlyMap<PaymentId, PaymentTarget>
  // The collection accounts of the credit and its items.
  owners: ReadonlyMap<AccountId, ClientId>
  balances: ReadonlyMap<AccountId, Kobo> // Includes the available accounts. All are locked.
  accountId: (account: SharedAccount) => AccountId
}

type Source = { holder: Holder; amountKobo: Kobo; item?: LockedItem }

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
    const standing = state.fees.find(({ itemId }) => itemId === (item?.id ?? null))
    const fee = standing && returnedFee(standing, leftKobo)
    if (fee && sumOfFees([fee]) > 0n) plan.fees.push(fee)
    const ofPart = state.shares.filter(({ itemId }) => itemId === (item?.id ?? null))
    const shares = returnShares(ofPart, { leftKobo, balances: subaccounts })
    plan.shares.push(...shares)
    const { credit } = state
    plan.events.push(...takeFrom(plan, { balances, credit, holder, takenKobo, fee, shares }))
  }
  return plan
}

function listSources({ credit, items, payments, owners, accountId: shared }: State): Source[] {
  const holderOf = (accountId: AccountId | null, paymentId: PaymentId | null): Holder => {
    if (accountId !== null) {
      return { kind: 'collection', accountId, clientId: owners.get(accountId) as ClientId }
    }
    const payment = payments.get(paymentId as PaymentId) as PaymentTarget
    const account = accountOf(payment)
    return { kind: account.kind, accountId: shared(account), payment }
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

// The account that holds the money of a payment.
export function accountOf({ status, clientId, currency }: PaymentTarget) {
  const kind = status === 'PartPayment' ? ('pending' as const) : ('available' as const)
  return { kind, owner: clientOwner(clientId), currency }
}

type Taking = {
  balances: Map<AccountId, Kobo>
  credit: ReversedCredit
  holder: Holder
  takenKobo: Kobo
  fee: ReturnedFee | undefined // Given back.
  shares: readonly ReturnedShare[] // Given back.
}

// A reversed payment that was paid in full is final; one that was part paid stays open.
function takeFrom(
  plan: ReversalPlan,
  { balances, credit: { id: creditId, currency }, holder, takenKobo, fee, shares }: Taking,
): ReversalEvent[] {
  const feesKobo = sumOfFees(fee ? [fee] : [])
  const backKobo = kobo(feesKobo + sumReturned(shares))
  const balanceKobo = takeFromAccount(plan, { balances, holder, takenKobo, backKobo })
  const change = moved(currency, { reversed: takenKobo, fees: -feesKobo })
  switch (holder.kind) {
    case 'suspense': {
      const { clientId } = holder
      if (clientId === null) return []
      const suspended = moved(currency, { reversed: takenKobo, suspended: -takenKobo })
      return [{ clientId, type: 'credit.reversed', creditId, facts: {}, ...suspended }]
    }
    case 'collection': {
      const { clientId, accountId } = holder
      const facts = { accountBalanceKobo: balanceKobo, amountReversedKobo: takenKobo }
      const collectionAccountId = accountId
      const about = { clientId, collectionAccountId, creditId }
      return [{ ...about, type: 'collection.reversed', facts, ...change }]
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
  backKobo: Kobo // Fees and shares that come back to the account first.
}

// Only collection and available accounts may lack the money; suspense and pending always hold it. Returns
// the remaining balance.
function takeFromAccount(
  plan: ReversalPlan,
  { balances, holder, takenKobo, backKobo }: AccountTaking,
): Kobo {
  const { accountId } = holder
  const isLimited = holder.kind === 'collection' || holder.kind === 'available'
  const balanceKobo = isLimited ? (balances.get(accountId) as Kobo) + backKobo : takenKobo
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
