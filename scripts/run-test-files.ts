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
  isChecked,
  isLong,
  LONG_ALONE,
  LONG_BATCHED,
  matchesAny,
  sorted,
} from './test-sets.ts'

const ROOT = join(import.meta.dirname, '..')
// Two more processes than cores, because test files that wait for servers or a browser leave a core free.
const CONCURRENCY = availableParallelism() + 2
// Limits the memory of a process, in which the modules of all its files stay loaded.
const BATCH_FILES_MAX = 36
// The size of V8's young generation. A service that lives for a second is garbage before V8 would move it to
// the old generation, if the young one is large enough. With this size and a single thread for garbage
// collection, a process needs a fifth less CPU. It has the full size from the start, because growing to it
// takes three times as many collections.
const YOUNG_MEGABYTES = 64

const { values: flags, positionals: paths } = parseArgs({
  options: {
    'test-name-pattern': { type: 'string', multiple: true },
    'test-skip-pattern': { type: 'string', multiple: true },
    'test-only': { type: 'boolean' },
    check: { type: 'boolean' },
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

// The files to run: the suite of a connector, the named files, or a whole set.
async function findFiles(): Promise<string[]> {
  if (flags.connector !== undefined) return findConnectorSuite(flags.connector)
  return paths.length > 0 ? paths : arrange(await findSet())
}

// The files with tests of one connector: its own files, and files with tests of every connector. othersThan()
// skips the other connectors' tests in those.
async function findConnectorSuite(connector: string): Promise<string[]> {
  if (!connectors().includes(connector)) {
    console.error(`connector "${connector}" is unknown; there are: ${connectors().join(', ')}`)
    process.exit(1)
  }
  const patterns = [...CONNECTOR_SUITE, `test/banks/${connector}/*.test.ts`]
  const files = await Array.fromAsync(glob(patterns))
  return files.filter((file) => !isLong(file)).sort()
}

// The names of the connectors in src/banks/.
function connectors(): string[] {
  return globSync('src/banks/*/connector.ts', { cwd: ROOT })
    .map((path) => path.split('/')[2] as string)
    .sort()
}

// Patterns for the tests of all other connectors, which are skipped. The name of such a test begins with its
// connector's name.
function othersThan(connector: string | undefined): RegExp[] {
  if (connector === undefined) return []
  const otherConnectors = connectors().filter((name) => name !== connector)
  return [new RegExp(`^(?:${otherConnectors.join('|')})[:,]`)]
}

// The files of `npm run check`, of `npm run test:long` or of `npm test`.
async function findSet(): Promise<string[]> {
  const files = await Array.fromAsync(glob('test/**/*.test.ts'))
  if (flags.check) return files.filter(isChecked)
  return files.filter((file) => isLong(file) === (flags.long ?? false))
}

// Puts the files of a set into the order in which processes start: files that need a process of their own,
// then processes that share all other files.
function arrange(files: string[]): string[] {
  const alone = files.filter((file) => matchesAny(file, LONG_ALONE))
  const sharedFiles = files.filter((file) => !alone.includes(file))
  // More processes than needed: one that finds no file left ends at once.
  const count = Math.ceil(sharedFiles.length / BATCH_FILES_MAX) + CONCURRENCY
  const batch = writeBatch(sorted(sharedFiles, [...LONG_BATCHED, ...FIRST]))
  return [
    ...sorted(alone, LONG_ALONE),
    ...Array.from({ length: count }, (_, index) => batch(index)),
  ]
}

// Returns a function that writes the program of one shared process. Each program has the full list of files
// and claims files from it.
function writeBatch(files: readonly string[]): (index: number) => string {
  const folder = process.env.TEST_FOLDER as string
  const claims = join(folder, 'taken')
  mkdirSync(claims)
  const batch = JSON.stringify({ files, most: BATCH_FILES_MAX, folder: claims })
  return (index) => {
    const path = join(folder, `batch-${index}.test.ts`)
    const imports = `import { runBatch } from '${ROOT}/test/support/batch.ts'`
    writeFileSync(path, `${imports}\nawait runBatch(${batch})\n`)
    return path
  }
}
