// Runs `npm test`, with --long `npm run test:long`, and with --check the tests of `npm run check`
// (test-sets.ts). Starts one database server for the whole run, and Node's own test runner
// (run-test-files.ts) as a child process. Arguments are test files, flags of the runner, or a connector:
//   npm test -- test/db/migrate.test.ts --test-name-pattern=twenty
//   npm test -- --connector template

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { startTestServer } from '../test/support/server.ts'
import { BUNDLE } from './build.ts'
import { buildWeb } from './build-web.ts'

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

let stopping: Signal | undefined
let forward: (signal: Signal) => void = () => {} // Sends a signal to the test runner while it runs.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stopping = signal
    forward(signal)
  })
}

const startsBundle = process.argv.includes('--long') || process.argv.includes('--check')
if (startsBundle) buildBundle()
await buildWeb()
const server = await startTestServer()
try {
  process.exitCode = stopping ? signalCode(stopping) : await runTests(process.argv.slice(2))
} finally {
  await server.stop()
  console.log(`ℹ wall time ${(performance.now() / 1000).toFixed(1)} s`)
}

// Runs the test runner in a child process; returns its exit code. `stopping` is the signal that ended the run
// early, if there was one.
async function runTests(args: readonly string[]): Promise<number> {
  const runner = spawn(
    process.execPath,
    [join(import.meta.dirname, 'run-test-files.ts'), ...args],
    {
      cwd: join(import.meta.dirname, '..'),
      stdio: 'inherit',
      // Detached gives the runner its own process group, so that one signal ends it and every test file.
      detached: true,
      env: {
        ...process.env,
        TEST_DATABASE_URL: server.templateUrl,
        TEST_FOLDER: server.folder, // The server removes it at the end.
        // All processes share V8's compiled code.
        NODE_COMPILE_CACHE: join(server.folder, 'compile-cache'),
        // The program of the service for tests that start it as a process.
        TEST_SERVICE: startsBundle ? BUNDLE : undefined,
      },
    },
  )
  forward = (signal) => {
    if (runner.pid) process.kill(-runner.pid, signal)
  }
  const [code] = (await once(runner, 'exit')) as [number | null]
  forward = () => {}
  return stopping ? signalCode(stopping) : (code ?? 1)
}

// Builds the bundle of the service in a child process, because building takes 700 MB that this one would
// keep.
function buildBundle(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, 'build.ts')], { stdio: 'inherit' })
}

function signalCode(signal: Signal): number {
  return 128 + constants.signals[signal]
}
