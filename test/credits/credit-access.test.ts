// Which callers see which credits; and reading the list of credits to its end.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import {
  assertAlike,
  assertRefused,
  createAccount,
  dataOf,
  startPayment,
} from '../support/fixtures.ts'
import { newSessionId } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'
import { CREDITS, credit, openDesk, type Row, readList, walk } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const otherClient = await bench.newClient('OTHER00001')
const desk = await openDesk(bench)

const UNKNOWN_NUMBER = '0123456789'
const sessionIdsOf = (rows: Row[]) => rows.map((row) => row.sessionId)
const readCredit = async (id: string | number) =>
  dataOf(await bench.call({ url: `${CREDITS}/${id}` }))

test('pages lead to the end without gaps or repeats while new credits arrive', async () => {
  const { accountNumber } = await createAccount(bench)
  for (let at = 0; at < 11; at++) await credit(bench, accountNumber, '1.00')

  for (const url of [`${CREDITS}?accountNumber=${accountNumber}`, CREDITS]) {
    const before = sessionIdsOf((await walk(bench, url, { limit: 100 })).flat())
    for (const limit of [1, 4, 11]) {
      const walked = await walk(bench, url, {
        limit,
        between: () => credit(bench, accountNumber, '1.00'),
      })
      const seen = sessionIdsOf(walked.flat())
      assert.equal(new Set(seen).size, seen.length)
      assert.deepEqual(seen.slice(-before.length), before, `${url} by ${limit}`)
    }
  }
})

test('a cursor of another list, other filters or another client is refused', async () => {
  const { accountNumber } = await createAccount(bench)
  for (let at = 0; at < 3; at++) await credit(bench, accountNumber, '1.00')
  const url = `${CREDITS}?accountNumber=${accountNumber}&limit=1`
  const { nextCursor } = await readList(bench, url)

  for (const [target, token] of [
    [`${CREDITS}?limit=1&cursor=${nextCursor}`],
    [`${url}&outcome=booked&cursor=${nextCursor}`],
    [`/api/v1/balances/merchants?cursor=${nextCursor}`],
    [`${url}&cursor=${nextCursor}x`],
    [`${url}&cursor=${nextCursor}`, otherClient],
    [`${url}&cursor=`],
    [`${url}&cursor=%00`],
  ] as const) {
    const answer = await bench.call({ url: target, ...(token ? { token } : {}) })
    assertRefused(answer, { code: 'invalid_cursor' })
  }
  const next = await readList(bench, `${url.replace('limit=1', 'limit=2')}&cursor=${nextCursor}`)
  assert.equal(next.data.length, 2)
})

test('another client finds nothing, and gets the same answer as for a missing object', async () => {
  const payment = await startPayment(bench, { merchantRef: 'MINE' })
  const sessionId = await credit(bench, payment.bankAccount, '10.00')
  const { id } = await readCredit(sessionId)

  for (const filters of [
    '',
    `?sessionId=${sessionId}`,
    `?accountNumber=${payment.bankAccount}`,
    `?paymentReference=${payment.paymentReference}`,
    `?adviceReference=${payment.adviceReference}`,
    '?merchantRef=MINE',
    '?from=2001-01-01&outcome=booked',
  ]) {
    const { data } = await readList(bench, `${CREDITS}${filters}`, otherClient)
    assert.deepEqual(data, [], filters)
  }
  const missing = { url: `${CREDITS}/${newSessionId()}`, token: otherClient }
  for (const name of [sessionId, id]) {
    const answer = await bench.call({ url: `${CREDITS}/${name}`, token: otherClient })
    assertRefused(answer, { status: 404, code: 'credit_not_found' })
    assertAlike(answer, await bench.call(missing))
  }
})

test('operators see money without an owner, and a client sees it once it is assigned', async () => {
  const account = await createAccount(bench, {}, { token: otherClient })
  const sessionId = await credit(bench, UNKNOWN_NUMBER, '33.00')
  const hidden = await bench.call({ url: `${CREDITS}/${sessionId}`, token: otherClient })
  const unseen = await readList(bench, `${CREDITS}?accountNumber=${UNKNOWN_NUMBER}`, otherClient)

  const seen = await readCredit(sessionId)
  await desk.assign(sessionId, { accountNumber: account.accountNumber })

  assertRefused(hidden, { status: 404, code: 'credit_not_found' })
  assert.deepEqual(unseen.data, [])
  assert.equal(seen.reason, 'unknown_number')
  assert.match(seen.locations[0].description, /no virtual account has the number/)
  const list = await readList(bench, `${CREDITS}?accountNumber=${UNKNOWN_NUMBER}`)
  assert(sessionIdsOf(list.data).includes(sessionId))
  const owned = await bench.call({ url: `${CREDITS}/${sessionId}`, token: otherClient })
  const { locations, events } = dataOf(owned)
  assert.equal(locations[0].reference, account.accountNumber)
  assert.deepEqual(
    events.map((event: Row) => event.type),
    ['credit.assigned', 'collection.received'],
  )
})

test('no request without a token is answered', async () => {
  for (const url of [CREDITS, `${CREDITS}/1`]) {
    const answer = await bench.call({ url, token: null })
    assertRefused(answer, { status: 401, code: 'unauthorized' })
  }
})
