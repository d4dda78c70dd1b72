// I85 while others work: whoever does something with a credit wins, and it stays.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { ArchiveProblem } from '#domain/archive/archive-month.ts'
import { checkIntegrity } from '#domain/integrity/integrity-checks.ts'
import { archive, archiveBlocked, finishedCredits, MONTH, YEAR_MS } from '../support/archiving.ts'
import { PAYER } from '../support/erasing.ts'
import { dataOf } from '../support/fixtures.ts'
import { credit, reverse } from '../support/movements.ts'
import { readProof } from '../support/proof-reader.ts'
import { KEY } from '../support/proving.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'

type Done = { bench: Bench; sessionId: string; id: number }

const DONE: Record<string, (done: Done) => Promise<void>> = {
  async reversed({ bench, sessionId }) {
    assert.match(await reverse(bench, sessionId, '70'), /^00/)
  },
  async refunded({ bench, id }) {
    const body = { amount: '70', reason: 'Sent twice' }
    dataOf(await bench.call({ url: `/api/v1/credits/${id}/refunds`, body }), 'account')
  },
}

for (const [what, work] of Object.entries(DONE)) {
  test(`a credit that is ${what} while its month is archived stays`, async () => {
    await using bench = await startTestService()
    const [number] = await finishedCredits(bench)
    const { sessionId } = await credit(bench, number as string, '70', PAYER)
    const found = await bench.call({ url: `/api/v1/credits?sessionId=${sessionId}` })
    const [{ id }] = found.json().data
    bench.advance(YEAR_MS)
    using folder = createTempFolder()
    const { archiving, release } = await archiveBlocked(bench, folder.path, 'erasures')

    await work({ bench, sessionId, id })
    await release()
    const archived = await archiving

    assert.equal(archived.credits, 6n)
    assert.deepEqual(archived.stays, { [what]: 1n })
    assert.deepEqual(await checkIntegrity(bench.db), [])
    assert.deepEqual(readProof(join(folder.path, MONTH.name), KEY.publicKey), [])
  })
}

test('of two archives at once, one is refused and writes nothing', async () => {
  await using bench = await startTestService()
  await finishedCredits(bench)
  bench.advance(YEAR_MS)
  using folder = createTempFolder()
  using other = createTempFolder()
  const { archiving, release } = await archiveBlocked(bench, folder.path, 'erasures')

  await assert.rejects(archive(bench, other.path), ArchiveProblem)
  await release()

  assert.equal((await archiving).credits, 6n)
  await assert.rejects(archive(bench, other.path), /2026-11 is archived already\./)
})
