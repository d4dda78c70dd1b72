// The actions of clients on money out: they pay out, refund, settle, and cancel queued payouts. The checker
// later compares each action's `termsToCheck` with the books.

import { type Actor, askOnce, naira, newKey } from './client-calls.ts'
import type { Client, Payment, Reference } from './world.ts'

// Requests a payout. The checker finds it in the books by its narration, which is the idempotency key.
export async function payOut({ caller, world, random }: Actor): Promise<void> {
  const client = random.pick(world.clients)
  const key = newKey('payout')
  const kobo = BigInt(random.integer(100, 100_000))
  const verdict = await askOnce(caller, {
    operation: 'payout',
    key,
    client,
    path: '/api/v1/payouts',
    termsToCheck: { clientId: client.clientId, amount: `${kobo}` },
    body: { bankAccount: world.payeeOf(client), amount: naira(kobo), narration: key },
    resultOf: ({ data }) => ({ reference: data.reference }),
  })
  if (verdict?.is !== 'acknowledged') return
  world.payouts.add({ client, reference: verdict.result.reference as string })
}

// Cancels the newest payout, usually one just requested, while a worker may be sending it.
export async function cancelPayout(actor: Actor): Promise<void> {
  const { world, random } = actor
  if (random.happens(0.7)) await payOut(actor)
  const payout = world.payouts.items.at(-1)
  if (payout) await cancelKnownPayout(actor, payout)
}

export async function cancelKnownPayout(
  { caller }: Actor,
  { client, reference }: Reference,
): Promise<void> {
  await askOnce(caller, {
    operation: 'payout_cancellation',
    key: newKey('payout_cancellation'),
    client,
    path: `/api/v1/payouts/${reference}/cancel`,
    termsToCheck: { reference },
    body: {},
    resultOf: ({ data }) => ({ status: data.status }),
  })
}

// Refunds a random payment, in whole or in part, whether or not it was paid.
export async function refund(actor: Actor): Promise<void> {
  const { world, random } = actor
  const payment = random.pick(world.payments.items)
  if (!payment) return
  const kobo = BigInt(random.integer(1, Number(payment.kobo)))
  await requestRefund(actor, paymentSource(payment), kobo)
}

// Requests several refunds of one payment or credit at once. Together they exceed its amount, so the
// service may accept only one.
export async function raceRefunds(actor: Actor): Promise<void> {
  const { world, random } = actor
  const credit = random.happens(0.3) ? world.refundable.takeAny(random) : undefined
  const payment = credit ? undefined : world.paid.takeAny(random)
  // The path decides whether a credit or a payment is refunded.
  const source = credit
    ? { client: credit.client, path: `/api/v1/credits/${credit.sessionId}/refunds` }
    : payment && paymentSource(payment)
  const paidKobo = (credit ?? payment)?.kobo
  if (!source || !paidKobo) return
  const amounts = [100n, 60n, 70n].map((percent) => (paidKobo * percent) / 100n || 1n)
  await Promise.all(amounts.map((kobo) => requestRefund(actor, source, kobo)))
}

type Source = { client: Client; path: string }

function paymentSource({ client, paymentReference }: Payment): Source {
  return { client, path: `/api/v1/payments/${paymentReference}/refunds` }
}

// Requests a refund at the path of a payment or credit. The checker finds the refund in the books by its
// reason, which is the idempotency key.
async function requestRefund(
  { caller, world }: Actor,
  { client, path }: Source,
  kobo: bigint,
): Promise<void> {
  const key = newKey('refund')
  const verdict = await askOnce(caller, {
    operation: 'refund',
    key,
    client,
    path,
    termsToCheck: { clientId: client.clientId, amount: `${kobo}` },
    body: { amount: naira(kobo), reason: key },
    resultOf: ({ data }) => ({ reference: data.reference }),
  })
  if (verdict?.is !== 'acknowledged') return
  world.refunds.add({ client, reference: verdict.result.reference as string })
}

// Cancels a random refund, whose payout may have been sent already. The service then refuses.
export async function cancelRefund({ caller, world, random }: Actor): Promise<void> {
  const refundToCancel = random.pick(world.refunds.items)
  if (!refundToCancel) return
  const { client, reference } = refundToCancel
  await askOnce(caller, {
    operation: 'refund_cancellation',
    key: newKey('refund_cancellation'),
    client,
    path: `/api/v1/refunds/${reference}/cancel`,
    termsToCheck: { reference },
    body: { reason: 'Sent by mistake' },
    resultOf: ({ data }) => ({ status: data.status }),
  })
}

// Closes a settlement of everything that is available to a random client.
export async function closeSettlement({ caller, world, random }: Actor): Promise<void> {
  const client = random.pick(world.clients)
  await askOnce(caller, {
    operation: 'settlement',
    key: newKey('settlement'),
    client,
    body: {},
    path: '/api/v1/settlements',
    termsToCheck: { clientId: client.clientId },
    resultOf: ({ data }) => ({ reference: data.reference }),
  })
}
