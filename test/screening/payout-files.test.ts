// Payouts in a file that nobody has downloaded yet are screened again when a rule or list changes (I147).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { screenPayoutsRound } from '#screening/workers.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  createFile,
  download,
  queuePayouts,
  readFile,
  refused,
  startFileService,
  statusesOf,
} from '../support/payout-desk.ts'
import { payoutRounds } from '../support/payouts.ts'
import { makeUser, signIn } from '../support/people.ts'
import {
  activate,
  approve,
  decisions,
  MINUTE_MS,
  putList,
  request,
  type Screening,
} from '../support/screening.ts'

const bench = closeAfterTests(await startFileService())
const payouts = closeAfterTests(await payoutRounds(bench))
const { signal } = new AbortController()
async function screen(): Promise<void> {
  while ((await screenPayoutsRound(payouts)(signal)).more);
}
const emails = [
  await makeUser(bench, { role: 'operator' }),
  await makeUser(bench, { role: 'operator' }),
] as const
const desk = Object.assign(bench, {
  maker: () => signIn(bench, emails[0]),
  checker: () => signIn(bench, emails[1]),
}) as unknown as Screening

test('a file is first downloaded only if its payouts were screened by the rules in force', async () => {
  const [before] = await queuePayouts(bench)
  const downloaded = (await createFile(bench)).id as string
  assert.equal((await download(bench, downloaded)).statusCode, 200)
  const [reference] = await queuePayouts(bench)
  assert.notEqual(reference, before)
  const { id } = await createFile(bench)

  await putList(desk, 'own', 'id,name\n7,Musa Bello\n')
  const rule = { name: 'Own list', subject: 'payout', outcome: 'hold', kind: 'list', list: 'own' }
  await activate(desk, { ...rule, score: 90 })
  const answer = await download(bench, id as string)
  refused(answer, 409, 'payout_under_review')
  assert.match(answer.json().errors[0].message, new RegExp(reference as string))
  const { rows } = await bench.db.query<{ reference: string }>(
    'select reference from payout_files where downloaded_at is not null',
  )
  assert.deepEqual(rows, [{ reference: downloaded }])
  assert.equal((await download(bench, downloaded)).statusCode, 200, 'the same bytes every time')

  await screen()
  assert.equal((await download(bench, id as string)).statusCode, 200, 'nobody in it is listed')
  assert.deepEqual(await decisions(bench), [])
})

// Creates a file with one payout to `name`, and then adds the name to the list. Asserts that the file cannot
// be downloaded and the payout awaits a review.
async function listAfterwards(name: string, entry: number) {
  const [reference] = await queuePayouts(bench, { name, amountsKobo: [10_000n] })
  await screen()
  const { id } = await createFile(bench)
  await putList(desk, 'own', `id,name\n${entry},${name}\n`)
  desk.advance(MINUTE_MS)
  refused(await download(bench, id as string), 409, 'payout_under_review')
  await screen()
  refused(await download(bench, id as string), 409, 'payout_under_review')
  assert.equal((await readFile(bench, id as string)).blockedBy, 'payout_under_review')
  const [decision] = await decisions(bench, `&payout=${reference}`)
  assert.equal(decision?.handling, 'awaits_review')
  return { id: id as string, reference: reference as string, decision: decision?.reference }
}

test('a payout in a prepared file is held by a new list until two people release it', async () => {
  const { id, reference, decision } = await listAfterwards('Chika Example Eze', 8)
  await screen()
  assert.equal((await decisions(bench, `&payout=${reference}`)).length, 1, 'one decision')
  await approve(desk, await request(desk, `/decisions/${decision}/release`))
  assert.equal((await download(bench, id)).statusCode, 200)
  assert.deepEqual(await statusesOf(bench, [reference]), ['sending'])
})

test('a payout that two people refuse fails, and its file is never given out', async () => {
  const { id, reference, decision } = await listAfterwards('Dayo Example Sample', 9)
  await approve(desk, await request(desk, `/decisions/${decision}/refuse`))
  assert.deepEqual(await statusesOf(bench, [reference]), ['failed'])
  refused(await download(bench, id), 409, 'payout_file_settled')
  await assertCleanBooks(bench)
})

test('a rule that refuses fails a payout of a prepared file, not of a downloaded one', async () => {
  const names = ['Ebun Example Alade', 'Femi Example Bakare'] as const
  const files: string[] = []
  const references: string[] = []
  for (const name of names) {
    references.push(...(await queuePayouts(bench, { name, amountsKobo: [10_000n] })))
    await screen()
    files.push((await createFile(bench)).id)
  }
  assert.equal((await download(bench, files[1] as string)).statusCode, 200)
  await putList(desk, 'own', `id,name\n1,${names[0]}\n2,${names[1]}\n`)
  const rule = { name: 'Own list', subject: 'payout', outcome: 'refuse', kind: 'list', list: 'own' }
  await activate(desk, { ...rule, score: 90 })
  await screen()
  assert.deepEqual(await statusesOf(bench, references), ['failed', 'sending'])
  refused(await download(bench, files[0] as string), 409, 'payout_file_settled')
  assert.equal((await download(bench, files[1] as string)).statusCode, 200)
})

test('the database takes no payout into a file that was stopped before', async () => {
  const [reference] = await queuePayouts(bench, { amountsKobo: [10_000n] })
  await bench.db.query(
    `update payouts set screening = 'held', screened_at = $2 where reference = $1`,
    [reference, bench.clock()],
  )
  const { id: file } = (
    await bench.db.query<{ id: bigint }>('select max(id) as id from payout_files')
  ).rows[0] as { id: bigint }
  await assert.rejects(
    bench.db.query(
      `update payouts set status = 'sending', sending_at = $2, batch_id = $3 where reference = $1`,
      [reference, bench.clock(), file],
    ),
    /payouts_held_unsent/,
  )
})
