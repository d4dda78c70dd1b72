// For connectors whose signature covers only a text made of some fields: no other body under the same
// signature books money.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount } from '../support/fixtures.ts'
import { connect, railCall, report, signed, startConnected } from './connector-bench.ts'
import { type ConnectorCase, readSample } from './connector-case.ts'
import { CONNECTOR_CASES } from './connector-cases.ts'
import { NOMBA } from './nomba/conformance-case.ts'

type Json = Record<string, unknown>

const SIGNING = CONNECTOR_CASES.filter(
  ({ signedPart, contentType }) => signedPart !== null && contentType === 'application/json',
)

// Values of other types that String() or a template writes like the value's own text.
const SHAPES: readonly (readonly [string, (value: unknown) => unknown])[] = [
  ['a list of it', (value) => [value]],
  ['a list in a list', (value) => [[value]]],
  ['an object', (value) => ({ value })],
  ['an empty list', () => []],
  ['true', () => true],
  ['false', () => false],
  ['null', () => null],
]

const sampleOf = ({ connector, samples }: ConnectorCase) =>
  JSON.parse(String(readSample(connector, samples[0]?.file ?? ''))) as Json

const bodyOf = (notification: unknown) => Buffer.from(JSON.stringify(notification))

// Returns the paths of all values in a body, such as `data.amount`.
function leafPaths(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return [path.join('.')]
  return Object.entries(value).flatMap(([name, each]) => leafPaths(each, [...path, name]))
}

// Returns a copy of the body with the value at the path changed.
function withChangedValue(value: unknown, path: string, change: (value: unknown) => unknown): Json {
  const copy = structuredClone(value) as Json
  const names = path.split('.')
  const last = names.pop() as string
  const parent = names.reduce((each, name) => each[name] as Json, copy)
  parent[last] = change(parent[last])
  return copy
}

const valueAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce((each, name) => (each as Json)[name], value)

for (const connectorCase of SIGNING) {
  for (const [what, shape] of SHAPES) {
    test(`${connectorCase.label}: a signed field that becomes ${what} is not authentic`, () => {
      const sample = sampleOf(connectorCase)
      const { connection } = connect(connectorCase)
      const captured = signed(connectorCase, bodyOf(sample))
      assert.equal(connection?.authenticate(railCall(captured, bodyOf(sample))), 'ok')

      for (const path of connectorCase.signsFields ?? leafPaths(sample)) {
        const forged = withChangedValue(sample, path, shape)
        // Skips null where the sample has null or an empty text: it is signed equally.
        if (what === 'null' && [null, ''].includes(valueAt(sample, path) as null)) continue
        const verdict = connection.authenticate(railCall(captured, bodyOf(forged)))
        assert.equal(verdict, 'invalid_signature', path)
      }
    })
  }
}

for (const connectorCase of SIGNING.filter(({ signsFields }) => signsFields)) {
  test(`${connectorCase.label}: one signature books one credit, even if unsigned fields change`, async () => {
    await using bench = await startConnected(connectorCase)
    const { accountNumber } = await createAccount(bench)
    const numberPath = leafPaths(sampleOf(connectorCase)).find(
      (path) =>
        valueAt(sampleOf(connectorCase), path) === connectorCase.samples[0]?.expected.accountNumber,
    ) as string
    const sample = withChangedValue(sampleOf(connectorCase), numberPath, () => accountNumber)
    const captured = signed(connectorCase, bodyOf(sample))
    const first = await report(bench, bodyOf(sample), captured)
    assert.equal(first.statusCode, 200)

    const unsigned = leafPaths(sample).filter((path) => !connectorCase.signsFields?.includes(path))
    const changedValue = (value: unknown) => (typeof value === 'number' ? value + 1 : `${value}2`)
    for (const path of unsigned) {
      await report(bench, bodyOf(withChangedValue(sample, path, changedValue)), captured)
    }
    const all = unsigned
      .filter((path) => path !== numberPath)
      .reduce((body, path) => withChangedValue(body, path, changedValue), sample)
    await report(bench, bodyOf(all), captured)

    const { rows } = await bench.db.query('select count(*)::int as credits from credits')
    assert.deepEqual(rows, [{ credits: 1 }])
  })
}

test('nomba: a captured call with another session id and amount is refused and raised', async () => {
  await using bench = await startConnected(NOMBA)
  const { accountNumber } = await createAccount(bench)
  const sample = withChangedValue(
    sampleOf(NOMBA),
    'data.transaction.aliasAccountNumber',
    () => accountNumber,
  )
  const captured = signed(NOMBA, bodyOf(sample))
  await report(bench, bodyOf(sample), captured)
  const dearer = withChangedValue(
    withChangedValue(sample, 'data.transaction.sessionId', () => 'another-session'),
    'data.transaction.transactionAmount',
    () => 900_000,
  )

  const replayed = await report(bench, bodyOf(dearer), captured)
  const hidden = withChangedValue(dearer, 'data.transaction.transactionId', (id) => [id])
  const hiding = await report(bench, bodyOf(hidden), captured)

  assert.equal(replayed.json().code, '02')
  assert.equal(hiding.statusCode, 401)
  const { rows } = await bench.db.query(
    `select (select count(*)::int from credits) as credits,
            (select count(*)::int from alerts where kind = 'session_reused') as alerts`,
  )
  assert.deepEqual(rows, [{ credits: 1, alerts: 1 }])
})

test('nomba: a credit whose transaction id identifies nothing is kept, not booked', async () => {
  await using bench = await startConnected(NOMBA)
  const { accountNumber } = await createAccount(bench)
  for (const id of ['x'.repeat(65), ' padded', 0, -1, 1.5]) {
    const sample = withChangedValue(
      withChangedValue(sampleOf(NOMBA), 'data.transaction.aliasAccountNumber', () => accountNumber),
      'data.transaction.transactionId',
      () => id,
    )
    const { statusCode } = await report(bench, bodyOf(sample), signed(NOMBA, bodyOf(sample)))
    assert.equal(statusCode, 200, String(id))
  }

  const { rows } = await bench.db.query(
    `select (select count(*)::int from credits) as credits,
            (select count(*)::int from rail_items) as items`,
  )
  assert.deepEqual(rows, [{ credits: 0, items: 5 }])
})

test('nomba: a call without a transaction id is not authentic', () => {
  const { connection } = connect(NOMBA)
  for (const id of ['', null, undefined]) {
    const sample = withChangedValue(sampleOf(NOMBA), 'data.transaction.transactionId', () => id)
    const headers = signed(NOMBA, bodyOf(sample))
    assert.equal(
      connection?.authenticate(railCall(headers, bodyOf(sample))),
      'invalid_signature',
      String(id),
    )
  }
})
