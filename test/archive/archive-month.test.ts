// I85: a month's finished credits go to files, and the books are what they were.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { previewMonth } from '#domain/archive/archive-month.ts'
import { checkIntegrity } from '#domain/integrity/integrity-checks.ts'
import { archive, balancesOf, finishedCredits, MONTH, YEAR_MS } from '../support/archiving.ts'
import { simulate } from '../support/fixtures.ts'
import { keepBooks } from '../support/proof-books.ts'
import { readProof } from '../support/proof-reader.ts'
import { assertProven, KEY } from '../support/proving.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { closed } from '../support/settlements.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const countOf = async ({ db }: Bench, from: string) =>
  Number((await db.query(`select count(*) as count from ${from}`)).rows[0].count)

test('what nobody has settled stays; then the books are what they were, and every check holds', async () => {
  await using bench = await startTestService()
  await keepBooks(bench)
  const [number] = await finishedCredits(bench, 30)
  bench.advance(YEAR_MS)
  const before = await previewMonth(bench.db, MONTH)
  assert.equal(before.stays.unsettled, 32n)
  await closed(bench)
  await simulate(bench, number as string, '700.00')
  const balances = await balancesOf(bench.db)
  const [credits, transfers] = [await countOf(bench, 'credits'), await countOf(bench, 'transfers')]
  using folder = createTempFolder()

  const archived = await archive(bench, folder.path)

  assert.deepEqual(archived.stays, { payment: 1n, reversed: 1n })
  assert.equal(archived.credits, 33n)
  assert(archived.carried < archived.transfers / 3n, `${archived.carried}`)
  assert.deepEqual(await balancesOf(bench.db), balances)
  assert.equal(await countOf(bench, 'credits'), credits - 33)
  assert.equal(await countOf(bench, 'all_credits'), credits)
  const gone = Number(archived.transfers - archived.carried)
  assert.equal(await countOf(bench, 'transfers'), transfers - gone)
  assert.deepEqual(await checkIntegrity(bench.db), [])
  await assertProven(bench.db)
  assert.deepEqual(readProof(join(folder.path, MONTH.name), KEY.publicKey), [])
})
