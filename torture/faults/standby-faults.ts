// A primary and its standby, and an HA manager like Patroni: it notices after a while, fences the
// old primary, promotes the standby, and makes the other server follow. After healing, the manager
// has acted and service can resume. After settling, the pair is complete again, and commits wait
// for the standby as before.

import { setTimeout as sleep } from 'node:timers/promises'
import { BANK_CODE } from '../bank.ts'
import { startPayment } from '../client-actions.ts'
import type { Actor } from '../client-calls.ts'
import { cancelKnownPayout, cancelRefund } from '../money-out-actions.ts'
import type { Pair } from '../pair.ts'
import type { Random } from '../random.ts'
import type { PairTarget } from '../target.ts'
import { aWhile, type Fault, type Injected } from './fault.ts'

type StandbyFault = Fault<{ pair: Pair }>

type ManagedFault = {
  detail?: string
  lastsMs: number // Until the manager notices.
  act: () => Promise<void>
  settle: () => Promise<void>
}

// Makes the fault that the HA manager heals with `act`. `heal` starts the failover without waiting for it,
// because service may resume before it has ended; `settle` waits for it, and completes the pair.
function healedByManager({ act, settle, ...rest }: ManagedFault): Injected {
  let failover: Promise<void> | undefined
  return {
    ...rest,
    async heal() {
      failover = act()
      failover.catch(() => {}) // settle() throws the error later.
    },
    async settle() {
      await failover
      await settle()
    },
  }
}

// A fault of the pair, which never overlaps with another.
function standbyFault(name: string, inject: StandbyFault['inject']): StandbyFault {
  return { name, isAlone: true, inject }
}

// Restores the old primary as a standby from a new base backup, because its log may have diverged.
async function rebuildStandby(pair: Pair): Promise<void> {
  await pair.followAnew()
  await pair.requireStandby()
}

// Stops the primary and promotes the standby. The old primary follows with its own data: a clean
// stop leaves nothing unsent.
const switchover = standbyFault('switchover', async ({ pair }) => {
  await pair.primary.server.stop()
  return healedByManager({
    lastsMs: 0,
    act: () => pair.promote(),
    async settle() {
      await pair.follow()
      await pair.requireStandby()
    },
  })
})

// Kills the primary. The manager promotes the standby, and the old primary is rebuilt as its standby.
const primaryKilled = standbyFault('primary-killed', async ({ pair }, random) => {
  await pair.primary.server.kill()
  return healedByManager({
    lastsMs: aWhile(random),
    act: () => pair.promote(),
    settle: () => rebuildStandby(pair),
  })
})

// Cuts only the service off from the primary. The manager fences the primary by killing it, like a watchdog.
const primaryCut = standbyFault('primary-cut', async ({ pair }, random) => {
  pair.primary.link.halfOpen()
  return healedByManager({
    lastsMs: aWhile(random),
    async act() {
      await pair.primary.server.kill()
      await pair.promote()
    },
    async settle() {
      pair.clearLinks()
      await rebuildStandby(pair)
    },
  })
})

// Cuts the primary off from the service, the standby and the manager. The old primary goes on running
// alongside the new one, and no standby confirms its commits. It is stopped before it can be reached again.
const primaryIsolated = standbyFault('primary-isolated', async ({ pair }, random) => {
  const { link, replication } = pair.primary
  link.halfOpen()
  replication.halfOpen()
  return healedByManager({
    lastsMs: aWhile(random),
    act: () => pair.promote(),
    async settle() {
      await pair.standby.server.kill()
      pair.clearLinks()
      await rebuildStandby(pair)
    },
  })
})

// Kills the standby. Commits wait until it is back.
const standbyKilled = standbyFault('standby-killed', async ({ pair }, random) => {
  await pair.standby.server.kill()
  return healedByManager({
    lastsMs: aWhile(random),
    act: () => pair.follow(),
    settle: () => pair.requireStandby(),
  })
})

// Cuts replication silently: connections lose all data permanently, or pause and continue.
const replicationCut = standbyFault('replication-cut', async ({ pair }, random) => {
  const { replication } = pair.primary
  const isLost = random.happens(0.5)
  if (isLost) replication.halfOpen()
  else replication.stall()
  return healedByManager({
    detail: isLost ? 'half open' : 'stalled',
    lastsMs: aWhile(random),
    act: async () => pair.clearLinks(),
    settle: () => pair.requireStandby(),
  })
})

