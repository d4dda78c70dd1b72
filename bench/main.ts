// `npm run bench`: measures the service on this machine, each row alongside its reference. options.ts lists
// the options, rows.ts the rows. Exits with 1 if an answer was wrong.

import { startCluster } from './cluster.ts'
import { type Row, runRow } from './compare.ts'
import { runIdleConnections } from './idle-connections.ts'
import { runLatency } from './latency.ts'
import { runLoadSteps } from './load-steps.ts'
import { type Options, readOptions } from './options.ts'
import { runPrice } from './price.ts'
import { peakMemoryMb } from './process-stats.ts'
import { changes, machine, measures, table, writeSection } from './report.ts'
import { LOADS, ROWS, SCALE_ROWS } from './rows.ts'
import { runSizes } from './size.ts'
import { Testbed } from './testbed.ts'

// Tables that run only when `--only` names them.
const TABLES = {
  load: runLoadSteps,
  idle: runIdleConnections,
  latency: runLatency,
  price: runPrice,
  size: runSizes,
}

// Runs the bench on a new PostgreSQL, which is stopped and deleted at the end, also after a signal.
async function main(): Promise<void> {
  const options = readOptionsOrStop()
  await using cluster = await startCluster()
  await using bed = new Testbed(options, cluster)
  await Promise.race([runAll(bed), interrupted()])
}

// Stops with exit code 2 and the list of options if an option is wrong.
function readOptionsOrStop(): Options {
  try {
    return readOptions(process.argv.slice(2), [...Object.keys(LOADS), ...Object.keys(TABLES)])
  } catch (error) {
    const options =
      '--quick, --only <rows>, --credits <number>, --scale, --against <folder>, --profile <folder>, --write'
    console.error(
      `${(error as Error).message.replace(/\.?$/, '.')} The benchmarks take ${options}.`,
    )
    process.exit(2)
  }
}

// Fills the template database, then runs either the tables or the rows that the options name.
async function runAll(bed: Testbed): Promise<void> {
  const { only, scale, write, accounts } = bed.options
  console.error(`  filling ${accounts.toLocaleString('en')} accounts`)
  await bed.fill(bed.cluster.connectionString, { accounts })
  const tables = (only ?? []).filter((name) => name in TABLES)
  for (const name of tables) {
    const body = await TABLES[name as keyof typeof TABLES](bed)
    console.log(body)
    if (write) writeSection(name as keyof typeof TABLES, body)
  }
  if (tables.length > 0) return
  const rows: Row[] = []
  for (const name of only ?? Object.keys(scale ? SCALE_ROWS : ROWS)) {
    console.error(`  ${LOADS[name]?.title}`)
    const row = await runRow(bed, name, ROWS[name] ?? SCALE_ROWS[name] ?? [])
    rows.push(row)
    console.error(table([row])) // If a later row fails, the table is not printed.
    if (row.problems.length === 0) continue
    console.error(`\nWRONG:\n${row.problems.map((problem) => `- ${problem}`).join('\n')}`)
    process.exitCode = 1
    return // The remaining rows would prove nothing.
  }
  const memoryMb = Math.max(0, ...bed.servicePids.map(peakMemoryMb))
  const body = [machine(), table(rows), measures(rows, memoryMb).join('\n'), changes(rows)].join(
    '\n\n',
  )
  console.log(body)
  if (write) writeSection(scale ? 'scale' : 'bench', body)
}

// Rejects at the first signal, so that the bench stops its processes and deletes its folder.
function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => reject(new Interruption(`Stopped by ${signal}.`)))
    }
  })
}

class Interruption extends Error {}

main().catch((error) => {
  if (!(error instanceof Interruption)) throw error
  console.error(error.message)
  process.exitCode = 130
})
