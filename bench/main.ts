// `npm run bench`: one table of what the service does on this machine, every row beside its rivals
// in the same minutes. options.ts says what can be asked, rows.ts what each row is.
//
// Exits with 1 when a row's answers were wrong, whatever its speed.

import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeDocument } from './document.ts'
import { describeMachine } from './machine.ts'
import { type Options, readOptions, UsageProblem } from './options.ts'
import { ORDER, type Result, ROWS, type Row } from './rows.ts'
import { runScale } from './scale.ts'
import { openDataDirectory, type ServiceProcess, startService } from './service-process.ts'
import { Stage } from './stage.ts'
import { Statements } from './statements.ts'
import { drawTable, goals, type Outcome } from './table.ts'

const IDLE_MS = 3_000 // Before the memory of the service at rest is read.

async function main(): Promise<void> {
  const options = readOptions(
    process.argv.slice(2),
    ROWS.map((row) => row.name),
  )
  using home = openDataDirectory()
  const profile = options.profile === undefined ? undefined : resolve(options.profile)
  if (profile) {
    mkdirSync(profile, { recursive: true })
    await Statements.preload(home)
  }
  const profiling = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []
  const service = await startService(home, profiling)
  try {
    await using stage = new Stage(options, home, service)
    await Promise.race([perform(options, stage, service), stopped()])
  } finally {
    await service.stop()
  }
}

async function perform(options: Options, stage: Stage, service: ServiceProcess): Promise<void> {
  const startedMs = performance.now()
  say(`filling ${options.accounts.toLocaleString('en')} accounts`)
  await stage.fill()
  const outcome = options.scale ? await runScale(stage, say) : await runRows(options, stage)
  const machine = await describeMachine(stage.books.db, stage.folder)
  const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1)
  console.log(`\n${machine.join('\n')}\n\n${drawTable(outcome)}\n`)
  for (const line of [...goals(outcome), `took ${minutes} minutes`]) console.log(line)
  if (outcome.problems.length > 0) {
    console.error(`\nWRONG:\n${outcome.problems.map((problem) => `- ${problem}`).join('\n')}`)
    process.exitCode = 1
  } else if (options.write) writeDocument(options.scale ? 'scale' : 'bench', machine, outcome)
  if (options.profile !== undefined)
    say(`profiles of process ${service.pid} are written at its end`)
}

async function runRows(options: Options, stage: Stage): Promise<Outcome> {
  const results = new Map<string, Result>()
  const pgbench: Result[] = []
  const problems: string[] = []
  const statements = options.profile === undefined ? undefined : await Statements.open(stage)
  for (const name of ORDER.filter((each) => options.only?.includes(each) ?? true)) {
    const row = ROWS.find((each) => each.name === name) as Row
    await statements?.reset()
    const result = await row.run(stage, results)
    say(`${row.title}: ${result ? `${Math.round(result.perSecond)}/s` : 'not to be had here'}`)
    if (!result) continue
    await statements?.write(name)
    problems.push(...result.problems.map((problem) => `${row.title}: ${problem}`))
    if (problems.length > 0) break // What follows would prove nothing.
    if (name === 'pgbench') pgbench.push(result)
    results.set(name, name === 'pgbench' ? median(pgbench) : result)
  }
  await sleep(IDLE_MS)
  const inOrder = ROWS.flatMap(({ name, title }) => {
    const result = results.get(name)
    return result ? [[name, { ...result, title }] as const] : []
  })
  return { results: new Map(inOrder), pgbench, problems, memory: stage.memory }
}

// A signal ends the bench, not what it started: that is stopped, and its folder removed.
function stopped(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => reject(new UsageProblem(`stopped by ${signal}`)))
    }
  })
}

function median(results: readonly Result[]): Result {
  const sorted = results.toSorted((one, other) => one.perSecond - other.perSecond)
  return sorted[Math.floor(sorted.length / 2)] as Result
}

function say(line: string): void {
  console.error(`  ${line}`)
}

main().catch((error) => {
  if (error instanceof UsageProblem) console.error(error.message)
  else console.error(error)
  process.exitCode = 1
})