// Kills both servers, like a power cut. The manager promotes neither.
const bothKilled = standbyFault('both-killed', async ({ pair }, random) => {
  await Promise.all([pair.primary.server.kill(), pair.standby.server.kill()])
  return healedByManager({
    lastsMs: aWhile(random),
    async act() {
      await pair.primary.server.start()
      await pair.follow()
    },
    settle: () => pair.requireStandby(),
  })
})

export const STANDBY_FAULTS: readonly StandbyFault[] = [
  switchover,
  primaryKilled,
  primaryCut,
  primaryIsolated,
  standbyKilled,
  replicationCut,
  bothKilled,
]

const LAG_MS = [1_500, 4_000] as const
const QUEUED = `select from payouts where status = 'queued' and bank_code = '${BANK_CODE}' limit 1`
const QUEUED_WITHIN_MS = 15_000

// Commits do not wait for the standby. The workers are frozen until the standby knows a queued payout; then
// replication stops, the workers continue and send the payout, and the primary dies with the data that only
// it had. To the promoted standby, the payout looks unsent.
async function loseWithLag({ pair, roles }: PairTarget, random: Random): Promise<Injected> {
  for (const { process } of roles.workers) process.signal('SIGSTOP')
  const giveUpAtMs = performance.now() + QUEUED_WITHIN_MS
  // Whether the standby has received a payout that is still queued.
  const isQueued = async () => {
    const queued = await pair.standby.server.query(QUEUED, 'manilla').catch(() => [])
    return queued.length > 0
  }
  while (!(await isQueued()) && performance.now() < giveUpAtMs) await sleep(50)
  pair.primary.replication.stall()
  for (const { process } of roles.workers) process.signal('SIGCONT')
  return killLagging({ pair, roles }, random)
}

// Replication stops under the usual load, and the primary dies with what only it had: leases of numbers,
// orders to the bank, cancellations and refunds.
async function loseUnderLoad({ pair, roles }: PairTarget, random: Random): Promise<Injected> {
  pair.primary.replication.stall()
  return killLagging({ pair, roles }, random)
}

const WORKERS_LATE_MS = 8_000

// Kills the primary after a lag. While the standby is promoted, clients cancel and ask for numbers. The
// workers are frozen until a while after the promotion, so that none notices it before the clients' calls.
async function killLagging(
  { pair, roles }: Pick<PairTarget, 'pair' | 'roles'>,
  random: Random,
): Promise<Injected> {
  const lagMs = random.integer(...LAG_MS)
  await sleep(lagMs)
  for (const { process } of roles.workers) process.signal('SIGSTOP')
  await pair.primary.server.kill()
  const failover = healedByManager({
    detail: `${lagMs} ms`,
    lastsMs: aWhile(random),
    async act() {
      await pair.promote()
      await sleep(WORKERS_LATE_MS)
      for (const { process } of roles.workers) process.signal('SIGCONT')
    },
    async settle() {
      pair.clearLinks()
      await pair.followAnew()
    },
  })
  return { ...failover, press: pressAfterLoss }
}

const CANCELLED = 30
const STARTED = 20

// Clients cancel the newest payouts and some refunds, and start payments, all at once: the calls wait for the
// new primary.
async function pressAfterLoss(actor: Actor): Promise<void> {
  const forked = () => ({ ...actor, random: actor.random.fork() })
  await Promise.all([
    ...actor.world.payouts.items
      .slice(-CANCELLED)
      .map((payout) => cancelKnownPayout(forked(), payout)),
    ...Array.from({ length: STARTED }, () => startPayment(forked())),
    ...Array.from({ length: STARTED / 2 }, () => cancelRefund(forked())),
  ])
}

// Faults of a pair whose commits do not wait for the standby.
export const LAG_FAULTS: readonly Fault<PairTarget>[] = [
  { name: 'primary-lost-with-lag', isAlone: true, inject: loseWithLag },
  { name: 'primary-lost-under-load', isAlone: true, inject: loseUnderLoad },
]
