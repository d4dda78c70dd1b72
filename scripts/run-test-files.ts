// Runs the given test files, each in a process of its own; or all, most of them a dozen to a process:
// loading the service takes longer than most files do. The slowest start first, so that none is left
// running alone at the end.

import { writeFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'

const ROOT = join(import.meta.dirname, '..')
const BATCH_FILES_MAX = 12

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
  // One more than cores: files that start servers and wait leave a core free.
  concurrency: availableParallelism() + 1,
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
  const rank = (file: string) => ALONE.findIndex((pattern) => matchesGlob(file, pattern))
  const alone = files.filter((file) => rank(file) >= 0)
  const others = files.filter((file) => rank(file) < 0).sort()
  const count = Math.ceil(others.length / BATCH_FILES_MAX)
  // Each takes some of every folder, so that no batch has all of the slow ones.
  const batches = Array.from({ length: count }, (_, at) =>
    writeBatch(
      at,
      others.filter((_, index) => index % count === at),
    ),
  )
  return [...alone.sort((one, other) => rank(one) - rank(other)), ...batches]
}

function writeBatch(at: number, files: string[]): string {
  const path = join(process.env.TEST_FOLDER as string, `batch-${at}.test.ts`)
  const call = `await runBatch(${JSON.stringify(files)})`
  writeFileSync(path, `import { runBatch } from '${ROOT}/test/support/batch.ts'\n${call}\n`)
  return path
}
