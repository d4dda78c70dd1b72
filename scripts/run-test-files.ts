// Runs the test files that the caller names, or the tests of one connector, each file in its own
// process. Otherwise runs a whole set. In a set, most files share a process, because loading the
// service takes longer than most files do. The slowest files start first. When a process has
// finished a file, it takes the next file that no other process has taken. So no slow file is left
// running alone at the end.

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
// Two more than cores: files that start servers or a browser, and wait, leave a core free.
const CONCURRENCY = availableParallelism() + 2
// Loaded modules stay in the memory of their process.
const BATCH_FILES_MAX = 36
// A service that lives for a second is garbage before it is ever copied, and threads that collect
// it compete for busy cores. A large young generation and one thread make a process a fifth cheaper.
// It has its full size from the start: growing to it takes three times as many collections.
const YOUNG_MEGABYTES = 64

const { values: flags, positionals: paths } = parseArgs({
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
  execArgv: [
    `--min-semi-space-size=${YOUNG_MEGABYTES}`,
    `--max-semi-space-size=${YOUNG_MEGABYTES}`,
    '--single-threaded-gc',
  ],
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
  return paths.length > 0 ? paths : arrange(await findSet(flags.long ?? false))
}

// Every test of one connector: its own, and shared tests that name no other connector.
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

// Every process gets the full list, and claims files from it.
function writeBatch(files: readonly string[]): (at: number) => string {
  const folder = process.env.TEST_FOLDER as string
  const claims = join(folder, 'taken')
  mkdirSync(claims)
  const batch = JSON.stringify({ files, most: BATCH_FILES_MAX, folder: claims })
  return (at) => {
    const path = join(folder, `batch-${at}.test.ts`)
    const imports = `import { runBatch } from '${ROOT}/test/support/batch.ts'`
    writeFileSync(path, `${imports}\nawait runBatch(${batch})\n`)
    return path
  }
}
