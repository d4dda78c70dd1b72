// Decides what a reversal takes back, and from where. A pure function.
//
// Taken, in this order, from the part of the credit that is still in suspense, then booked, then
// assigned from suspense. What has already been returned to the payer is a shortfall: no client's
// balance pays for it. The fee on what is taken back is given back, so that the client loses no more
// than it got (I44), and subaccounts give back their shares of it, as far as they have them (I56).

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
import type { AccountId, ClientId, CreditId, PaymentId, SubaccountId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import type { PaymentTarget } from './judge-credit.ts'
import type { ReversalEvent } from './reversal-events.ts'
import type { LockedItem } from './suspense-items.ts'

export type ReversedCredit = {
  id: CreditId
  clientId: ClientId | null
  collectionAccountId: AccountId | null
  paymentId: PaymentId | null
  amountKobo: Kobo
  suspendedKobo: Kobo
  reversedKobo: Kobo
  currency: string
}

export type Holder =
  | { kind: 'suspense'; accountId: AccountId; clientId: ClientId | null }
  | { kind: 'collection'; accountId: AccountId; clientId: ClientId }
  | { kind: 'pending' | 'available'; payment: PaymentTarget }

type ReversalDebit = { holder: Holder; amountKobo: Kobo }

export type ReversalPlan = {
  takings: ReversalDebit[]
  shortfallKobo: Kobo
  bookedKobo: Kobo // Of the takings, what came from what was booked.
  items: { item: LockedItem; takenKobo: Kobo }[]
  fees: ReturnedFee[]
  shares: ReturnedShare[]
  payments: Set<PaymentTarget>
  events: ReversalEvent[] // Not explained yet.
}

type Known = {
  credit: ReversedCredit
  items: readonly LockedItem[]
  fees: readonly StandingFee[] // Of the credit, …
  shares: readonly StandingShare[] // … and so are these.
  subaccounts: ReadonlyMap<SubaccountId, Kobo> // What they have.
  payments: ReadonlyMap<PaymentId, PaymentTarget>
  // Of the collection accounts that the credit or its items are with.
  collections: ReadonlyMap<AccountId, { clientId: ClientId; balanceKobo: Kobo }>
}

type Source = { holder: Holder; amountKobo: Kobo; item?: LockedItem }

export function decideReversal(known: Known, amountKobo: Kobo): ReversalPlan {
  const plan: ReversalPlan = {
    takings: [],
    shortfallKobo: amountKobo,
    bookedKobo: kobo(0n),
    items: [],
    fees: [],
    shares: [],
    payments: new Set(),
    events: [],
  }
  const balances = new Map([...known.collections].map(([id, { balanceKobo }]) => [id, balanceKobo]))
  const subaccounts = new Map(known.subaccounts)
  for (const { holder, item, amountKobo: heldKobo } of listSources(known)) {
    if (plan.shortfallKobo === 0n) break
    const isEnough = heldKobo >= plan.shortfallKobo
    const takenKobo = isEnough ? plan.shortfallKobo : heldKobo
    plan.shortfallKobo = kobo(plan.shortfallKobo - takenKobo)
    plan.takings.push({ holder, amountKobo: takenKobo })
    if (item) plan.items.push({ item, takenKobo })
    else plan.bookedKobo = kobo(plan.bookedKobo + takenKobo)
    const leftKobo = kobo(heldKobo - takenKobo)
    const charged = known.fees.find(({ itemId }) => itemId === (item?.id ?? null))
    const fee = charged && returnedFee(charged, leftKobo)
    if (fee && sumOfFees([fee]) > 0n) plan.fees.push(fee)
    const shared = known.shares.filter(({ itemId }) => itemId === (item?.id ?? null))
    const shares = returnShares(shared, { leftKobo, balances: subaccounts })
    plan.shares.push(...shares)
    const { credit } = known
    plan.events.push(...takeFrom(plan, { balances, credit, holder, takenKobo, fee, shares }))
  }
  return plan
}

function listSources({ credit, items, payments, collections }: Known): Source[] {
  const holderOf = (accountId: AccountId | null, paymentId: PaymentId | null): Holder => {
    if (accountId !== null) {
      const { clientId } = collections.get(accountId) as { clientId: ClientId }
      return { kind: 'collection', accountId, clientId }
    }
    const payment = payments.get(paymentId as PaymentId) as PaymentTarget
    return { kind: payment.status === 'PartPayment' ? 'pending' : 'available', payment }
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

type Taking = {
  balances: Map<AccountId, Kobo>
  credit: ReversedCredit
  holder: Holder
  takenKobo: Kobo
  fee: ReturnedFee | undefined // Given back, …
  shares: readonly ReturnedShare[] // … and so are these.
}

// A payment that was paid and is not any more is at an end; one that was being paid goes on.
function takeFrom(
  plan: ReversalPlan,
  { balances, credit: { id: creditId, currency }, holder, takenKobo, fee, shares }: Taking,
): ReversalEvent[] {
  const feesKobo = sumOfFees(fee ? [fee] : [])
  const taken = moved(currency, { reversed: takenKobo, fees: -feesKobo })
  switch (holder.kind) {
    case 'suspense': {
      const { clientId } = holder
      if (clientId === null) return []
      const change = moved(currency, { reversed: takenKobo, suspended: -takenKobo })
      return [{ clientId, type: 'credit.reversed', creditId, facts: {}, ...change }]
    }
    case 'collection': {
      const { clientId, accountId } = holder
      const backKobo = feesKobo + sumReturned(shares)
      const balanceKobo = kobo((balances.get(accountId) as Kobo) - takenKobo + backKobo)
      balances.set(accountId, balanceKobo)
      const facts = { accountBalanceKobo: balanceKobo, amountReversedKobo: takenKobo }
      const collectionAccountId = accountId
      const about = { clientId, collectionAccountId, creditId }
      return [{ ...about, type: 'collection.reversed', facts, ...taken }]
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
      return [{ clientId, type: 'payment.reversed', paymentId, creditId, facts, ...taken }]
    }
  }
}
