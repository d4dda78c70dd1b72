// A payout file that nobody has downloaded waits if a rule or list changes after its payouts were screened
// (I147).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import {
  createFile,
  download,
  queuePayouts,
  refused,
  startFileService,
} from '../support/payout-desk.ts'
import { makeUser, signIn } from '../support/people.ts'
import { activate, type Screening, upload } from '../support/screening.ts'

const bench = closeAfterTests(await startFileService())
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

  assert.equal((await upload(desk, 'own', 'id,name\n7,Musa Bello\n')).statusCode, 200)
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
})
