// Defines the loads of the bench and the rows of its table. Each row is a load and the references that run
// in turn with it.

import { measure } from './child-process.ts'
import type { Table } from './database.ts'
import type { Job } from './load-generator.ts'
import { runPgbench } from './pgbench.ts'
import { reconcile } from './reconcile-load.ts'
import type { Workload } from './requests.ts'
import { untilScreened } from './screening-load.ts'
import { beforeSettling, whileSettling } from './settlement-load.ts'
import { rateOf, type Slice } from './slice.ts'
import type { Target, Testbed } from './testbed.ts'
import { deliverBacklog, deliverBesideDead } from './webhook-loads.ts'

type TargetName =
  | 'service'
  | 'twoProcesses'
  | 'scale'
  | 'settlement'
  | 'unscreened'
  | 'screened'
  | 'reconciliation'
  | 'reference'
type MakeWorkload = (bed: Testbed, runTarget: Target) => Promise<Workload>

export type Load = {
  title: string
  target?: TargetName // A load without a target starts its own service.
  table?: Table | undefined // Must grow by exactly the number of acknowledged items.
  isOneLongSlice?: true
  // Returns undefined if the load cannot run on this machine, for example without pgbench. `latest` has the
  // slices that other loads have run in this round so far, by the name of the load.
  run(
    bed: Testbed,
    runTarget: Target,
    latest: ReadonlyMap<string, Slice>,
  ): Promise<Slice | undefined>
}

const CONNECTIONS = 192
const ARRAYS = { perRequest: 100, connections: 16 } // Few connections: more arrays would overflow the queue.
const HOT_ACCOUNTS = 50
// Enough requests are built for these rates. A faster service answers them all before the slice's time is
// over; the slice then ends early, and its rate is still right.
const CREDITS_PER_SECOND = 25_000
const ARRAYS_PER_SECOND = 700
const OTHERS_PER_SECOND = 14_000

// Runs one slice of requests in the load generator.
export function send(bed: Testbed, runTarget: Target, workload: Workload, job: Partial<Job> = {}) {
  const { warmUpMs, sliceMs } = bed.options
  const basics = { ports: runTarget.ports, connections: CONNECTIONS, warmUpMs, sliceMs, workload }
  const pids = { service: runTarget.pids, postgres: bed.cluster.pid }
  return measure(bed.generator, { ...basics, ...job } satisfies Job, pids)
}

// Returns how many requests to build, so that a slice at this rate does not run out of them.
function requestsFor({ options }: Testbed, perSecond: number): number {
  return Math.ceil((perSecond * (options.warmUpMs + options.sliceMs)) / 1000) + CONNECTIONS
}

export type CreditShape = Partial<Job> & { accounts?: number; perRequest?: number; share?: number }

// A load of credits. `share` sets the rate, as a share of the rate of the cold load in the same round;
// without a share or `perSecond`, credits are sent as fast as they are answered.
export function credits(title: string, target: TargetName, shape: CreditShape = {}): Load {
  const { accounts, perRequest = 1, share, ...job } = shape
  const run: Load['run'] = (bed, runTarget, latest) => {
    const cold = latest.get('cold')
    const pace = share && cold ? { perSecond: rateOf(cold) * share } : {}
    const perSecondMax = perRequest === 1 ? CREDITS_PER_SECOND : ARRAYS_PER_SECOND
    // Three times as many, because `job` may make the slice longer than the options do.
    const count = requestsFor(bed, pace.perSecond ? pace.perSecond * 3 : perSecondMax)
    const first = bed.nextCredits(count * perRequest)
    const to = { accounts: accounts ?? runTarget.accounts, perRequest, first, count }
    return send(bed, runTarget, { kind: 'credits', ...to }, { ...pace, ...job })
  }
  return { title, target, table: 'credits', run }
}

// A load of other requests to the service; `make` builds them before each slice.
function requests(title: string, table: Table | undefined, make: MakeWorkload): Load {
  const run: Load['run'] = async (bed, runTarget) =>
    send(bed, runTarget, await make(bed, runTarget))
  return { title, target: 'service', table, run }
}

// A load that measures itself, in one long slice instead of rounds.
const longLoad = (title: string, run: Load['run']): Load => ({ title, run, isOneLongSlice: true })

// A load that runs slice after slice while the service closes a settlement of all earlier credits.
const settling = (title: string, load: Load): Load => ({
  ...load,
  title,
  isOneLongSlice: true,
  run: (bed, runTarget, latest) =>
    whileSettling(bed, runTarget, () => load.run(bed, runTarget, latest)),
})

