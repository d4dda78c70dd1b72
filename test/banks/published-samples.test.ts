// Every connector accepts its bank's published samples, in a running service.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SANDBOX_CONNECTORS } from '#banks/connectors.ts'
import { formatKobo } from '#money.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { createAccount, readAccount } from '../support/fixtures.ts'
import { requeriesOf } from '../support/requery-bench.ts'
import {
  connect,
  countKept,
  railCall,
  report,
  shareConnected,
  signed,
  startConnected,
} from './connector-bench.ts'
import { type ConnectorCase, readSample } from './connector-case.ts'
import { CONNECTOR_CASES } from './connector-cases.ts'
import { MONNIFY } from './monnify/conformance-case.ts'

const NOT_A_CREDIT = ['monnify/offline-payment.json']

// The service of each case. The tests that book the samples' own identifiers elsewhere start another.
const services = new Map(CONNECTOR_CASES.map((each) => [each, shareConnected(each)]))

async function serviceOf(connectorCase: ConnectorCase) {
  const connected = services.get(connectorCase)
  assert(connected)
  return await connected()
}

test('every connector, and every sample, is held to these promises', () => {
  const names = new Set(CONNECTOR_CASES.map(({ connector }) => connector))
  assert.deepEqual([...names].sort(), SANDBOX_CONNECTORS.map(({ name }) => name).sort())

  const folder = join(import.meta.dirname, 'samples')
  const files = readdirSync(folder, { recursive: true }).map(String)
  const run = CONNECTOR_CASES.flatMap(({ connector, samples }) =>
    samples.map(({ file }) => `${connector}/${file}`),
  )
  assert.deepEqual(
    files.filter((file) => file.includes('.')).sort(),
    [...new Set([...run, ...NOT_A_CREDIT])].sort(),
  )
})

for (const connectorCase of CONNECTOR_CASES.filter(({ hintsOnly }) => !hintsOnly)) {
  const { connector, label, samples } = connectorCase

  for (const { file, expected } of samples) {
    test(`${label}: ${file} yields amount, identifiers and charges`, () => {
      const body = readSample(connector, file)
      const { connection } = connect(connectorCase)
      const call = railCall(signed(connectorCase, body), body)
      assert.equal(connection?.authenticate(call), 'ok')

      const parsed = connection.findFormat(call)?.parse(body)

      assert(parsed && 'items' in parsed && parsed.items[0]?.ok)
      const { identifiedBy, otherIdentifiers, charges, ...credit } = parsed.items[0].credit
      assert.equal(parsed.items.length, 1)
      assert.equal(credit.sessionId, expected.sessionId)
      assert.equal(credit.accountNumber, expected.accountNumber)
      assert.equal(credit.amountKobo, expected.amountKobo)
      assert.equal(identifiedBy, expected.identifiedBy)
      assert.deepEqual(otherIdentifiers, expected.otherIdentifiers)
      assert.deepEqual(charges, expected.charges)
    })
  }

  test(`${label}: each sample is taken once, however often it is sent`, async () => {
    const bench = await serviceOf(connectorCase)
    for (const { file, taken: accepted, again } of samples) {
      const body = readSample(connector, file)
      const headers = signed(connectorCase, body)

      const first = await report(bench, body, headers)
      const others = await Promise.all([1, 2, 3].map(() => report(bench, body, headers)))

      assertAnswer(first, accepted)
      for (const other of others) assertAnswer(other, again)
    }
    const { rows } = await bench.db.query(
      'select session_id, account_number, amount_kobo from credits order by id',
    )
    assert.deepEqual(
      rows,
      samples.map(({ expected: { sessionId, accountNumber, amountKobo } }) => ({
        sessionId,
        accountNumber,
        amountKobo,
      })),
    )
    await assertCleanBooks(bench)
  })

  test(`${label}: each sample is booked in full when the number is one of ours`, async () => {
    await using bench = await startConnected(connectorCase)
    for (const { file, expected } of samples) {
      const { accountNumber } = await createAccount(bench)
      const sample = String(readSample(connector, file))
      const body = Buffer.from(sample.replaceAll(expected.accountNumber, accountNumber))
      const headers = signed(connectorCase, body)

      await Promise.all([1, 2, 3].map(() => report(bench, body, headers)))

      const gross = Number(formatKobo(expected.amountKobo))
      assert.equal((await readAccount(bench, accountNumber)).accountBalance, gross)
    }
    const { rows } = await bench.db.query('select outcome from credits')
    assert.deepEqual(
      rows,
      samples.map(() => ({ outcome: 'booked' })),
    )
    await assertCleanBooks(bench)
  })
}

for (const connectorCase of CONNECTOR_CASES.filter(({ hintsOnly }) => hintsOnly)) {
  const { connector, label, samples } = connectorCase

  test(`${label}: a sample books nothing: its bank is asked for it, once`, async () => {
    const bench = await serviceOf(connectorCase)
    const before = await countKept(bench)
    for (const { file, taken: accepted, again } of samples) {
      const body = readSample(connector, file)
      const headers = signed(connectorCase, body)

      assertAnswer(await report(bench, body, headers), accepted)
      const others = await Promise.all([1, 2, 3].map(() => report(bench, body, headers)))

      for (const other of others) assertAnswer(other, again)
    }
    const questions = await requeriesOf(bench)
    assert.deepEqual(
      questions.map(({ reason, subject, state }) => ({ reason, subject, state })),
      samples.map(({ expected: { identifiedBy = 'session_id', sessionId } }) => ({
        reason: 'notification',
        subject: `${identifiedBy}/${sessionId}`,
        state: 'open',
      })),
    )
    const { credits, items } = await countKept(bench)
    assert.deepEqual({ credits, items }, { credits: before.credits, items: before.items })
  })
}

// Connectors whose signature covers only some fields are left out: a broken body has no such fields, so its
// signature cannot be valid.
for (const connectorCase of CONNECTOR_CASES.filter(({ signsFields }) => !signsFields)) {
  test(`${connectorCase.label}: what cannot be read is kept, and answered in its own form`, async () => {
    const bench = await serviceOf(connectorCase)
    const { credits, items } = await countKept(bench)
    const body = Buffer.from('{"amount": 5, "data": {}, "eventData": ')

    const answer = await report(bench, body, signed(connectorCase, body))

    assert.equal(answer.statusCode, 400)
    assert.match(String(answer.headers['content-type']), /^application\/json/)
    const after = await countKept(bench)
    assert.deepEqual([after.credits, after.items], [credits, items + 1])
  })
}

test('monnify: an event that is no credit is acknowledged, and books nothing', async () => {
  const bench = await serviceOf(MONNIFY)
  const before = await countKept(bench)
  const body = readSample('monnify', 'offline-payment.json')

  const answer = await report(bench, body, signed(MONNIFY, body))

  assertAnswer(answer, { responseCode: '02' })
  assert.deepEqual(await countKept(bench), before)
})

type Answer = Awaited<ReturnType<typeof report>>

// Asserts that the answer is JSON with the acknowledgement that the bank expects.
function assertAnswer(answer: Answer, expected: object): void {
  assert.equal(answer.statusCode, 200, answer.body)
  assert.match(String(answer.headers['content-type']), /^application\/json; charset=utf-8$/)
  const [acknowledgement] = [answer.json()].flat()
  for (const [field, value] of Object.entries(expected)) {
    assert.deepEqual(acknowledgement[field], value, `${field} of ${answer.body}`)
  }
}
