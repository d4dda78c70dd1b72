// `--scale`: does it stay fast? Cold credits on an empty database, then 10 million accounts and
// 20 million credits, then cold credits again, spread over all of those accounts.
//
// Session ids carry their time, so new ones go to the right edge of two dozen places in the index.
// That is how NIP ids come; so that nobody takes it for granted, ids without any order are
// measured too.

import { HISTORY_BANK, historyNumber, writeHistory } from './history.ts'
import type { WorkOrder } from './load.ts'
import { load, type Result, ROWS } from './rows.ts'
import type { Stage } from './stage.ts'
import type { Outcome, Titled } from './table.ts'

const ACCOUNTS = 10_000_000
const SAMPLE = 1_000_000 // Accounts that are paid into: each at most once a row.
const SAMPLE_STEP = 7_654_321
const ROUNDS = 3 // The first ones write whole pages to the log, as after every checkpoint.

type Say = (line: string) => void

export async function runScale(stage: Stage, say: Say): Promise<Outcome> {
  const accounts = stage.options.small ? ACCOUNTS / 100 : ACCOUNTS
  const results = new Map<string, Titled>()
  const pgbench: Result[] = []
  const record = (name: string, title: string, result: Result | undefined) => {
    if (!result) return
    say(`${title}: ${Math.round(result.perSecond)}/s`)
    results.set(name, { ...result, title })
    if (name === 'pgbench') pgbench.push(result)
  }
  for (const name of ['pgbench', 'cold', 'arrays']) {
    const row = ROWS.find((each) => each.name === name)
    record(name, `${row?.title}, empty`, await row?.run(stage, results))
  }
  await writeHistory(stage.books.connectionString, accounts, say)
  const bytes = await stage.books.bytes()
  say(`all tables and indexes: ${(bytes / 1024 ** 3).toFixed(1)} GB`)

  const numbers = Array.from({ length: Math.min(SAMPLE, accounts) }, (_, at) =>
    historyNumber((at * SAMPLE_STEP) % accounts),
  )
  const at = `${(accounts / 1e6).toLocaleString('en')} M accounts`
  for (let round = 1; round <= ROUNDS; round++) {
    const title = `credits, one per request, cold, ${at} (${round} of ${ROUNDS})`
    const name = round === ROUNDS ? 'scale-cold' : `scale-cold-${round}`
    record(name, title, await credits(stage, numbers, { perRequest: 1, sessions: 'nip' }))
  }
  const arrays = await credits(stage, numbers, { perRequest: 100, sessions: 'nip' })
  record('scale-arrays', `credits, 100 per request, cold, ${at}`, arrays)
  const random = await credits(stage, numbers, { perRequest: 1, sessions: 'random' })
  record('scale-random', `the same as the first, session ids without order, ${at}`, random)
  const again = await ROWS.find((each) => each.name === 'pgbench')?.run(stage, results)
  if (again) pgbench.push(again)

  const problems = [...results.values()].flatMap((result) =>
    result.problems.map((problem) => `${result.title}: ${problem}`),
  )
  problems.push(...(await stage.books.audit()))
  return { results, pgbench, problems, memory: stage.memory }
}

// The audit of all this takes minutes, and is made once, at the end.
function credits(
  stage: Stage,
  numbers: readonly string[],
  { perRequest, sessions }: { perRequest: number; sessions: 'nip' | 'random' },
): Promise<Result> {
  const { warmUpMs, measureMs } = stage.options
  const perSecond = perRequest === 1 ? 25_000 : 700
  const work: WorkOrder = {
    kind: 'credits',
    feed: { tag: stage.nextTag(), sessions, numbers },
    bankCode: HISTORY_BANK,
    perRequest,
    requests: Math.ceil((perSecond * (warmUpMs + measureMs)) / 1000),
  }
  const job = { work, connections: perRequest === 1 ? 192 : 32 }
  return load(stage, { books: stage.books, counted: 'credits', job, isAudited: false })
}
