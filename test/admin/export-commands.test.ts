// `manilla export --proof` as an operator runs it: its output, its refusals, and that an export that was
// killed never looks complete.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { PASSED_ON } from '../support/child-service.ts'
import { operate } from '../support/cli-terminal.ts'
import { createAccount, simulate } from '../support/fixtures.ts'
import { MANILLA, runManilla, startManilla } from '../support/manilla-command.ts'
import { PROOF_NAMES, readProof } from '../support/proof-reader.ts'
import { KEY, PYTHON, READERS, verifyInPython } from '../support/proving.ts'
import { type Bench, SECRETS, startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { untilWaiting } from '../support/waiting-locks.ts'

test(`an operator exports the books and the key, which ${READERS} verify`, async () => {
  await using bench = await startTestService()
  await simulate(bench, (await createAccount(bench)).accountNumber, '10.00')
  using folder = createTempFolder()

  const exported = await runExport(bench, folder.path, '--proof', 'proof', '--json')
  const again = await runExport(bench, folder.path, '--proof', 'proof')
  const key = await runExport(bench, folder.path, '--proof-key')

  assert.equal(exported.code, 0, exported.err)
  assert.equal(exported.err, '')
  const { files, ...summary } = JSON.parse(exported.out)
  const path = join(folder.path, 'proof')
  assert.deepEqual([summary.folder, summary.publicKey], [path, KEY.publicKey])
  assert.deepEqual(
    files.map(({ name }: { name: string }) => name),
    PROOF_NAMES.toSorted((one, other) => positionOf(files, one) - positionOf(files, other)),
  )
  assert.equal(files[positionOf(files, 'transfers.ndjson')].lines, 1)
  assert.deepEqual([key.code, key.out], [0, `${KEY.publicKey}\n`])
  assert.deepEqual([again.code, again.err], [1, `${path} is not empty. Name a new folder.\n`])
  assert.deepEqual(readProof(path, KEY.publicKey), [])
  if (PYTHON) assert.equal(verifyInPython(path).code, 0)
})

test('a killed export does not look complete', async () => {
  await using bench = await startTestService()
  await simulate(bench, (await createAccount(bench)).accountNumber, '10.00')
  using folder = createTempFolder()
  const path = join(folder.path, 'proof')
  const blocker = await bench.db.connect()
  await blocker.query('begin; lock table transfers in access exclusive mode')

  const child = startManilla(bench, folder.path, ['export', '--proof', path])
  await untilWaiting(bench.db, 1)
  process.kill(-(child.pid as number), 'SIGKILL')
  await once(child, 'close')
  await blocker.query('rollback')
  blocker.release()

  assert(readdirSync(path).every((name) => name.endsWith('.partial')))
  assert.throws(() => readProof(path, KEY.publicKey), /ENOENT/)
  if (PYTHON) assert.equal(verifyInPython(path).code, 2)
  const again = await runExport(bench, folder.path, '--proof', path)
  assert.deepEqual([again.code, again.err], [1, `${path} is not empty. Name a new folder.\n`])
  const fresh = await runExport(bench, folder.path, '--proof', 'fresh')
  assert.equal(fresh.code, 0, fresh.err)
  assert.match(fresh.out, /transfers\.ndjson\t1\n[\s\S]*Public key: [0-9a-f]{64}\n/)
})

test('without a folder or with too much the usage is explained', async () => {
  using folder = createTempFolder()
  const env = { ...PASSED_ON, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }

  for (const words of [['--proof'], ['--proof', 'a', 'b'], ['--proofs', 'a']]) {
    const child = spawn(process.execPath, [MANILLA, 'export', ...words], { cwd: folder.path, env })
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    assert.equal(code, 2, err)
    assert.match(err, /See manilla export --help\.\n$/)
  }
  assert(!existsSync(join(folder.path, 'a')))
})

for (const words of [[], ['--proof='], ['--proof', 'a', '--proof-key']]) {
  test(`export ${words.join(' ')} is refused`, async () => {
    await using bench = await startTestService()
    const { db, clock } = bench

    const refused = operate({ db, env: SECRETS, clock }, ['export', ...words])

    await assert.rejects(refused, {
      exitCode: 2,
      message: /^Specify --proof <folder>, or --proof-k/,
    })
  })
}

function positionOf(files: readonly { name: string }[], name: string): number {
  return files.findIndex((file) => file.name === name)
}

const runExport = (bench: Bench, cwd: string, ...words: string[]) =>
  runManilla(bench, cwd, ['export', ...words])
