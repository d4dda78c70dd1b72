// Measures the cost of screening: sends credits, at a rate that the machine keeps up with, to two equal
// services with a worker each. One has all kinds of screening rules in force, the other none. A slice lasts
// until its credits are screened; its CPU time includes the work after the last response.

import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { BenchDatabase } from './database.ts'
import { cpuBetween, readCpu } from './process-stats.ts'
import type { Slice } from './slice.ts'
import type { Target, Testbed } from './testbed.ts'

const NAMES = 36_000 // As many as the lists of the UN and of OFAC have together.
const CATCH_UP_MS = 2_000 // Lets the workers finish work other than screening, which both services have.
const GIVE_UP_MS = 60_000
const POLL_MS = 50

// No credit of the bench breaks one of these rules, because the bench measures screening, not holds.
const RULES = [
  ['velocity', { count: 1_000, minutes: 60 }],
  ['structuring', { amountKobo: '500000', percent: 10, count: 1_000, minutes: 60 }],
  ['new_payer', { amountKobo: '1000000000', days: 30 }],
  ['many_payers', { count: 1_000, minutes: 1_440 }],
  ['list', { list: 'bench', score: 92 }],
] as const

// Inserts one active rule of each kind, and a list of made-up names for the rule on names.
export async function activateAllRules({ db }: BenchDatabase): Promise<void> {
  const entries = Array.from({ length: NAMES }, (_, at) => ({ id: `${at}`, names: [nameOf(at)] }))
  await db.query(
    `insert into screening_lists (name, format, sha256, entries, names, added, removed, content,
                                  effective_from, uploaded_by)
     values ('bench', 'csv', '', $1, $1, $1, 0, $2, now(), 'bench')`,
    [NAMES, await promisify(gzip)(JSON.stringify(entries))],
  )
  for (const [at, [kind, params]] of RULES.entries()) {
    await db.query(
      `insert into screening_rules (reference, name, version, subject, kind, outcome, params,
                                    created_by, created_at, tested_at, test, effective_from)
       values ($1, $2, 1, 'credit', $2, 'hold', $3, 'bench', now(), now(), '{}', now())`,
      [`SCR${String(at).padStart(15, '0')}`, kind, params],
    )
  }
}

const SYLLABLES = [
  'ba',
  'de',
  'fi',
  'go',
  'hu',
  'ka',
  'le',
  'mi',
  'no',
  'ru',
  'sa',
  'te',
  'wi',
  'yo',
]

// Returns a made-up name of three words with three syllables each, the same for the same serial.
function nameOf(serial: number): string {
  let state = serial * 7_919 + 1 // The state of a Lehmer random number generator.
  const word = () =>
    Array.from({ length: 3 }, () => {
      state = (state * 48_271) % 2_147_483_647
      return SYLLABLES[state % SYLLABLES.length]
    }).join('')
  return [word(), word(), word()].join(' ')
}

// Runs a slice, and measures its CPU time until a worker has screened its last credit. The plain slice would
// leave out what the worker does after the last answer.
export async function untilScreened(
  bed: Testbed,
  { pids, database }: Target,
  run: () => Promise<Slice | undefined>,
): Promise<Slice> {
  const measuredPids = { service: pids, postgres: bed.cluster.pid, load: bed.generator.pid }
  const before = readCpu(measuredPids)
  const slice = (await run()) as Slice
  await sleep(CATCH_UP_MS)
  const giveUpAtMs = performance.now() + GIVE_UP_MS
  while (!(await isScreened(database))) {
    if (performance.now() > giveUpAtMs) throw new Error('the credits were never screened')
    await sleep(POLL_MS)
  }
  return { ...slice, items: slice.acknowledged, cpu: cpuBetween(before, readCpu(measuredPids)) }
}

// Whether the worker has screened the newest credit. Without rules nothing is screened, so the service
// without rules is done at once.
async function isScreened({ db }: BenchDatabase): Promise<boolean> {
  const { rows } = await db.query<{ isDone: boolean }>(
    `select not exists (select from screening_rules)
            or exists (select from screening_progress
                        where credit_id >= (select last_value from credit_ids)) as is_done`,
  )
  return rows[0]?.isDone === true
}
