// The rows of the table: each a load, put on the service or on a rival, and what must be in the
// books afterwards. Exactly what was acknowledged is booked, and the audit finds nothing; or the
// row is wrong, however fast it was.

import type { BatchOrder } from './batch-writer.ts'
import { type Books, type Counted, vacuum } from './books.ts'
import { type Measured, measure, startChild } from './children.ts'
import type { Job, WorkOrder } from './load.ts'
import { runPgbench } from './pgbench.ts'
import type { Stage } from './stage.ts'
import { WEBHOOK_ROWS } from './webhook-rows.ts'

export type Result = Measured & {
  problems: string[]
  bytesPerItem?: number
  walBytesPerItem?: number
  memory?: { first: number; peak: number } | undefined // Of a process of its own.
}

export type Row = {
  name: string
  title: string
  // Undefined: it cannot be had here.
  run(stage: Stage, results: ReadonlyMap<string, Result>): Promise<Result | undefined>
}

const CONNECTIONS = 192
const ARRAY_CONNECTIONS = 32 // 3,200 credits in flight; 192 would be more than the queue takes.
const ARRAY_CREDITS = 100
const OVERLOAD_CONNECTIONS = 4_000
const QUIET_SHARE = 0.3
const WARM_UP_ITEMS = 20_000

// Requests are made beforehand, for these rates; a row that is faster ends early, and is right.
const CREDITS_AHEAD = 25_000
const ARRAY_CREDITS_AHEAD = 70_000
const INITIATIONS_AHEAD = 14_000

type Run = {
  books?: Books
  counted?: Counted
  isAudited?: boolean
  job: Partial<Job> & { work: WorkOrder }
}

export async function load(
  stage: Stage,
  { books, counted, job, isAudited = true }: Run,
  server?: { pid: number },
): Promise<Result> {
  const cast = server ? { ...stage.cast, server: server.pid } : stage.cast
  const whole: Job = {
    port: stage.service.port,
    connections: CONNECTIONS,
    warmUpMs: stage.options.warmUpMs,
    warmUpItems: WARM_UP_ITEMS,
    measureMs: stage.options.measureMs,
    ...job,
  }
  return proven(books, counted, isAudited, () => measure(stage.generator, whole, cast))
}

async function proven(
  books: Books | undefined,
  counted: Counted | undefined,
  isAudited: boolean,
  run: () => Promise<Measured>,
): Promise<Result> {
  await books?.settle()
  const before = counted && (await books?.count(counted))
  const [bytes = 0, wal = 0] = [await books?.bytes(), await books?.walBytes()]
  const measured = await run()
  const { acknowledged, failures } = measured
  const problems: string[] = []
  if (failures.count > 0) problems.push(`${failures.count} failed, the first: ${failures.first}`)
  if (measured.items === 0) problems.push('nothing was answered while it was measured')
  if (!books) return { ...measured, problems }
  const walBytesPerItem = ((await books.walBytes()) - wal) / acknowledged
  const bytesPerItem = ((await books.bytes()) - bytes) / acknowledged
  const booked = counted === undefined ? 0 : (await books.count(counted)) - (before ?? 0)
  if (counted !== undefined && booked !== acknowledged) {
    problems.push(`${acknowledged} were acknowledged, but ${booked} ${counted} are in the books`)
  }
  if (isAudited) problems.push(...(await books.audit()))
  return { ...measured, problems, bytesPerItem, walBytesPerItem }
}

type CreditLoad = { numbers: readonly string[]; perRequest?: number; perSecond?: number }

export function creditOrder(stage: Stage, { numbers, perRequest = 1, perSecond }: CreditLoad) {
  const { warmUpMs, measureMs, sessions } = stage.options
  const rate = perSecond ?? (perRequest === 1 ? CREDITS_AHEAD : ARRAY_CREDITS_AHEAD / perRequest)
  return {
    kind: 'credits',
    feed: { tag: stage.nextTag(), sessions, numbers },
    bankCode: stage.service.config.collectionBankCode,
    perRequest,
    requests: Math.ceil((rate * (warmUpMs + measureMs)) / 1000) + CONNECTIONS,
  } as const
}

function creditsTo(stage: Stage, numbers: readonly string[], job: Partial<Job> = {}) {
  const work = creditOrder(stage, { numbers })
  return load(stage, { books: stage.books, counted: 'credits', job: { work, ...job } })
}

async function naiveCredits(stage: Stage, hot: boolean, job: Partial<Job> = {}): Promise<Result> {
  const { process, port, books, numbers } = await stage.naive()
  const perSecond = CREDITS_AHEAD / 2
  const work = creditOrder(stage, { numbers: hot ? numbers.slice(0, 1) : numbers, perSecond })
  return load(stage, { books, counted: 'credits', job: { work, port, ...job } }, process)
}

async function batches(stage: Stage, name: string, batchSize: number): Promise<Result> {
  const { books, numbers } = await stage.newBooks(name)
  const { warmUpMs, measureMs, sessions } = stage.options
  await using writer = startChild('batch-writer.ts')
  const order: BatchOrder = {
    connectionString: books.connectionString,
    ...stage.secrets,
    batchSize,
    warmUpMs,
    measureMs,
    feed: { tag: stage.nextTag(), sessions, numbers },
    bankCode: stage.service.config.collectionBankCode,
  }
  const cast = { postgres: stage.cast.postgres, server: writer.pid, generator: stage.generator.pid }
  // Awaited here: the writer ends with this block.
  return await proven(books, 'credits', true, () => measure(writer, order, cast))
}

