// Runs `npm test`, and `npm run test:long` with --long (test-sets.ts): one database server for the
// whole run, and Node's own test runner (run-test-files.ts). Arguments are files to run instead, or
// flags of the runner, or a connector:
//   npm test -- test/db/migrate.test.ts --test-name-pattern=twenty
//   npm test -- --connector template

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { startTestServer } from '../test/support/server.ts'
import { buildWeb } from './build-web.ts'

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

let stopping: Signal | undefined
let forward: (signal: Signal) => void = () => {}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stopping = signal
    forward(signal)
  })
}

await buildWeb()
const server = await startTestServer()
try {
  process.exitCode = stopping ? signalCode(stopping) : await runTests(process.argv.slice(2))
} finally {
  await server.stop()
  console.log(`ℹ wall time ${(performance.now() / 1000).toFixed(1)} s`)
}

async function runTests(args: readonly string[]): Promise<number> {
  const runner = spawn(
    process.execPath,
    [join(import.meta.dirname, 'run-test-files.ts'), ...args],
    {
      cwd: join(import.meta.dirname, '..'),
      stdio: 'inherit',
      // Its own process group, so that one signal ends the runner and every test file.
      detached: true,
      env: {
        ...process.env,
        TEST_DATABASE_URL: server.templateUrl,
        TEST_FOLDER: server.folder, // Removed at the end.
        // All processes share V8's compiled code.
        NODE_COMPILE_CACHE: join(server.folder, 'compile-cache'),
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

function signalCode(signal: Signal): number {
  return 128 + constants.signals[signal]
}
