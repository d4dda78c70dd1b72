// Runs the given test files, each in a process of its own; or a whole set, most of them many to a
// process: loading the service takes longer than most files do. The slowest start first, and a process
// takes the next file when it has done the last, so that none is left running alone at the end.

import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import {
  CONNECTOR_SUITE,
  FIRST,
  isLong,
  LONG_ALONE,
  LONG_BATCHED,
  rank,
  sorted,
} from './test-sets.ts'

const ROOT = join(import.meta.dirname, '..')
// Two more than cores: files that start servers, or a browser, and wait leave a core free.
const CONCURRENCY = availableParallelism() + 2
// What a process has loaded stays in its memory.
const BATCH_FILES_MAX = 36
// A service that lives for a second is garbage before it is ever copied, and where every core is busy
// threads that collect it only get in the way: a fifth less of what a process takes.
const YOUNG_MEGABYTES = 64

const { values: flags, positionals: given } = parseArgs({
  options: {
    'test-name-pattern': { type: 'string', multiple: true },
    'test-skip-pattern': { type: 'string', multiple: true },
    'test-only': { type: 'boolean' },
    long: { type: 'boolean' },
    connector: { type: 'string' },
  },
  allowPositionals: true,
})

run({
  files: await findFiles(),
  concurrency: CONCURRENCY,
  execArgv: [`--max-semi-space-size=${YOUNG_MEGABYTES}`, '--single-threaded-gc'],
  testNamePatterns: flags['test-name-pattern'] ?? [],
  testSkipPatterns: [...(flags['test-skip-pattern'] ?? []), ...othersThan(flags.connector)],
  only: flags['test-only'] ?? false,
})
  .on('test:fail', ({ todo, skip }) => {
    if (todo === undefined && skip === undefined) process.exitCode = 1
  })
  .compose(spec)
  .pipe(process.stdout)

async function findFiles(): Promise<string[]> {
  if (flags.connector !== undefined) return findConnectorSuite(flags.connector)
  return given.length > 0 ? given : arrange(await findSet(flags.long ?? false))
}

// Every test that concerns one connector: its own, and of the shared ones those that name no other.
async function findConnectorSuite(connector: string): Promise<string[]> {
  if (!connectors().includes(connector)) {
    console.error(`connector "${connector}" is unknown; there are: ${connectors().join(', ')}`)
    process.exit(1)
  }
  const patterns = [...CONNECTOR_SUITE, `test/banks/${connector}/*.test.ts`]
  const files = await Array.fromAsync(glob(patterns))
  return files.filter((file) => !isLong(file)).sort()
}

function connectors(): string[] {
  return globSync('src/banks/*/connector.ts', { cwd: ROOT })
    .map((path) => path.split('/')[2] as string)
    .sort()
}

// Tests of a connector begin with its name, or with a label that does.
function othersThan(connector: string | undefined): RegExp[] {
  if (connector === undefined) return []
  const others = connectors().filter((each) => each !== connector)
  return [new RegExp(`^(?:${others.join('|')})[:,]`)]
}

async function findSet(long: boolean): Promise<string[]> {
  const files = await Array.fromAsync(glob('test/**/*.test.ts'))
  return files.filter((file) => isLong(file) === long)
}

function arrange(files: string[]): string[] {
  const alone = files.filter((file) => rank(file, LONG_ALONE) < LONG_ALONE.length)
  const others = files.filter((file) => !alone.includes(file))
  const count = Math.ceil(others.length / BATCH_FILES_MAX) + CONCURRENCY
  const batch = writeBatch(sorted(others, [...LONG_BATCHED, ...FIRST]))
  return [...sorted(alone, LONG_ALONE), ...Array.from({ length: count }, (_, at) => batch(at))]
}

// Every process is given all files, and takes its share of them.
function writeBatch(files: readonly string[]): (at: number) => string {
  const folder = process.env.TEST_FOLDER as string
  const taken = join(folder, 'taken')
  mkdirSync(taken)
  const batch = JSON.stringify({ files, most: BATCH_FILES_MAX, folder: taken })
  return (at) => {
    const path = join(folder, `batch-${at}.test.ts`)
    const imports = `import { runBatch } from '${ROOT}/test/support/batch.ts'`
    writeFileSync(path, `${imports}\nawait runBatch(${batch})\n`)
    return path
  }
}
