// Runs the given test files, each in a process of its own; or all, most of them many to a process:
// loading the service takes longer than most files do. The slowest start first, and a process takes
// the next file when it has done the last, so that none is left running alone at the end.

import { mkdirSync, writeFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'

const ROOT = join(import.meta.dirname, '..')
// Two more than cores: files that start servers, or a browser, and wait leave a core free.
const CONCURRENCY = availableParallelism() + 2
// What a process has loaded stays in its memory.
const BATCH_FILES_MAX = 24

// In this order, by measured duration: they would hold up the rest of a batch, or start processes.
const ALONE = [
  'test/crash.test.ts',
  'test/simulation/*.test.ts',
  'test/main.test.ts',
  'test/access/sign-in-counters.test.ts',
  'test/http/hostile-walk.test.ts',
  'test/webhooks/delivery-isolation.test.ts',
  'test/embedded/*.test.ts',
  'test/draining.test.ts',
]

// The slow ones of the others, likewise.
const FIRST = [
  'test/browser/*.test.ts',
  'test/integrity/*.test.ts',
  'test/admin/*.test.ts',
  'test/{db,reports,proof,http}/*.test.ts',
  'test/{reconciliation,accounting,payouts,refunds,settlement,suspense}/*.test.ts',
]

const { values: flags, positionals: given } = parseArgs({
  options: {
    'test-name-pattern': { type: 'string', multiple: true },
    'test-skip-pattern': { type: 'string', multiple: true },
    'test-only': { type: 'boolean' },
  },
  allowPositionals: true,
})

run({
  files: given.length > 0 ? given : arrange(await Array.fromAsync(glob('test/**/*.test.ts'))),
  concurrency: CONCURRENCY,
  testNamePatterns: flags['test-name-pattern'] ?? [],
  testSkipPatterns: flags['test-skip-pattern'] ?? [],
  only: flags['test-only'] ?? false,
})
  .on('test:fail', ({ todo, skip }) => {
    if (todo === undefined && skip === undefined) process.exitCode = 1
  })
  .compose(spec)
  .pipe(process.stdout)

function arrange(files: string[]): string[] {
  const alone = files.filter((file) => rank(file, ALONE) < ALONE.length)
  const others = files.filter((file) => !alone.includes(file))
  const count = Math.ceil(others.length / BATCH_FILES_MAX) + CONCURRENCY
  const batch = writeBatch(sorted(others, FIRST))
  return [...sorted(alone, ALONE), ...Array.from({ length: count }, (_, at) => batch(at))]
}

function sorted(files: readonly string[], patterns: readonly string[]): string[] {
  return files.toSorted().sort((one, other) => rank(one, patterns) - rank(other, patterns))
}

function rank(file: string, patterns: readonly string[]): number {
  const at = patterns.findIndex((pattern) => matchesGlob(file, pattern))
  return at < 0 ? patterns.length : at
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
