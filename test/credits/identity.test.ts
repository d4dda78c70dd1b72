// A credit is taken once, by any route and with any identifier of its bank.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTransfer } from '#banks/wema/notifications.ts'
import type { IncomingCredit } from '#credits/judge.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount, dataOf, readAccount, simulate } from '../support/fixtures.ts'
import { incomingCredit, naira, routesOf, sortedByKind } from '../support/incoming-credits.ts'
import { bankOf, newSessionId, postRail } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())

// Takes a credit as if one of the routes had reported it, and returns the result.
const takeCredit = (credit: IncomingCredit) => bench.service.writers.credits.submit(credit)

const routes = (accountNumber: string) => routesOf(bench, accountNumber)

// Reads a credit from the API by any of its identifiers.
async function readCredit(identifier: string) {
  const answer = await bench.call({ url: `/api/v1/credits/${encodeURIComponent(identifier)}` })
  return dataOf(answer)
}

const ORDERS = [
  ['notification', 'requery', 'statement'],
  ['notification', 'statement', 'requery'],
  ['requery', 'notification', 'statement'],
  ['requery', 'statement', 'notification'],
  ['statement', 'notification', 'requery'],
  ['statement', 'requery', 'notification'],
] as const

for (const order of ORDERS) {
  test(`by ${order.join(', then ')}, a credit is booked once and known by all it was called`, async () => {
    const { accountNumber } = await createAccount(bench)
    const { known, ...by } = await routes(accountNumber)

    const statuses = []
    for (const route of order) statuses.push((await takeCredit(by[route])).status)

    assert.deepEqual(statuses, ['taken', 'duplicate', 'duplicate'])
    assert.equal((await readAccount(bench, accountNumber)).accountBalance, 10)
    const credits = []
    for (const { value } of known) credits.push(await readCredit(value))
    const [credit] = credits
    assert.deepEqual(new Set(credits.map(({ id }) => id)).size, 1)
    assert.equal(credit.sessionId, by[order[0]].sessionId)
    assert.deepEqual(credit.identifiers[0], {
      kind: by[order[0]].identifiedBy ?? 'session_id',
      value: credit.sessionId,
    })
    assert.deepEqual(sortedByKind(credit.identifiers), known)
    assert.equal(credit.source, order[0])
  })
}

test('three routes in one batch bring one credit', async () => {
  const { accountNumber } = await createAccount(bench)
  const { notification, requery, statement, known } = await routes(accountNumber)

  const answers = await bench.service.writers.credits.submitAll([statement, notification, requery])

  assert.deepEqual(
    answers.map((answer) => answer.ok && answer.value.status),
    ['taken', 'duplicate', 'duplicate'],
  )
  assert.equal((await readAccount(bench, accountNumber)).accountBalance, 10)
  assert.deepEqual(sortedByKind((await readCredit(statement.sessionId)).identifiers), known)
})

test('an identifier’s kind and its bank are part of the identity', async () => {
  const { accountNumber } = await createAccount(bench)
  const credit = await incomingCredit(bench, { accountNumber, amount: 10 })

  const answers = [
    await takeCredit(credit),
    await takeCredit({ ...credit, identifiedBy: 'settlement_id' }),
    await takeCredit({ ...credit, bankCode: '058' }),
  ]

  assert.deepEqual(
    answers.map(({ status }) => status),
    ['taken', 'taken', 'taken'],
  )
  assert.equal((await readAccount(bench, accountNumber)).accountBalance, 20)
})

test('a weak identifier names the same credit, unless the bank’s own reference is another', async () => {
  const { accountNumber } = await createAccount(bench)
  const credit = await incomingCredit(bench, { accountNumber, amount: 10 })
  // Returns the credit with a session id that is no proof of identity, and with another settlement id.
  const weakCredit = (settlement: string, sessionId = credit.sessionId): IncomingCredit => ({
    ...credit,
    sessionId,
    isWeak: true,
    otherIdentifiers: [{ kind: 'settlement_id', value: `${settlement}-${credit.sessionId}` }],
  })
  const plain = await takeCredit(credit)
  const same = await takeCredit(weakCredit('S1'))

  const other = await takeCredit(weakCredit('S2'))
  const again = await takeCredit(weakCredit('S2'))
  const [inBatch, twin] = await bench.service.writers.credits.submitAll([
    weakCredit('S3'),
    weakCredit('S3'),
  ])

  assert.deepEqual([plain.status, same.status], ['taken', 'duplicate'])
  assert.deepEqual([other.status, again.status], ['taken', 'duplicate'])
  assert(inBatch?.ok && twin?.ok)
  assert.deepEqual([inBatch.value.status, twin.value.status], ['taken', 'duplicate'])
  assert.equal((await readAccount(bench, accountNumber)).accountBalance, 30)
  const second = await readCredit(`S2-${credit.sessionId}`)
  assert.deepEqual(second.identifiers, [{ kind: 'settlement_id', value: `S2-${credit.sessionId}` }])
  await assertCleanBooks(bench)
})

test('credits of a batch that share a weak identifier are kept apart by their references', async () => {
  const { accountNumber } = await createAccount(bench)
  const credit = await incomingCredit(bench, { accountNumber, amount: 10 })
  const { sessionId } = credit
  const batch = ['S1', 'S2', 'S3'].map((settlement) => ({
    ...credit,
    isWeak: true,
    otherIdentifiers: [{ kind: 'settlement_id' as const, value: `${settlement}-${sessionId}` }],
  }))
  await takeCredit(credit)

  const answers = await bench.service.writers.credits.submitAll(batch)

  assert.deepEqual(
    answers.map((answer) => answer.ok && answer.value.status),
    ['duplicate', 'taken', 'taken'],
  )
  assert.equal((await readAccount(bench, accountNumber)).accountBalance, 30)
})

