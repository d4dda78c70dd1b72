// Delivers due webhooks with the workers' own dispatcher and deliverer.

import assert from 'node:assert/strict'
import { bankNames } from '#banks/directory.ts'
import type { Pool } from '#db/pool.ts'
import { createLogger } from '#log.ts'
import { Notifier } from '#notifier.ts'
import { Sealer } from '#seal.ts'
import { Deliverer, dispatchEventsRound } from '#webhooks/workers.ts'
import { patientBatchPool } from './database.ts'
import type { Bench } from './running-service.ts'

const ROUNDS_MAX = 100
const LOG = createLogger({ level: 'silent' })

// Dispatches all events and attempts deliveries until none is due.
export async function deliverDue({ config, database, clock }: Bench): Promise<void> {
  const { connectionString } = database
  const pool = patientBatchPool(connectionString, 4)
  const { signal } = new AbortController()
  const { mode, banks, policy, secrets } = config
  const notifier = new Notifier()
  const deps = { webhookPool: pool, clock, log: LOG }
  const dispatch = dispatchEventsRound({ ...deps, notifier })
  while ((await dispatch(signal)).more);
  const deliverer = new Deliverer({
    ...deps,
    notifier,
    sealer: new Sealer(secrets.data, secrets.hash),
    rendering: { mode, nameBank: bankNames(banks), nameStyle: policy.accountName },
  })
  for (let rounds = 0; await isAnyDue(pool, clock()); rounds++) {
    assert(rounds < ROUNDS_MAX, 'what is due is not delivered')
    await deliverer.round(signal)
    await deliverer.idle()
  }
  await deliverer.stop()
  await pool.end()
}

// Whether a delivery is due whose destination is neither disabled nor paused.
async function isAnyDue(pool: Pool, now: Date): Promise<boolean> {
  const { rows } = await pool.query<{ due: boolean }>(
    `select exists (select from deliveries v join destinations d on d.id = v.destination_id
                     where v.state = 'pending' and v.next_attempt_at <= $1
                       and d.disabled_at is null
                       and (d.paused_until is null or d.paused_until <= $1)) as due`,
    [now],
  )
  return rows[0]?.due ?? false
}
