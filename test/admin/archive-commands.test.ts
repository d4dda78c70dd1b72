// `manilla archive`, as an operator types it: what it says, what it refuses, and that nothing is lost when it
// is killed.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkIntegrity } from '#domain/integrity/integrity-checks.ts'
import { finishedCredits } from '../support/archiving.ts'
import { runManilla, startManilla } from '../support/manilla-command.ts'
import { begin, credit } from '../support/movements.ts'
import { readProof } from '../support/proof-reader.ts'
import { KEY, PYTHON, READERS, verifyInPython } from '../support/proving.ts'
import { type Bench, START, startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { untilWaiting } from '../support/waiting-locks.ts'

// Six finished credits and one of a payment in January 2024, and one in February.
async function live(bench: Bench): Promise<void> {
  bench.advance(Date.parse('2024-01-10T08:00:00Z') - START.getTime())
  const [number] = await finishedCredits(bench)
  const payment = await begin(bench)
  await credit(bench, payment.number, '100')
  bench.advance(30 * 86_400_000)
  await credit(bench, number as string, '70')
}

test(`an operator archives old months, which ${READERS} verify`, async () => {
  await using bench = await startTestService()
  await live(bench)
  using folder = createTempFolder()

  const preview = await run(bench, folder.path, '--before', '2024-02', '--dry-run', '--to', 'old')
  assert.equal(preview.code, 0, preview.err)
  assert.match(
    preview.out,
    /^2024-01\n +to archive +6 credits, NGN 6015\.00\n +stay +1 of payments\n$/,
  )
  assert(!existsSync(join(folder.path, 'old')))

  const archived = await run(bench, folder.path, '--before', '2024-02', '--to', 'old', '--json')
  assert.equal(archived.code, 0, archived.err)
  const { months } = JSON.parse(archived.out)
  assert.deepEqual(
    months.map(({ month, credits }: Record<string, unknown>) => [month, credits]),
    [['2024-01', 6]],
  )
  const january = join(folder.path, 'old', '2024-01')
  assert.equal(months[0].folder, january)
  assert.deepEqual(readProof(january, KEY.publicKey), [])
  if (PYTHON) assert.equal(verifyInPython(january).code, 0)
  assert.equal(readFileSync(join(january, 'payers.ndjson'), 'utf8').trim().split('\n').length, 6)

  const more = await run(bench, folder.path, '--before', '2024-03', '--to', 'old')
  assert.equal(more.code, 0, more.err)
  assert.match(more.out, /^2024-02\n +archived +1 credit, NGN 70\.00; 3 transfers became 3\n +to /)
  const none = await run(bench, folder.path, '--before', '2024-03', '--to', 'old')
  assert.deepEqual([none.code, none.out], [0, 'There is nothing to archive.\n'])
  assert.deepEqual(await checkIntegrity(bench.db), [])
})

test('what is refused changes nothing', async () => {
  await using bench = await startTestService()
  using folder = createTempFolder()

  for (const [words, code, message] of [
    [[], 2, /Specify --before <month>, such as 2025-01\./],
    [['--before', '2025-13'], 2, /Specify --before/],
    [['--before', 'now'], 2, /Specify --before/],
    [['--before', '2099-01'], 1, /^2098-12 is too recent: months are archived 180 days after/],
  ] as const) {
    const refused = await run(bench, folder.path, ...words)
    assert.equal(refused.code, code, refused.err)
    assert.match(refused.err, message)
  }
})

test('an archive that is killed before its commit has taken nothing', async () => {
  await using bench = await startTestService()
  await live(bench)
  using folder = createTempFolder()
  const blocker = await bench.db.connect()
  await blocker.query('begin; lock table credit_fees in exclusive mode')
  const child = startManilla(bench, folder.path, ['archive', '--before', '2024-02', '--to', 'old'])
  await untilWaiting(bench.db, 1)

  process.kill(-(child.pid as number), 'SIGKILL')
  await once(child, 'close')
  await blocker.query('rollback')
  blocker.release()

  const { rows } = await bench.db.query('select count(*)::int as count from credits')
  assert.equal(rows[0].count, 8)
  const january = join(folder.path, 'old', '2024-01')
  const again = await run(bench, folder.path, '--before', '2024-02', '--to', 'old')
  assert.equal(again.code, 1)
  assert.match(again.err, /2024-01 is not empty/)
  rmSync(january, { recursive: true })
  const anew = await run(bench, folder.path, '--before', '2024-02', '--to', 'old')
  assert.equal(anew.code, 0, anew.err)
  assert.deepEqual(readProof(january, KEY.publicKey), [])
})

const run = (bench: Bench, cwd: string, ...words: string[]) =>
  runManilla(bench, cwd, ['archive', ...words])
