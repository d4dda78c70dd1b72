// A proof export (I70): files of the books that anybody can add up again. All files show the same moment,
// have no personal data, and an incomplete export is recognized as such.

import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ProofProblem, withExportFolder } from '#proof/write.ts'
import { TRACES } from '../support/erasing.ts'
import { createAccount, simulate, startPayment } from '../support/fixtures.ts'
import { keepBooks } from '../support/proof-books.ts'
import { PROOF_NAMES, readProof } from '../support/proof-reader.ts'
import {
  exportProof,
  KEY,
  PYTHON,
  READERS,
  verifyAllInPython,
  verifyInPython,
} from '../support/proving.ts'
import { startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { untilWaiting } from '../support/waiting-locks.ts'
import { addKobo, rechained } from './tampering.ts'

// The amounts of each file that must match other parts of the export.
const AMOUNTS: Record<string, string> = {
  'credits.ndjson': 'amount charges reversed returned',
  'payouts.ndjson': 'amount fee cost',
  'settlements.ndjson':
    'lines gross fees vat reversed refunds paidOut recovered reserved released carried net',
  'settlement-lines.ndjson': 'gross fee vat split reversed other net',
  'adjustments.ndjson': 'amount',
  'holds.ndjson': 'held forfeited',
  'balances.ndjson': 'debits credits',
}

test(`any amount that is one kobo more is found at its place, by ${READERS}`, async (t) => {
  await using bench = await startTestService()
  await keepBooks(bench)
  using original = createTempFolder()
  const { files } = await exportProof(bench.db, original.path)
  assert.deepEqual(readProof(original.path, KEY.publicKey), [])
  const empty = files.filter(({ lines }) => lines === 0).map(({ name }) => name)
  assert.deepEqual(empty, ['differences.ndjson'])

  using copies = createTempFolder()
  for (const [name, fields] of Object.entries(AMOUNTS)) {
    await t.test(name, () => {
      // A copy of the export for each field, in which the first line has one kobo more in that field.
      const changed = fields.split(' ').map((field) => {
        const copy = join(copies.path, `${name}-${field}`)
        cpSync(original.path, copy, { recursive: true })
        rechained(name, (lines) => {
          lines[0] = addKobo(lines[0] as string, field)
        })(copy)
        return copy
      })

      for (const copy of changed) {
        const faults = readProof(copy, KEY.publicKey)
        assert(
          faults.some((fault) => fault.startsWith(`${name}:1 `)),
          `${copy}: ${faults}`,
        )
      }
      if (!PYTHON) return
      for (const { code, out, err } of verifyAllInPython(changed)) {
        assert.equal(code, 1, `${out}${err}`)
        assert.match(
          out,
          new RegExp(`FAULT ${name} line 1 \\(id \\d+\\): .* expected -?\\d+, found`),
        )
      }
    })
  }
})

test('nothing about a person is in an export', async () => {
  await using bench = await startTestService()
  await keepBooks(bench)
  using folder = createTempFolder()

  await exportProof(bench.db, folder.path)

  const { rows } = await bench.db.query<{ text: string }>(
    `select session_id as text from credits union select account_number from credits
      union select to_account_name from payouts union select account_number from numbers
      union select source_account_name from credits where source_account_name is not null`,
  )
  const texts = rows.map(({ text }) => text).filter((text) => text !== '')
  assert(texts.length > 5)
  for (const name of readdirSync(folder.path)) {
    const content = readFileSync(join(folder.path, name), 'utf8')
    for (const trace of [...TRACES, ...texts]) assert(!content.includes(trace), `${trace}: ${name}`)
  }
})

test('the books are of one moment, whatever is posted meanwhile', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  await simulate(bench, accountNumber, '10.00')
  using folder = createTempFolder()
  const blocker = await bench.db.connect()
  await blocker.query('begin; lock table differences in access exclusive mode')

  // The export has written the credits, and waits before it writes the transfers.
  const exporting = exportProof(bench.db, folder.path)
  await untilWaiting(bench.db, 1)
  await simulate(bench, accountNumber, '20.00')
  const { bankAccount } = await startPayment(bench)
  await simulate(bench, bankAccount, '6000.01')
  await blocker.query('rollback')
  blocker.release()
  const { files } = await exporting

  assert.deepEqual(readProof(folder.path, KEY.publicKey), [])
  assert.equal(files.find(({ name }) => name === 'transfers.ndjson')?.lines, 1)
  using later = createTempFolder()
  await exportProof(bench.db, later.path)
  assert.deepEqual(readProof(later.path, KEY.publicKey), [])
})

