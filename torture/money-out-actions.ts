// The actions of clients on money out: they pay out, refund, settle, and cancel queued payouts.

import { type Actor, askOnce, naira, newKey } from './client-calls.ts'
import type { Client, Payment } from './world.ts'

export async function payOut({ caller, world, random }: Actor): Promise<void> {
  const client = random.pick(world.clients)
  const key = newKey('payout')
  const kobo = BigInt(random.integer(100, 100_000))
  const verdict = await askOnce(caller, {
    operation: 'payout',
    key,
    client,
    path: '/api/v1/payouts',
    terms: { clientId: client.clientId, amount: `${kobo}` },
    body: { bankAccount: world.payeeOf(client), amount: naira(kobo), narration: key },
    resultOf: ({ data }) => ({ reference: data.reference }),
  })
  if (verdict?.is !== 'acknowledged') return
  world.payouts.add({ client, reference: verdict.result.reference as string })
}

// Cancels a payout that a worker may be sending at this moment.
export async function cancelPayout(actor: Actor): Promise<void> {
  const { caller, world, random } = actor
  if (random.happens(0.7)) await payOut(actor)
  const payout = world.payouts.items.at(-1)
  if (!payout) return
  const { client, reference } = payout
  await askOnce(caller, {
    operation: 'payout_cancellation',
    key: newKey('payout_cancellation'),
    client,
    path: `/api/v1/payouts/${reference}/cancel`,
    terms: { reference },
    body: {},
    resultOf: ({ data }) => ({ status: data.status }),
  })
}

export async function refund(actor: Actor): Promise<void> {
  const { world, random } = actor
  const payment = random.pick(world.payments.items)
  if (!payment) return
  const kobo = BigInt(random.integer(1, Number(payment.kobo)))
  await refundOf(actor, sourceOf(payment), kobo)
}

// Requests several refunds at once, of which only one fits, so the payment must be refunded only once.
export async function raceRefunds(actor: Actor): Promise<void> {
  const { world, random } = actor
  const credit = random.happens(0.3) ? world.refundable.takeAny(random) : undefined
  const payment = credit ? undefined : world.paid.takeAny(random)
  const source = credit
    ? { client: credit.client, path: `/api/v1/credits/${credit.sessionId}/refunds` }
    : payment && sourceOf(payment)
  const whole = (credit ?? payment)?.kobo
  if (!source || !whole) return
  const amounts = [100n, 60n, 70n].map((percent) => (whole * percent) / 100n || 1n)
  await Promise.all(amounts.map((kobo) => refundOf(actor, source, kobo)))
}

type Source = { client: Client; path: string }

function sourceOf({ client, paymentReference }: Payment): Source {
  return { client, path: `/api/v1/payments/${paymentReference}/refunds` }
}

async function refundOf(
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
    terms: { clientId: client.clientId, amount: `${kobo}` },
    body: { amount: naira(kobo), reason: key },
    resultOf: ({ data }) => ({ reference: data.reference }),
  })
  if (verdict?.is !== 'acknowledged') return
  world.refunds.add({ client, reference: verdict.result.reference as string })
}

export async function cancelRefund({ caller, world, random }: Actor): Promise<void> {
  const refunded = random.pick(world.refunds.items)
  if (!refunded) return
  const { client, reference } = refunded
  await askOnce(caller, {
    operation: 'refund_cancellation',
    key: newKey('refund_cancellation'),
    client,
    path: `/api/v1/refunds/${reference}/cancel`,
    terms: { reference },
    body: { reason: 'Sent by mistake' },
    resultOf: ({ data }) => ({ status: data.status }),
  })
}

export async function closeSettlement({ caller, world, random }: Actor): Promise<void> {
  const client = random.pick(world.clients)
  await askOnce(caller, {
    operation: 'settlement',
    key: newKey('settlement'),
    client,
    body: {},
    path: '/api/v1/settlements',
    terms: { clientId: client.clientId },
    resultOf: ({ data }) => ({ reference: data.reference }),
  })
}
