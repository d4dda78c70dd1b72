// Runs the given test files, or all, in node's test runner. The slowest files start first, so that
// none is left running alone at the end; `node --test` sorts by name.

import { glob } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'

// In this order, by measured duration.
const SLOWEST = [
  'test/simulation/money-in.test.ts',
  'test/main.test.ts',
  'test/webhooks/delivery-isolation.test.ts',
  'test/crash.test.ts',
  'test/access/users.test.ts',
  'test/http/rate-limits.test.ts',
]

const { values: flags, positionals: given } = parseArgs({
  options: {
    'test-name-pattern': { type: 'string', multiple: true },
    'test-skip-pattern': { type: 'string', multiple: true },
    'test-only': { type: 'boolean' },
  },
  allowPositionals: true,
})
const rank = (file: string) => (SLOWEST.includes(file) ? SLOWEST.indexOf(file) : SLOWEST.length)
const files = given.length > 0 ? given : await Array.fromAsync(glob('test/**/*.test.ts'))
files.sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1))

run({
  files,
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