// More than can be served, on so many connections that the generator itself holds nothing back.
// The rate and the latency are those of what was let in.
async function overload(stage: Stage, cold: Result | undefined, times: number) {
  if (!cold) return undefined
  const perSecond = cold.perSecond * times
  const work = creditOrder(stage, { numbers: stage.numbers, perSecond: perSecond * 1.2 })
  const job = { work, perSecond, connections: OVERLOAD_CONNECTIONS, mayRefuse: true }
  return load(stage, { books: stage.books, counted: 'credits', job })
}

export const ROWS: readonly Row[] = [
  {
    name: 'cold',
    title: 'credits, one per request, cold',
    run: (stage) => creditsTo(stage, stage.numbers),
  },
  {
    name: 'hot',
    title: 'credits, one per request, hot',
    run: (stage) => creditsTo(stage, stage.numbers.slice(0, 1)),
  },
  {
    name: 'arrays',
    title: 'credits, 100 per request, cold',
    run: (stage) => {
      const work = creditOrder(stage, { numbers: stage.numbers, perRequest: ARRAY_CREDITS })
      const job = { work, connections: ARRAY_CONNECTIONS }
      return load(stage, { books: stage.books, counted: 'credits', job })
    },
  },
  {
    name: 'create',
    title: 'create account',
    run: (stage) => {
      const work = { kind: 'accounts', token: stage.token } as const
      return load(stage, { books: stage.books, counted: 'collection_accounts', job: { work } })
    },
  },
  {
    name: 'initiate',
    title: 'initiate',
    run: async (stage) => {
      const { warmUpMs, measureMs } = stage.options
      const count = Math.ceil((INITIATIONS_AHEAD * (warmUpMs + measureMs)) / 1000)
      const work = { kind: 'initiations', adviceIds: await stage.books.openAdvices(count) } as const
      return load(stage, { books: stage.books, counted: 'payments', job: { work } })
    },
  },
  {
    name: 'get',
    title: 'get account',
    run: (stage) => {
      const work = { kind: 'get-accounts', token: stage.token, numbers: stage.numbers } as const
      return load(stage, { books: stage.books, job: { work } })
    },
  },
  {
    name: 'journey',
    title: 'mixed journey (4 requests)',
    run: (stage) => {
      const work = { kind: 'journeys', token: stage.token, tag: stage.nextTag() } as const
      return load(stage, { books: stage.books, counted: 'paid_payments', job: { work } })
    },
  },
  {
    name: 'quiet',
    title: 'credits at 30% of the cold rate',
    run: async (stage, results) => {
      const cold = results.get('cold')
      if (!cold) return undefined
      const perSecond = cold.perSecond * QUIET_SHARE
      const work = creditOrder(stage, { numbers: stage.numbers, perSecond: perSecond * 1.2 })
      const job = { work, perSecond }
      return load(stage, { books: stage.books, counted: 'credits', job })
    },
  },
  {
    name: 'double',
    title: 'credits at 200% of the cold rate',
    run: (stage, results) => overload(stage, results.get('cold'), 2),
  },
  {
    name: 'fourfold',
    title: 'credits at 400% of the cold rate',
    run: (stage, results) => overload(stage, results.get('cold'), 4),
  },
  ...WEBHOOK_ROWS,
  {
    name: 'naive',
    title: 'a: naive, one transaction each, cold',
    run: (stage) => naiveCredits(stage, false),
  },
  {
    name: 'naive-hot',
    title: 'a: naive, one transaction each, hot',
    run: (stage) => naiveCredits(stage, true),
  },
  {
    name: 'alone',
    title: 'a: naive, one connection (unbatched)',
    run: (stage) => naiveCredits(stage, false, { connections: 1 }),
  },
  {
    name: 'limit',
    title: 'b: database limit, batches of 1,000',
    run: (stage) => batches(stage, 'in_batches', 1_000),
  },
  {
    name: 'commit',
    title: 'b: one commit at a time, no HTTP',
    run: (stage) => batches(stage, 'one_by_one', 1),
  },
  {
    name: 'pgbench',
    title: 'c: pgbench TPC-B, 8 clients, prepared',
    run: async (stage) => {
      const program = await stage.pgbench()
      if (!program) return undefined
      await stage.books.settle()
      const seconds = Math.ceil(stage.options.measureMs / 1000)
      const measured = await runPgbench(program, stage.pgbenchPlace, seconds)
      await vacuum(stage.service.databaseUrl(stage.pgbenchPlace.database))
      return { ...measured, problems: [] }
    },
  },
  {
    name: 'empty',
    title: 'd: empty Fastify route',
    run: async (stage) => {
      const { process, port } = await stage.empty()
      return load(stage, { job: { port, work: { kind: 'empty' } } }, process)
    },
  },
]

// Rivals stand next to what they are compared with, and pgbench at the beginning, in the middle and
// at the end: how far its three differ is how far the machine can be trusted.
export const ORDER: readonly string[] = [
  ...['pgbench', 'cold', 'naive', 'hot', 'naive-hot', 'arrays', 'limit', 'pgbench'],
  ...[
    'create',
    'get',
    'empty',
    'initiate',
    'journey',
    'quiet',
    'double',
    'fourfold',
    'alone',
    'commit',
    'pgbench',
  ],
  ...['webhooks', 'dead'],
]