test('a Wema transfer with and without its session id is one credit, two session ids are two', async () => {
  const { accountNumber: craccount } = await createAccount(bench)
  const bankCode = await bankOf(bench, craccount)
  // Takes a credit as Wema reports it, and returns the status.
  const takeFromWema = async (paymentreference: string, sessionid?: string) => {
    const item = readTransfer({ paymentreference, sessionid, craccount, amount: '10.00' })
    assert(item.ok)
    return (await takeCredit({ ...item.credit, bankCode })).status
  }
  const [one, other] = [newSessionId(), newSessionId()]
  const reference = `PR-${one}`

  const notified = [
    await takeFromWema(reference),
    await takeFromWema(reference, one),
    await takeFromWema(reference, one),
  ]
  const listed = [
    await takeFromWema(reference, other),
    await takeFromWema(reference, other),
    await takeFromWema(reference),
  ]
  const later = [
    await takeFromWema(`L-${reference}`, newSessionId()),
    await takeFromWema(`L-${reference}`),
  ]

  assert.deepEqual(notified, ['taken', 'duplicate', 'duplicate'])
  assert.deepEqual(listed, ['taken', 'duplicate', 'duplicate'])
  assert.deepEqual(later, ['taken', 'duplicate'])
  assert.equal((await readAccount(bench, craccount)).accountBalance, 30)
  await assertCleanBooks(bench)
})

test('identifiers that name two credits, or another amount, are refused with an alert', async () => {
  const { accountNumber } = await createAccount(bench)
  const { notification, requery } = await routes(accountNumber)
  const apart = { ...notification, otherIdentifiers: [] }
  await takeCredit(apart)
  await takeCredit({ ...requery, otherIdentifiers: [] })

  const conflicting = await takeCredit(notification)
  const dearer = await takeCredit({ ...requery, amountKobo: naira(20) })

  assert.deepEqual([conflicting.status, dearer.status], ['session_reused', 'session_reused'])
  assert.equal((await readAccount(bench, accountNumber)).accountBalance, 20)
  const { rows } = await bench.db.query(
    `select subject, detail from alerts where kind = 'session_reused' and subject = any($1)
      order by subject`,
    [[notification, requery].map(({ sessionId }) => `${sessionId}@035`)],
  )
  assert.deepEqual(
    rows.map(({ subject }) => subject).sort(),
    [notification, requery].map(({ sessionId }) => `${sessionId}@035`).sort(),
  )
  const alert = rows.find(({ subject }) => subject === `${notification.sessionId}@035`)
  assert.deepEqual(alert.detail.otherIdentifiers, notification.otherIdentifiers)
  // Neither report added an identifier.
  const { identifiers } = await readCredit(requery.sessionId)
  assert.deepEqual(identifiers, [{ kind: 'settlement_id', value: requery.sessionId }])
})

test('a reversal may name its credit by any identifier', async () => {
  const { accountNumber } = await createAccount(bench)
  const { notification, requery, statement } = await routes(accountNumber)
  await takeCredit(notification)
  await takeCredit(requery)

  for (const originalSessionId of [requery.sessionId, statement.sessionId]) {
    const reversal = { sessionId: newSessionId(), originalSessionId, amount: '4.00' }
    const answer = await postRail(bench, '035/reversals', reversal)
    assert.equal(answer.json().responseCode, '00', answer.body)
  }

  assert.equal((await readAccount(bench, accountNumber)).accountBalance, 2)
})

test('search and the list find a credit by any identifier', async () => {
  const { accountNumber } = await createAccount(bench)
  const { notification, requery, known } = await routes(accountNumber)
  await takeCredit(notification)
  await takeCredit(requery)

  for (const { value } of known) {
    const encoded = encodeURIComponent(value)
    const hits = (await bench.call({ url: `/api/v1/search?q=${encoded}` })).json().data
    assert.deepEqual(
      hits.map(({ type, detail }: { type: string; detail: string }) => [type, detail]),
      [['credit', notification.sessionId]],
    )
    const listed = (await bench.call({ url: `/api/v1/credits?sessionId=${encoded}` })).json().data
    assert.equal(listed.length, 1)
  }
})

test('a settlement id as short as one of our ids still finds its credit', async () => {
  const { accountNumber } = await createAccount(bench)
  const { notification } = await routes(accountNumber)
  const value = '4711'
  await takeCredit({ ...notification, otherIdentifiers: [{ kind: 'settlement_id', value }] })

  const credit = await readCredit(value)
  const hits = (await bench.call({ url: `/api/v1/search?q=${value}` })).json().data

  assert.equal(credit.sessionId, notification.sessionId)
  assert.deepEqual(
    hits.map(({ detail }: { detail: string }) => detail),
    [notification.sessionId],
  )
  assert.equal((await readCredit(`${credit.id}`)).id, credit.id)
})

test('a simulated transfer says that it is simulated', async () => {
  const { accountNumber } = await createAccount(bench)

  const { sessionId } = await simulate(bench, accountNumber, '10.00')

  assert.equal((await readCredit(sessionId)).source, 'sandbox')
  const url = `/api/v1/credits/${sessionId}/timeline`
  const { entries } = dataOf(await bench.call({ url }))
  const came = entries.find(({ kind }: { kind: string }) => kind === 'credit')
  assert.equal(came.detail.source, 'sandbox')
})

test('identifiers are never changed or deleted, and the books agree with them', async () => {
  for (const change of [
    `update credit_identifiers set value = 'x'`,
    'delete from credit_identifiers',
    'truncate credit_identifiers',
  ]) {
    await assert.rejects(bench.db.query(change), { code: '23001' })
  }
  await assertCleanBooks(bench)
})