// Runs the same load before the settlement is closed, as the reference for `settling`.
const unsettled = (load: Load): Load => ({
  ...load,
  run: (bed, runTarget, latest) => beforeSettling(bed, () => load.run(bed, runTarget, latest)),
})

const NORMAL_PER_SECOND = 2_000
const normal = credits('credits at a normal rate', 'settlement', { perSecond: NORMAL_PER_SECOND })

// The load for the rows about screening. It is slow enough that a worker can run beside the service on two
// cores.
const SCREENED = { perRequest: 100, connections: 16, perSecond: 30, warmUpMs: 0, sliceMs: 5_000 }

// A load of credits whose slices end only when a worker has screened every credit.
const screened = (title: string, target: TargetName): Load => {
  const load = credits(title, target, SCREENED)
  return {
    ...load,
    run: (bed, runTarget, latest) =>
      untilScreened(bed, runTarget, () => load.run(bed, runTarget, latest)),
  }
}

export const LOADS: Record<string, Load> = {
  cold: credits('credits, one per request, cold', 'service'),
  hot: credits('credits, one per request, hot', 'service', { accounts: 1 }),
  arrays: credits('credits, 100 per request, cold', 'service', ARRAYS),
  create: requests('create account', 'collection_accounts', async (bed, runTarget) => {
    const token = await bed.token(runTarget.ports[0] as number)
    return { kind: 'create', token, count: requestsFor(bed, OTHERS_PER_SECOND) }
  }),
  initiate: requests('initiate payment', 'payments', async (bed, { database }) => {
    const adviceIds = await database.createAdvices(requestsFor(bed, OTHERS_PER_SECOND))
    return { kind: 'initiate', adviceIds }
  }),
  get: requests('get account', undefined, async (bed, { ports, accounts }) => {
    const token = await bed.token(ports[0] as number)
    return { kind: 'get', token, accounts, count: accounts }
  }),
  view: requests('a list or the overview', undefined, async (bed, { ports }) => {
    const token = await bed.token(ports[0] as number)
    return { kind: 'view', token, paths: ['/api/v1/overview', '/api/v1/credits?limit=20'] }
  }),
  quiet: credits('credits at 30% of the cold rate', 'service', { share: 0.3 }),
  two: credits('two processes, cold', 'twoProcesses'),
  'two-hot': credits(`two processes, ${HOT_ACCOUNTS} hot accounts`, 'twoProcesses', {
    accounts: HOT_ACCOUNTS,
  }),
  webhooks: longLoad('webhooks, 8 endpoints', deliverBacklog),
  dead: longLoad('webhooks beside 1,000 dead endpoints', deliverBesideDead),
  'few-hot': credits(`one process, ${HOT_ACCOUNTS} hot accounts`, 'service', {
    accounts: HOT_ACCOUNTS,
  }),
  naive: credits('naive: one transaction per request', 'reference'),
  unbatched: credits('naive, one connection: one unbatched commit', 'reference', {
    connections: 1,
  }),
  pgledger: { title: "pgledger's pattern", run: (bed) => runPgbench(bed, 'pgledger') },
  pgbench: { title: 'pgbench TPC-B', run: (bed) => runPgbench(bed, 'tpcb') },
  empty: {
    ...requests('empty Fastify route', undefined, async () => ({ kind: 'empty' })),
    target: 'reference',
  },
  normal: unsettled(normal),
  settlement: settling('credits at a normal rate, while a settlement is closed', normal),
  unscreened: screened('credits, 100 per request, and all that workers do', 'unscreened'),
  screened: screened('the same, with all kinds of rules in force', 'screened'),
  reconcile: {
    ...longLoad('statement lines, reconciled with as many credits', reconcile),
    target: 'reconciliation',
  },
  'scale-cold': credits('credits, one per request, 10 M accounts', 'scale'),
  'scale-arrays': credits('credits, 100 per request, 10 M accounts', 'scale', ARRAYS),
}

// For each row, the loads that run before the row's own load in every round. The report compares the row with
// the last load of its list.
export const ROWS: Record<string, readonly string[]> = {
  cold: ['pgbench'],
  hot: ['pgbench'],
  arrays: ['pgbench'],
  create: ['pgbench'],
  initiate: ['pgbench'],
  get: ['empty'],
  quiet: ['cold', 'unbatched'],
  two: ['cold'],
  'two-hot': ['few-hot'],
  webhooks: [],
  dead: [],
  naive: ['pgbench'],
  pgledger: ['pgbench'],
  settlement: ['normal'],
  screened: ['unscreened'],
  reconcile: [],
}
export const SCALE_ROWS: typeof ROWS = { 'scale-cold': ['cold'], 'scale-arrays': ['arrays'] }
