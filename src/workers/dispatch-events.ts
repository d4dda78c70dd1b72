// Dispatches new events to their destinations and wakes the deliverer. Dispatches all clients
// together, and one by one after a failure, so that one client’s bad event does not block the others.

import { dueNow } from '#client-time.ts'
import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { isConnectionLost, withTransaction } from '#db/transaction.ts'
import { dispatchEvents, findWaiting } from '#domain/webhooks/dispatch-events.ts'
import type { ClientId } from '#ids.ts'
import type { Logger } from '#log.ts'
import type { Notifier } from '#notifier.ts'
import type { Round } from './loop.ts'

type DispatcherDeps = {
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
    const { now, only } = dueNow(clock)
    const whose = clientId ?? only
    const dispatched = await withTransaction(pool, (tx) =>
      dispatchEvents(tx, now, { clientId: whose }),
    )
    if (dispatched.deliveries > 0) deliverer.call()
    return dispatched.events > 0
  }

  return async () => {
    try {
      return { more: await dispatch() }
    } catch (error) {
      if (isConnectionLost(error)) throw error
      log.error({ err: error }, 'failed to dispatch events; retrying client by client')
    }
    let more = false
    for (const clientId of await findWaiting(pool)) {
      try {
        more = (await dispatch(clientId)) || more
      } catch (error) {
        log.error(
          { err: error, client: clientId.toString() },
          'failed to dispatch events of a client',
        )
      }
    }
    return { more }
  }
}