test('the same books are the same lines, and only their owner may read them', async () => {
  await using bench = await startTestService()
  await simulate(bench, (await createAccount(bench)).accountNumber, '10.00')
  using one = createTempFolder()
  using other = createTempFolder()

  await exportProof(bench.db, one.path)
  await exportProof(bench.db, join(other.path, 'made', 'for', 'it'))

  assert.deepEqual(readdirSync(one.path), [...PROOF_NAMES, 'manifest.json'].toSorted())
  for (const name of readdirSync(one.path)) {
    const path = join(other.path, 'made', 'for', 'it', name)
    assert.deepEqual(readFileSync(join(one.path, name)), readFileSync(path))
    assert.equal(statSync(path).mode & 0o777, 0o600)
  }
})

test('empty books are an export too', async () => {
  await using bench = await startTestService()
  using folder = createTempFolder()

  await exportProof(bench.db, folder.path)

  assert.deepEqual(readProof(folder.path, KEY.publicKey), [])
  if (PYTHON) assert.equal(verifyInPython(folder.path).code, 0)
})

test('a folder that is not empty is refused, and left unchanged', async () => {
  await using bench = await startTestService()
  using folder = createTempFolder()
  const path = join(folder.path, 'notes.txt')
  writeFileSync(path, 'mine')

  await assert.rejects(exportProof(bench.db, folder.path), /is not empty/)
  await assert.rejects(exportProof(bench.db, path), ProofProblem)
  await assert.rejects(exportProof(bench.db, join(path, 'in')), ProofProblem)

  assert.deepEqual(readdirSync(folder.path), ['notes.txt'])
  assert.equal(readFileSync(path, 'utf8'), 'mine')
})

test('two exports into one folder: one is refused and the other is whole', async () => {
  await using bench = await startTestService()
  await simulate(bench, (await createAccount(bench)).accountNumber, '10.00')
  using folder = createTempFolder()
  const path = join(folder.path, 'proof')

  const results = await Promise.allSettled([1, 2, 3].map(() => exportProof(bench.db, path)))

  const refused = results.filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 2)
  for (const each of refused) assert((each as PromiseRejectedResult).reason instanceof ProofProblem)
  assert.deepEqual(readProof(path, KEY.publicKey), [])
  assert.deepEqual(readdirSync(path), [...PROOF_NAMES, 'manifest.json'].toSorted())
})

test('an export that begins again after its files were whole writes them again', async () => {
  using folder = createTempFolder()
  const names = () => readdirSync(folder.path)

  await withExportFolder(folder.path, async (into) => {
    for (const name of ['first.ndjson', 'second.ndjson']) {
      await into.beginAgain()
      assert.deepEqual(names(), ['manifest.json.partial'])
      const file = await into.create(name)
      await file.close()
      await into.finish('{}')
      assert.deepEqual(names(), [name, 'manifest.json'].toSorted())
    }
  })

  assert.deepEqual(names(), ['manifest.json', 'second.ndjson'])
})

test('an export that fails leaves nothing behind', async () => {
  await using bench = await startTestService()
  using folder = createTempFolder()
  const blocker = await bench.db.connect()
  await blocker.query('begin; lock table transfers in access exclusive mode')

  const failing = exportProof(bench.db, folder.path)
  await untilWaiting(bench.db, 1)
  assert(readdirSync(folder.path).includes('credits.ndjson.partial'))
  assert(!readdirSync(folder.path).some((name) => name.endsWith('json')))
  await bench.db.query(
    `select pg_terminate_backend(pid) from pg_locks
      where not granted and relation = 'transfers'::regclass
        and database = (select oid from pg_database where datname = current_database())`,
  )
  await assert.rejects(failing)
  await blocker.query('rollback')
  blocker.release()

  assert.deepEqual(readdirSync(folder.path), [])
  await exportProof(bench.db, folder.path)
  assert.deepEqual(readProof(folder.path, KEY.publicKey), [])
})
