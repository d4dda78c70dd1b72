// Puts new events into the queues of their destinations, and wakes the deliverer.
//
// Clients are taken together; should that fail, one by one, so that what is wrong with one client's
// events holds up nobody else's.

import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { isConnectionLost, withTransaction } from '#db/transaction.ts'
import { dispatchEvents, findWaiting } from '#domain/webhooks/dispatch-events.ts'
import type { ClientId } from '#ids.ts'
import type { Logger } from '#log.ts'
import type { Notifier } from '#notifier.ts'
import type { Round } from './loop.ts'

export type DispatcherDeps = {
  webhookPool: Pool
  clock: Clock
  log: Logger
  deliverer: Notifier
}

export function dispatchEventsRound({
  webhookPool: pool,
  clock,
  log,
  deliverer,
}: DispatcherDeps): Round {
  const dispatch = async (clientId?: ClientId) => {
    const done = await withTransaction(pool, (tx) => dispatchEvents(tx, clock(), clientId))
    if (done.deliveries > 0) deliverer.call()
    return done.events > 0
  }

  return async () => {
    try {
      return { more: await dispatch() }
    } catch (error) {
      if (isConnectionLost(error)) throw error
      log.error({ err: error }, 'events could not be dispatched together')
    }
    let more = false
    for (const clientId of await findWaiting(pool)) {
      try {
        more = (await dispatch(clientId)) || more
      } catch (error) {
        log.error({ err: error, client: clientId.toString() }, 'events could not be dispatched')
      }
    }
    return { more }
  }
}
