// The files of an archive are by themselves an export that verifies, beside which nothing of a credit is
// lost; and there is one only if its transaction may have been committed.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BeginAgain, withTransaction } from '#db/transaction.ts'
import { withExportFolder } from '#domain/proof/export-folder.ts'
import { markArchiving, writeArchiveFiles } from '../support/archive-export.ts'
import { closeAfterTests } from '../support/closing.ts'
import { PAYER } from '../support/erasing.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { createAccount, simulate } from '../support/fixtures.ts'
import { chargesOf, takeIncoming } from '../support/incoming-credits.ts'
import { PROOF_NAMES, readProof } from '../support/proof-reader.ts'
import { KEY, PYTHON, verifyInPython } from '../support/proving.ts'
import { startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const bench = closeAfterTests(await startTestService())
const { accountNumber } = await createAccount(bench)
await createFeeRule(bench, { vatBps: 750 })
for (const amount of [5_000, 70, 30.5]) {
  const otherIdentifiers = [{ kind: 'settlement_id', value: `SETTLE-${amount}` } as const]
  const charges = chargesOf(10, 0.75, 3)
  const transactionTime = new Date('2026-01-05T08:00:00.123Z')
  const given = { accountNumber, amount, charges, otherIdentifiers, transactionTime }
  await takeIncoming(bench, { ...given, ...PAYER })
}
const { rows: taken } = await bench.db.query<{ id: bigint }>('select id from credits order by id')
const ids = taken.map(({ id }) => id)
await simulate(bench, accountNumber, '10.00') // Stays.
const NAMES = [...PROOF_NAMES, 'manifest.json', 'payers.ndjson'].toSorted()

test('the files of an archive verify by themselves, and have the credits that it takes', async () => {
  using folder = createTempFolder()

  const { files, manifestHash } = await withExportFolder(folder.path, (into) =>
    withTransaction(bench.db, async (tx) => {
      await markArchiving(tx, ids)
      return writeArchiveFiles(tx, into)
    }),
  )

  assert.deepEqual(readdirSync(folder.path), NAMES)
  assert.deepEqual(readProof(folder.path, KEY.publicKey), [])
  if (PYTHON) assert.equal(verifyInPython(folder.path).code, 0)
  const linesOf = (name: string) => files.find((file) => file.name === name)?.lines
  assert.equal(linesOf('credits.ndjson'), 3)
  assert.equal(linesOf('transfers.ndjson'), 3 * 5)
  const manifest = readFileSync(join(folder.path, 'manifest.json'))
  assert.deepEqual(manifestHash, createHash('sha256').update(manifest).digest())
  const [companion] = JSON.parse(`${manifest}`).companions
  assert.deepEqual([companion.name, companion.lines], ['payers.ndjson', 3])
})

test('what the database had of a credit and its fees is in the files', async () => {
  using folder = createTempFolder()
  await withExportFolder(folder.path, (into) =>
    withTransaction(bench.db, async (tx) => {
      await markArchiving(tx, ids)
      return writeArchiveFiles(tx, into)
    }),
  )

  const [line] = readFileSync(join(folder.path, 'payers.ndjson'), 'utf8').split('\n')
  const { merchantFees, otherIdentifiers, chain: _, ...row } = JSON.parse(line as string)
  const { rows } = await bench.db.query(
    `select to_jsonb(c) as credit, encode(source_account_sealed, 'hex') as sealed,
            (select to_jsonb(f) from credit_fees f where f.credit_id = c.id) as fee
       from credits c where id = $1`,
    [ids[0]],
  )
  const { credit, sealed, fee } = rows[0]

  assert.deepEqual(row, {
    id: `${ids[0]}`,
    sessionId: credit.session_id,
    identifiedBy: 'session_id',
    bank: credit.bank_code,
    accountNumber,
    client: `${credit.client_id}`,
    collectionAccount: `${credit.collection_account_id}`,
    sourceAccountName: PAYER.sourceAccountName,
    sourceBank: PAYER.sourceBankCode,
    sourceAccountSealed: sealed,
    narration: PAYER.narration,
    transactedAt: '2026-01-05T08:00:00.123000Z',
    transactedOn: null,
    judgedBy: credit.judged_by,
    source: 'notification',
    withheldFee: '1000',
    withheldVat: '75',
    withheldDuty: '300',
  })
  assert.deepEqual(JSON.parse(otherIdentifiers), [{ kind: 'settlement_id', value: 'SETTLE-5000' }])
  assert.deepEqual(JSON.parse(merchantFees), [
    {
      id: `${fee.id}`,
      client: `${fee.client_id}`,
      rule: `${fee.rule_id}`,
      account: `${fee.account_id}`,
      base: '500000',
      fee: '5000',
      vat: '375',
      feeReturned: '0',
      vatReturned: '0',
      isLater: false,
      chargedAt: fee.charged_at.replace('+00:00', '.000000Z'),
    },
  ])
})

// A new column of either is to be archived too, or known to be always the same of what is archived.
test('every column of credits and their fees is known to archiving', async () => {
  const { rows } = await bench.db.query<{ columns: string }>(
    `select string_agg(attname, ' ' order by attnum) as columns from pg_attribute
      where attrelid in ('credits'::regclass, 'credit_fees'::regclass) and attnum > 0
        and not attisdropped
      group by attrelid order by attrelid`,
  )

  assert.deepEqual(rows.map(({ columns }) => columns).toSorted(), [
    'id bank_code session_id account_number client_id collection_account_id payment_id ' +
      'amount_kobo suspended_kobo reversed_kobo currency outcome reason source_account_sealed ' +
      'source_account_name source_bank_code narration transacted_at received_at judged_by ' +
      'transacted_on identified_by source fee_kobo vat_kobo duty_kobo',
    'id credit_id item_id client_id rule_id account_id base_kobo fee_kobo vat_kobo ' +
      'fee_returned_kobo vat_returned_kobo is_later charged_at',
  ])
})

test('a transaction that begins again after its files were whole writes them again', async () => {
  using folder = createTempFolder()
  let attempts = 0

  await withExportFolder(folder.path, (into) =>
    withTransaction(bench.db, async (tx) => {
      attempts++
      await markArchiving(tx, attempts === 1 ? ids : ids.slice(1))
      const written = await writeArchiveFiles(tx, into, () => {
        assert(!readdirSync(folder.path).includes('manifest.json'))
      })
      assert.deepEqual(readdirSync(folder.path), NAMES)
      if (attempts === 1) throw new BeginAgain()
      return written
    }),
  )

  assert.equal(attempts, 2)
  assert.deepEqual(readdirSync(folder.path), NAMES)
  assert.deepEqual(readProof(folder.path, KEY.publicKey), [])
  const credits = readFileSync(join(folder.path, 'credits.ndjson'), 'utf8')
  assert.equal(credits.trimEnd().split('\n').length, 2)
})

test('files are left behind only by a transaction that may have been committed', async () => {
  using folder = createTempFolder()
  const failWith = (path: string, error: Error | string) =>
    withExportFolder(path, (into) =>
      withTransaction(bench.db, async (tx) => {
        await markArchiving(tx, ids)
        await writeArchiveFiles(tx, into)
        if (!path.endsWith('early')) into.becomeOnlyCopy()
        if (typeof error === 'string') return tx.query(error)
        throw error
      }),
    )
  const [undone, lost, early] = ['undone', 'lost', 'early'].map((name) => join(folder.path, name))

  await assert.rejects(failWith(undone as string, 'select 1 / 0'), { code: '22012' })
  await assert.rejects(failWith(lost as string, new Error('Connection terminated')))
  await assert.rejects(failWith(early as string, new Error('Connection terminated')))

  assert.deepEqual(readdirSync(undone as string), [])
  assert.deepEqual(readdirSync(early as string), [])
  assert.deepEqual(readdirSync(lost as string), NAMES)
  await assert.rejects(failWith(lost as string, 'select 1'), /is not empty/)
  assert.deepEqual(readProof(lost as string, KEY.publicKey), [])
})
