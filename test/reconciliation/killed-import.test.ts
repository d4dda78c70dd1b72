// An import that is killed, or that loses its database connection, stores nothing; importing again stores the
// statement once (I64).

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { PASSED_ON } from '../support/child-service.ts'
import { closeAfterTests } from '../support/closing.ts'
import { until } from '../support/embedded-bench.ts'
import { SECRETS, startTestService } from '../support/running-service.ts'
import {
  gtbankCsv,
  imported,
  manyLines,
  readStored,
  STATEMENTS,
} from '../support/statement-files.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const MAIN = join(import.meta.dirname, '../../cli/main.ts')
const QUERY = 'bankCode=058&format=csv&profile=gtbank'
const file = gtbankCsv({ lines: [...manyLines(300), ...manyLines(10, '2026-11-13')] })
const single = closeAfterTests(await startTestService())
await imported(single, file)
const expected = await readStored(single)

test('the command line, killed while it stores, has stored nothing', async () => {
  await using bench = await startTestService()
  using folder = createTempFolder()
  const path = join(folder.path, 'november.csv')
  writeFileSync(path, file)
  const locker = await bench.db.connect()
  await locker.query('begin')
  await locker.query('lock table statement_lines in exclusive mode')
  const child = spawn(
    process.execPath,
    [MAIN, 'statements', 'import', path, '--bank', '058'].concat(['--profile', 'gtbank']),
    {
      cwd: folder.path,
      env: { ...PASSED_ON, ...SECRETS, DATABASE_URL: bench.database.connectionString },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  const closed = once(child, 'close')
  // Whether the import has begun to store lines, which the test's lock prevents.
  const isImportBlocked = async () => {
    const { rows } = await bench.db.query(
      `select from pg_locks where relation = 'statement_lines'::regclass and not granted`,
    )
    return rows.length > 0
  }
  await until('it has begun to store', isImportBlocked)

  child.kill('SIGKILL')
  await closed
  await locker.query('rollback')
  locker.release()
  // Whether the database has ended the killed process's transaction.
  const isLockReleased = async () => {
    const { rows } = await bench.db.query(
      `select from pg_locks where relation = 'statements'::regclass and mode = 'RowExclusiveLock'`,
    )
    return rows.length === 0
  }
  await until('the database has noticed', isLockReleased)

  assert.deepEqual(await readStored(bench), { statements: [], lines: [] })
  const { isUnchanged } = await imported(bench, file)
  assert.equal(isUnchanged, false)
  assert.deepEqual(await readStored(bench), expected)
})

test('an upload that loses its connection to the database in the middle can be repeated', async () => {
  await using bench = await startTestService()
  const { hostname, port } = new URL(await bench.service.app.listen({ host: '127.0.0.1', port: 0 }))
  const headers = {
    authorization: `Bearer ${await bench.login()}`,
    'content-type': 'text/csv',
  }
  const call = httpRequest({
    hostname,
    port,
    method: 'POST',
    path: `${STATEMENTS}?${QUERY}`,
    headers,
  })
  const half = file.length / 2
  call.write(file.slice(0, half))
  // Ends the database connection of the upload; returns whether the upload had one.
  const terminateUpload = async () => {
    const { rows } = await bench.db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like '%table staged_lines%'
          and pid <> pg_backend_pid()`,
    )
    return rows.length > 0
  }
  await until('it is being read', terminateUpload)
  const answered = once(call, 'response') as Promise<[IncomingMessage]>
  call.end(file.slice(half))

  const [response] = await answered
  assert.equal(response.statusCode, 503)
  response.resume()
  assert.deepEqual(await readStored(bench), { statements: [], lines: [] })
  await imported(bench, file)

  assert.deepEqual(await readStored(bench), expected)
})
