// A credit that breaks a screening rule is added to a case, which stays open while the credit is held (I133,
// I146).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watDay } from '#clock.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { credit } from '../support/movements.ts'
import {
  activate,
  CREDIT_RULE,
  codeOf,
  decisions,
  MINUTE_MS,
  startScreening,
} from '../support/screening.ts'

const CASES = '/api/v1/operator/cases'
const HOLDS = '/api/v1/operator/holds'
const CLOSING = { outcome: 'unfounded', reason: 'The payer is known' }
const DAY_MS = 1_440 * MINUTE_MS

const desk = closeAfterTests(await startScreening())
const { reference: rule } = await activate(desk, {
  ...CREDIT_RULE,
  ...{ kind: 'velocity', name: 'Large amounts', amount: '100', minutes: 1 },
})

const read = async (url: string) => (await desk.call({ url })).json().data

// Returns the session id and the hold of a new credit that breaks the rule.
async function hit(amount = '500') {
  const accountNumber = (await createAccount(desk)).accountNumber as string
  const { sessionId } = await credit(desk, accountNumber, amount)
  await desk.screen()
  const [decision] = await decisions(desk, `&sessionId=${sessionId}`)
  return { sessionId, hold: await read(`${HOLDS}/${decision?.hold}`) }
}

// Two operators release a hold.
async function release(reference: string) {
  const url = `${HOLDS}/${reference}`
  const ask = { url: `${url}/release`, body: { reason: 'Decided' } }
  dataOf(await (await desk.maker()).call(ask))
  dataOf(await (await desk.checker()).call({ url: `${url}/approve`, body: {} }))
}

const close = async (reference: string) =>
  codeOf((await desk.maker()).call({ url: `${CASES}/${reference}/close`, body: CLOSING }))

const sessionsOf = ({ credits }: { credits: { sessionId: string }[] }) =>
  credits.map(({ sessionId }) => sessionId).toSorted()

test('the credits of a day that break a rule are in one case, which their holds keep open', async () => {
  const first = await hit()
  const { reference } = await read(`${CASES}/${first.hold.case}`)
  const opened = await read(`${CASES}/${reference}`)
  assert.deepEqual([opened.kind, opened.state, opened.clientId], ['own_rule', 'open', 'MAN0000001'])
  assert.match(opened.summary, /Large amounts/)
  assert.deepEqual(
    opened.deadlines.map(({ name }: { name: string }) => name),
    ['resolve'],
  )

  const second = await hit()
  assert.equal(second.hold.case, reference)
  const joined = await read(`${CASES}/${reference}`)
  assert.deepEqual(sessionsOf(joined), [first.sessionId, second.sessionId].toSorted())
  const { rows } = await desk.db.query<{ key: string }>('select key from cases')
  const day = watDay(desk.clock())
  assert.deepEqual(rows, [{ key: `screening/MAN0000001/${rule}/${day}` }])

  await release(first.hold.reference)
  assert.equal(await close(reference), 'case_has_holds')
  await release(second.hold.reference)
  assert.equal(await close(reference), 'closed')
})

test('a closed or full case stays as it is, and the next credit of the day opens another', async () => {
  desk.advance(DAY_MS)
  const first = await hit()
  await release(first.hold.reference)
  await close(first.hold.case)
  const second = await hit()
  assert.notEqual(second.hold.case, first.hold.case)
  assert.equal((await read(`${CASES}/${first.hold.case}`)).state, 'closed')
  assert.deepEqual(sessionsOf(await read(`${CASES}/${second.hold.case}`)), [second.sessionId])
  assert.equal((await hit()).hold.case, second.hold.case)

  await desk.db.query(
    `insert into case_credits (case_id, credit_id)
     select (select id from cases where reference = $1), id from generate_series(-198, -1) as id`,
    [second.hold.case],
  )
  const third = await hit()
  assert.notEqual(third.hold.case, second.hold.case)
  assert.deepEqual(sessionsOf(await read(`${CASES}/${third.hold.case}`)), [third.sessionId])
})

test('the credits of another day are in another case', async () => {
  const today = await hit()
  desk.advance(DAY_MS)
  const tomorrow = await hit()
  assert.notEqual(tomorrow.hold.case, today.hold.case)
})

test('a credit that breaks no rule is in no case', async () => {
  const count = async () => (await desk.db.query('select from cases')).rowCount
  const before = await count()
  const accountNumber = (await createAccount(desk)).accountNumber as string
  await credit(desk, accountNumber, '5')
  await desk.screen()
  assert.equal(await count(), before)
})
