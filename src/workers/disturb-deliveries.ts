// Applies the chaos settings of webhook endpoints before and after a delivery. Does nothing in live
// mode, or for endpoints without settings.

import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { applyChaos, findDisturbed, releaseOvertaken } from '#domain/webhooks/apply-chaos.ts'
import type { AttemptResult } from '#domain/webhooks/attempt-delivery.ts'
import { type Repeat, recordRepeats } from '#domain/webhooks/record-repeats.ts'
import type { Rendering } from '#domain/webhooks/render-events.ts'
import type { Notifier } from '#notifier.ts'
import type { PreparedDelivery } from './prepare-deliveries.ts'

type Deps = {
  webhookPool: Pool
  rendering: Rendering
  clock: Clock
  notifier: Notifier
  random?: () => number
}

export type SentDelivery = AttemptResult & { signature: string | null }
type Send = (prepared: PreparedDelivery, at: Date) => Promise<SentDelivery>

// Returns the deliveries to send. Ignores deliveries without a body.
export async function disturbDeliveries(
  { webhookPool, rendering, clock, random = Math.random }: Deps,
  prepared: readonly PreparedDelivery[],
): Promise<readonly PreparedDelivery[]> {
  if (rendering.mode === 'live') return prepared
  const sendable = prepared.flatMap(({ claim, body }) => (body ? [claim] : []))
  const claims = await findDisturbed(webhookPool, sendable)
  if (claims.length === 0) return prepared
  const disturbances = await withTransaction(webhookPool, (tx) =>
    applyChaos(tx, { now: clock(), random }, claims),
  )
  const touched = new Set(claims)
  return prepared.flatMap((each) => {
    if (!touched.has(each.claim)) return [each]
    const disturbance = disturbances.get(each.claim)
    return disturbance ? [{ ...each, disturbance }] : []
  })
}

// Call after the delivery is recorded. None of this has to succeed.
export async function afterDelivery(
  { webhookPool, clock, notifier }: Deps,
  prepared: PreparedDelivery,
  { send, signal, isOk }: { send: Send; signal: AbortSignal; isOk: boolean },
): Promise<void> {
  const { claim, disturbance } = prepared
  if (!disturbance) return
  const { overtakes: eventId, repeats: times } = disturbance
  const repeats: Repeat[] = []
  while (isOk && repeats.length < times && !signal.aborted) {
    const attemptedAt = clock()
    repeats.push({ ...(await send(prepared, attemptedAt)), attemptedAt })
  }
  await withTransaction(webhookPool, async (tx) => {
    if (repeats.length > 0) await recordRepeats(tx, claim, repeats)
    if (eventId === null) return
    await releaseOvertaken(tx, clock(), { eventId, destinationId: claim.destinationId })
  })
  if (eventId !== null) notifier.call()
}
