// `npm run bench -- --only size --credits 100000000`: measures reads in a database with that many credits
// and in one with a million (quick: two million and 100,000): lists, search, and a credit's timeline.
// Slices on the two databases alternate.

import { writeCreditBlock } from '#db/bounds.ts'
import { machine, postgresUs } from './report.ts'
import { send } from './rows.ts'
import { quantile, rateOf, type Slice } from './slice.ts'
import type { Target, Testbed } from './testbed.ts'

const SAMPLES = 500
const CONNECTIONS = 8
const WARM_UP_ROUNDS = 1
const RATIO_MIN = 0.8

type Sample = { sessionId: string; accountNumber: string; day: string; id: number }
type PathOf = (sample: Sample) => string

const VIEWS: Record<string, PathOf> = {
  'list of credits': () => '/api/v1/credits?limit=20',
  'list of a day': ({ day }) =>
    `/api/v1/credits?limit=20&from=${day}T00:00:00Z&to=${day}T23:00:00Z`,
  'list of an account': ({ accountNumber }) => `/api/v1/credits?accountNumber=${accountNumber}`,
  'search by session id': ({ sessionId }) => `/api/v1/search?q=${sessionId}`,
  'search by account number': ({ accountNumber }) => `/api/v1/search?q=${accountNumber}`,
  'credit by session id': ({ sessionId }) => `/api/v1/credits?sessionId=${sessionId}`,
  'timeline of a credit': ({ id }) => `/api/v1/credits/${id}/timeline`,
  'account with its balance': ({ accountNumber }) => `/api/v1/accounts/static/${accountNumber}`,
}

type Side = { runTarget: Target; samples: Sample[] }
type Round = readonly [small: Slice, large: Slice]

// Measures each view on both databases, and returns the report.
export async function runSizes(bed: Testbed): Promise<string> {
  const small = await prepare(bed, await bed.few())
  const large = await prepare(bed, await bed.many())
  const rows: string[] = []
  for (const [title, path] of Object.entries(VIEWS)) {
    console.error(`  ${title}`)
    const rounds: Round[] = []
    for (let round = 0; round < WARM_UP_ROUNDS + bed.options.slices; round++) {
      rounds.push([await readView(bed, small, path), await readView(bed, large, path)])
    }
    rows.push(rowOf(title, rounds.slice(WARM_UP_ROUNDS)))
  }
  const { rows: sizes } = await large.runTarget.database.db.query<{ size: string }>(
    'select pg_size_pretty(pg_database_size(current_database())) as size',
  )
  const [count, few] = [bed.options.credits, bed.options.fewCredits].map((each) =>
    each.toLocaleString('en'),
  )
  return [
    `${count} credits (${sizes[0]?.size}); ${machine()}`,
    [
      `| read | a second, of ${few} | µs of PostgreSQL | of ${count} | µs of PostgreSQL | ratio |`,
      '| --- | ---: | ---: | ---: | ---: | ---: |',
      ...rows,
    ].join('\n'),
  ].join('\n\n')
}

// Starts the service on a database, and draws samples that are spread evenly over its credits.
async function prepare(bed: Testbed, runTarget: Target): Promise<Side> {
  // Records all blocks of credits, as a worker does in the background: queries by time use the blocks.
  while (await writeCreditBlock(runTarget.database.db));
  await runTarget.database.settle()
  const { rows } = await runTarget.database.db.query<Omit<Sample, 'id'>>(
    `select c.session_id as "sessionId", c.account_number as "accountNumber",
            to_char(c.received_at at time zone 'Africa/Lagos', 'YYYY-MM-DD') as day
       from (select min(id) as first, max(id) as last from credits) as b,
            generate_series(1, $1) as n,
            lateral (select * from credits
                      where id >= b.first + ((b.last - b.first) * (n::float8 / $1))::bigint
                      order by id limit 1) as c`,
    [SAMPLES],
  )
  const samples: Sample[] = []
  for (const row of rows) {
    const { data } = await get(bed, runTarget, `/api/v1/credits?sessionId=${row.sessionId}`)
    const [credit] = data
    if (!credit) throw new Error(`${row.sessionId} is not found`)
    samples.push({ ...row, id: credit.id })
  }
  return { runTarget, samples }
}

// Reads a path of the API as the client.
async function get(bed: Testbed, { ports: [port = 0] }: Target, path: string) {
  const headers = { authorization: `Bearer ${await bed.token(port)}` }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
  return (await response.json()) as { data: { id: number }[] }
}

// Runs one slice of reads of a view, one path for each sample.
async function readView(bed: Testbed, { runTarget, samples }: Side, path: PathOf): Promise<Slice> {
  const token = await bed.token(runTarget.ports[0] as number)
  const workload = { kind: 'view', token, paths: samples.map(path) } as const
  const slice = await send(bed, runTarget, workload, { connections: CONNECTIONS })
  if (slice.failures.count > 0) throw new Error(`failed: ${slice.failures.first}`)
  return slice
}

// Renders the row of one view. A ratio below RATIO_MIN sets the exit code.
function rowOf(title: string, rounds: readonly Round[]): string {
  const median = (of: (round: Round) => number) => quantile(rounds.map(of), 0.5)
  const ratio = median(([small, large]) => rateOf(large) / rateOf(small))
  if (ratio < RATIO_MIN) process.exitCode = 1
  const cells = [
    title,
    median(([small]) => rateOf(small)).toFixed(0),
    median(([small]) => postgresUs(small)).toFixed(0),
    median(([, large]) => rateOf(large)).toFixed(0),
    median(([, large]) => postgresUs(large)).toFixed(0),
    `${ratio.toFixed(2)} ${ratio >= RATIO_MIN ? '✓' : '✗'}`,
  ]
  return `| ${cells.join(' | ')} |`
}
