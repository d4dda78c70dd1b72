// The loads, and the rows of the table: each a load with what its slices alternate with.

import { measure } from './child-process.ts'
import type { BenchDatabase, Table } from './database.ts'
import type { Job } from './load-generator.ts'
import { runPgbench } from './pgbench.ts'
import type { Workload } from './requests.ts'
import { rateOf, type Slice } from './slice.ts'
import type { Target, Testbed } from './testbed.ts'
import { deliverBacklog, deliverBesideDead } from './webhook-loads.ts'

export type Load = {
  title: string
  table?: Table // Grows by exactly what is acknowledged.
  target(bed: Testbed): Promise<Target>
  // Undefined: not to be had here. `latest` has the last slice of each load in this row.
  run(bed: Testbed, on: Target, latest: Map<string, Slice>): Promise<Slice | undefined>
}

const CONNECTIONS = 192
const ARRAY_CONNECTIONS = 32 // 3,200 credits in flight; 192 would be more than the queue takes.
const OVERLOAD_CONNECTIONS = 4_000 // So many that the generator itself holds nothing back.
const ARRAY = 100
const HOT_FEW = 50
// Requests are made for these rates; a slice that is faster ends early, and is right.
const CREDITS_PER_SECOND = 25_000
const ARRAYS_PER_SECOND = 700
const OTHERS_PER_SECOND = 14_000

const service = (bed: Testbed) => bed.service()

export function post(bed: Testbed, on: Target, job: Partial<Job> & { workload: Workload }) {
  const { warmUpMs, sliceMs } = bed.options
  const whole: Job = { ports: on.ports, connections: CONNECTIONS, warmUpMs, sliceMs, ...job }
  return measure(bed.generator, whole, { service: on.pids, postgres: bed.cluster.pid })
}

type CreditLoad = Partial<Job> & { accounts?: number; perRequest?: number }

function credits(
  title: string,
  target: Load['target'],
  given: CreditLoad & { share?: number } = {},
): Load {
  const { accounts, perRequest = 1, share, ...job } = given
  const atRate = perRequest === 1 ? CREDITS_PER_SECOND : ARRAYS_PER_SECOND
  return {
    title,
    table: 'credits',
    target,
    run: (bed, on, latest) => {
      const cold = latest.get('cold')
      const paced = share && cold ? { perSecond: rateOf(cold) * share } : {}
      const count = requestsFor(bed, paced.perSecond ? paced.perSecond * 1.3 : atRate)
      const first = bed.takeCredits(count * perRequest)
      const to = accounts ?? on.accounts
      const workload = { kind: 'credits', accounts: to, perRequest, first, count } as const
      return post(bed, on, { workload, ...paced, ...job })
    },
  }
}

function requestsFor({ options }: Testbed, perSecond: number): number {
  return Math.ceil((perSecond * (options.warmUpMs + options.sliceMs)) / 1000) + CONNECTIONS
}

const arrays = { perRequest: ARRAY, connections: ARRAY_CONNECTIONS }
const overload = { connections: OVERLOAD_CONNECTIONS, mayRefuse: true }
const twoProcesses = (bed: Testbed) => bed.twoProcesses()
const naive = (bed: Testbed) => bed.naive()
const scale = (bed: Testbed) => bed.scaleService()

function pgbench(title: string, script: 'tpcb' | 'pgledger'): Load {
  const nowhere = { ports: [], pids: [], accounts: 0 }
  return { title, target: async () => nowhere, run: (bed) => runPgbench(bed, script) }
}

export const LOADS: Record<string, Load> = {
  cold: credits('credits, one per request, cold', service),
  hot: credits('credits, one per request, hot', service, { accounts: 1 }),
  arrays: credits('credits, 100 per request, cold', service, arrays),
  create: {
    title: 'create account',
    table: 'collection_accounts',
    target: service,
    run: async (bed, on) => {
      const count = requestsFor(bed, OTHERS_PER_SECOND)
      return post(bed, on, { workload: { kind: 'create', token: await bed.token(), count } })
    },
  },
  initiate: {
    title: 'initiate payment',
    table: 'payments',
    target: service,
    run: async (bed, on) => {
      const database = on.database as BenchDatabase
      const adviceIds = await database.createAdvices(requestsFor(bed, OTHERS_PER_SECOND))
      return post(bed, on, { workload: { kind: 'initiate', adviceIds } })
    },
  },
  get: {
    title: 'get account',
    target: service,
    run: async (bed, on) => {
      const { accounts } = on
      const token = await bed.token()
      return post(bed, on, { workload: { kind: 'get', token, accounts, count: accounts } })
    },
  },
  quiet: credits('credits at 30% of the cold rate', service, { share: 0.3 }),
  double: credits('credits at 200% of the cold rate', service, { share: 2, ...overload }),
  fourfold: credits('credits at 400% of the cold rate', service, { share: 4, ...overload }),
  two: credits('two processes, cold', twoProcesses),
  'two-hot': credits(`two processes, ${HOT_FEW} hot accounts`, twoProcesses, { accounts: HOT_FEW }),
  webhooks: {
    title: 'webhooks, 8 endpoints',
    target: async (bed) => ({ ports: [], pids: [], accounts: bed.options.accounts }),
    run: deliverBacklog,
  },
  dead: {
    title: 'webhooks beside 1,000 dead endpoints',
    target: async (bed) => ({ ports: [], pids: [], accounts: bed.options.accounts }),
    run: deliverBesideDead,
  },
  'few-hot': credits(`one process, ${HOT_FEW} hot accounts`, service, { accounts: HOT_FEW }),
  naive: credits('naive: one transaction per request', naive),
  unbatched: credits('naive, one connection: one unbatched commit', naive, { connections: 1 }),
  pgledger: pgbench("pgledger's pattern: one function call per transfer", 'pgledger'),
  pgbench: pgbench('pgbench TPC-B, 8 clients, prepared', 'tpcb'),
  empty: {
    title: 'empty Fastify route',
    target: (bed) => bed.empty(),
    run: (bed, on) => post(bed, on, { workload: { kind: 'empty' } }),
  },
  'scale-cold': credits('credits, one per request, 10 M accounts', scale),
  'scale-arrays': credits('credits, 100 per request, 10 M accounts', scale, arrays),
}

// What runs in every round before the row's own load; the last is its reference.
export const ROWS: Record<string, readonly string[]> = {
  cold: ['pgbench'],
  hot: ['pgbench'],
  arrays: ['pgbench'],
  create: ['pgbench'],
  initiate: ['pgbench'],
  get: ['empty'],
  quiet: ['cold', 'unbatched'],
  double: ['cold'],
  fourfold: ['cold'],
  two: ['cold'],
  'two-hot': ['few-hot'],
  webhooks: [],
  dead: [],
  naive: ['pgbench'],
  pgledger: ['pgbench'],
}

export const SCALE_ROWS: typeof ROWS = { 'scale-cold': ['cold'], 'scale-arrays': ['arrays'] }
