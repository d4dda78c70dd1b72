// `npm run torture`: faults under load, and proof that nothing was lost, doubled or made up.
// options.ts lists the options, docs/reliability.md the proofs. Exits with 1 when it found
// anything.

import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drawFaults, FAULTS, selectFaults, shortPlan } from './faults/catalogue.ts'
import type { Fault } from './faults/fault.ts'
import { LAG_FAULTS, STANDBY_FAULTS } from './faults/standby-faults.ts'
import { type Options, readOptions } from './options.ts'
import { seededRandom } from './random.ts'
import { type Context, summary, writeReport } from './report.ts'
import { runRounds } from './rounds.ts'
import { Run } from './run.ts'
import { type AnyTarget, type Setting, startPairTarget, startTarget } from './target.ts'
import { Witness } from './witness.ts'

const FINAL_WAIT_MS = 420_000
const SHORT_FINAL_WAIT_MS = 180_000

// Runs the torture on one database server, or on a pair with --standby. The folder with the witness's file
// and the logs is deleted if nothing was found; runTorture() sets exit code 1 for findings.
async function main(): Promise<void> {
  const options = readOptionsOrStop()
  const folder = makeFolder(options.folder)
  console.log(`seed ${options.seed}; working in ${folder}`)
  let hasNoFindings = false
  try {
    if (options.isAsync) await runTorture(LAGGING_PAIR, options, folder)
    else if (options.standby) await runTorture(PAIR, options, folder)
    else await runTorture(SINGLE, options, folder)
    hasNoFindings = process.exitCode !== 1
  } finally {
    if (!options.keep && hasNoFindings) rmSync(folder, { recursive: true, force: true })
    else console.log(`witness and logs are kept in ${folder}`)
  }
}

type TargetKind<T> = { start: (setting: Setting) => Promise<T>; faults: readonly Fault<T>[] }

const SINGLE = { start: startTarget, faults: FAULTS }
const PAIR = { start: startPairTarget, faults: STANDBY_FAULTS }
const LAGGING_PAIR = {
  start: (setting: Setting) => startPairTarget(setting, true),
  faults: LAG_FAULTS,
}

// Starts the system, runs the plan of faults against it, and prints the findings.
async function runTorture<T extends AnyTarget>(
  { start, faults }: TargetKind<T>,
  options: Options,
  folder: string,
): Promise<void> {
  const startedAtMs = Date.now()
  using witness = new Witness(join(folder, 'witness.jsonl'))
  const random = seededRandom(options.seed)
  await using target = await start({ folder, witness, random: random.fork() })
  const { plan, skipped } = planFaults(faults, options, target)
  for (const sentence of skipped) console.log(sentence)
  const run = new Run({ target, witness, seed: options.seed })
  const context = { run, options, skipped, startedAtMs }
  await checkRounds(context, plan)
  console.log(`at the end: ${summary(run)}`)
  for (const finding of run.findings) console.log(`WRONG: ${finding}`)
  if (run.findings.length > 0) process.exitCode = 1
}

// Prints each round when it has been checked, and writes the report.
async function checkRounds<T extends AnyTarget>(
  context: Context<T>,
  plan: readonly Fault<T>[],
): Promise<void> {
  const { run, options, startedAtMs } = context
  const endAtMs = options.minutes ? startedAtMs + options.minutes * 60_000 : Infinity
  await runRounds({
    run,
    plan,
    size: options.round,
    isOver: () => isEnough || Date.now() >= endAtMs,
    finalWaitMs: options.short ? SHORT_FINAL_WAIT_MS : FINAL_WAIT_MS,
    report(faults, findings) {
      console.log(`${faults} faults, ${summary(run)}`)
      for (const finding of findings.slice(0, 20)) console.log(`  WRONG: ${finding}`)
      if (options.report) writeReport(options.report, context)
    },
  })
}

// Chooses the faults of this run. Faults that are impossible on this machine, for which whyNot() gives the
// reason, are skipped and reported.
function planFaults<T>(faults: readonly Fault<T>[], options: Options, target: T) {
  const chosen = selectFaults(faults, options.only)
  const possible = chosen.filter(({ whyNot }) => !whyNot?.(target))
  const skipped = chosen
    .filter((fault) => !possible.includes(fault))
    .map(({ name, whyNot }) => `${name} cannot be done here: ${whyNot?.(target)}`)
  const plan = options.short
    ? shortPlan(possible)
    : drawFaults(possible, options.faults, seededRandom(options.seed))
  return { plan, skipped }
}

// Stops with exit code 2 if an option is wrong, or if --only names no fault.
function readOptionsOrStop(): Options {
  try {
    const options = readOptions(process.argv.slice(2))
    const standbyFaults = options.isAsync ? LAG_FAULTS : STANDBY_FAULTS
    const faults: readonly { name: string }[] = options.standby ? standbyFaults : FAULTS
    selectFaults(faults, options.only) // Only to check --only: throws if it names no fault.
    return options
  } catch (error) {
    console.error((error as Error).message)
    console.error(`There are ${FAULTS.length} faults; torture/options.ts lists the options.`)
    process.exit(2)
  }
}

// Creates the folder of the run: the one that --folder names, or a temporary one.
function makeFolder(path: string | undefined): string {
  if (path) mkdirSync(path, { recursive: true })
  const folder = path ?? mkdtempSync(join(tmpdir(), 'manilla-torture-'))
  chmodSync(folder, 0o755) // As root, the database runs as another user, who needs access.
  return folder
}

// SIGUSR2 ends the run after the current round, with the last check.
let isEnough = false
process.on('SIGUSR2', () => {
  isEnough = true
})

// Other signals end the run at once. The exit of this process ends all processes of the run.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    console.error(`Stopped by ${signal}.`)
    process.exit(130)
  })
}

main().then(
  () => process.exit(),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
