// Checks the contracts themselves: every sample, every published notification and our answer to it
// satisfies its schema, and a violation on either side is noticed.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Contract, type HttpRequest, readContract } from '../../fake-bank/contract.ts'
import { DIALECTS } from '../../fake-bank/dialects.ts'
import { startFakeBank } from '../../fake-bank/fake-bank.ts'
import { BANK_CODE, callsOf, NOBODY } from '../support/fake-bank.ts'
import { connect, signed } from './connector-bench.ts'
import { readSample } from './connector-case.ts'
import { CONNECTOR_CASES } from './connector-cases.ts'

const FOLDER = join(import.meta.dirname, '../../fake-bank/contracts')
const PROVIDERS = readdirSync(FOLDER).map((file) => file.replace(/\.json$/, ''))
const OWN_FORMATS = ['manilla', 'iso20022']

// Returns the contract of a provider, which must have a file in fake-bank/contracts.
function contractOf(provider: string): Contract {
  const document = readContract(provider)
  assert(document)
  return new Contract(document)
}

test('every connector to a provider has a contract, and every dialect is checked against it', () => {
  const connectors = new Set(CONNECTOR_CASES.map(({ connector }) => connector))
  const providers = [...connectors].filter((name) => !OWN_FORMATS.includes(name))
  for (const name of providers) assert(PROVIDERS.includes(name), name)
  for (const name of providers)
    assert(
      DIALECTS.some(({ connector }) => connector === name),
      name,
    )
})

for (const provider of PROVIDERS) {
  const contract = contractOf(provider)
  const calls = contract.document.calls.filter(({ exists }) => exists !== false)

  test(`${provider}: every call says how sure it is and where it comes from`, () => {
    for (const { call, certainty, source } of calls) {
      assert.match(certainty, /\w/, call)
      assert(source && source.length > 0, call)
    }
  })

  test(`${provider}: every sample satisfies its own contract`, () => {
    for (const { call, method = '', path = '', headers = {}, sample, responses = {} } of calls) {
      if (sample !== undefined) {
        const names = Object.keys(headers)
        const faults = contract
          .checkNotification(call, { headers: {}, body: sample })
          .filter((fault) => !names.some((name) => fault.includes(`header ${name}`)))
        assert.deepEqual(faults, [], call)
      }
      for (const [status, { sample: answer }] of Object.entries(responses)) {
        if (answer === undefined || answer === null || path.startsWith('{')) continue
        const url = path.replace(/\{\w+\}/g, 'x')
        const faults = contract.checkAnswer(
          { method, url },
          { httpStatus: Number(status), body: answer },
        )
        assert.deepEqual(faults, [], `${call} ${status}`)
      }
    }
  })
}

for (const connectorCase of CONNECTOR_CASES.filter(({ connector }) =>
  PROVIDERS.includes(connector),
)) {
  const contract = contractOf(connectorCase.connector)
  for (const { file } of connectorCase.samples) {
    test(`${connectorCase.label}: ${file} satisfies the contract of a notification, or of an answer`, () => {
      const body = JSON.parse(String(readSample(connectorCase.connector, file)))
      const headers = signed(connectorCase, Buffer.from(JSON.stringify(body)))
      const { method = '', path = '' } =
        contract.document.calls.find(({ call }) => call === 'transactionQuery') ?? {}
      const faults = contract.checkNotification('webhook.credit', { headers, body })
      const isAnswer = contract.checkAnswer({ method, url: path }, { httpStatus: 200, body })
      assert(faults.length === 0 || isAnswer.length === 0, faults.join('\n'))
    })

    test(`${connectorCase.label}: our answer to ${file} is what the provider expects`, () => {
      const body = readSample(connectorCase.connector, file)
      const { connection } = connect(connectorCase)
      const call = { headers: signed(connectorCase, body), rawBody: body, format: undefined }
      const rest = { address: '127.0.0.1', isProxied: () => false, now: new Date(0) }
      const format = connection?.findFormat({ ...call, ...rest })
      assert(format)
      const acknowledgement = {
        sessionId: 'S-1',
        responseCode: '00',
        responseMessage: 'Taken',
        outcome: 'booked',
      } as const
      const answer = format.acknowledge([acknowledgement], { batch: false })
      assert.deepEqual(
        contract.checkAcknowledgement('webhook.credit', {
          httpStatus: 200,
          body: JSON.parse(answer.body),
        }),
        [],
      )
    })
  }
}

const headers = {
  authorization: 'Bearer token',
  accountid: '00000000-0000-4000-8000-000000000002',
}
const CREATE: HttpRequest = {
  method: 'POST',
  url: '/v1/accounts/virtual',
  headers,
  body: { accountRef: '0123456789abcdef', accountName: 'Ada Obi Shop', currency: 'NGN' },
}
const STATUS = '/v1/transactions/accounts/single'

test('an invented violation of a request is noticed', () => {
  const nomba = contractOf('nomba')
  const check = (change: Partial<HttpRequest>) => nomba.checkRequest({ ...CREATE, ...change })
  const body = CREATE.body as object
  assert.deepEqual(check({}), [])
  assert.match(check({ url: '/v1/accounts/reserve' }).join(), /is in no contract/)
  assert.match(check({ method: 'PUT' }).join(), /is in no contract/)
  assert.match(check({ headers: {} }).join(), /header authorization is missing/)
  assert.match(check({ headers: { ...headers, accountid: 'us' } }).join(), /header accountid/)
  assert.match(check({ url: '/v1/accounts/virtual?page=1' }).join(), /query .*: page/)
  assert.match(check({ body: { ...body, accountRef: 'short' } }).join(), /body\/accountRef/)
  assert.match(check({ body: { ...body, colour: 'red' } }).join(), /body .*: colour/)
  assert.match(check({ body: undefined }).join(), /body must be object/)
  const checkStatusQuery = (url: string, sent?: object) =>
    nomba.checkRequest({ method: 'GET', url, headers, body: sent })
  assert.deepEqual(checkStatusQuery(`${STATUS}?merchantTxRef=PAY-1`), [])
  assert.match(checkStatusQuery(`${STATUS}?transactionRef=PAY-1`).join(), /query\/transactionRef/)
  assert.match(checkStatusQuery(STATUS).join(), /query/)
  assert.match(checkStatusQuery(`${STATUS}?merchantTxRef=PAY-1`, {}).join(), /body must be empty/)
})

test('an invented violation of an answer or a notification is noticed', () => {
  const nomba = contractOf('nomba')
  const data = { id: 'x', status: 'SUCCESS', amount: 5, type: 'transfer', timeCreated: 'now' }
  const check = (httpStatus: number, body: unknown) =>
    nomba.checkAnswer({ method: 'GET', url: `${STATUS}?merchantTxRef=x` }, { httpStatus, body })
  const checkStatusAnswer = (record: object) =>
    check(200, { code: '00', description: 'Success', data: record })
  assert.deepEqual(checkStatusAnswer(data), [])
  assert.match(checkStatusAnswer({ ...data, status: 'PAID' }).join(), /body\/data\/status/)
  assert.match(checkStatusAnswer({ ...data, id: undefined }).join(), /body\/data/)
  assert.match(checkStatusAnswer({ ...data, colour: 'red' }).join(), /: colour/)
  assert.match(check(302, {}).join(), /no such answer is published/)
  assert.match(check(404, { message: 'Not found' }).join(), /body/)
  assert.match(
    nomba.checkNotification('webhook.credit', { headers: {}, body: {} }).join(),
    /header nomba-signature is missing.*body/,
  )
  assert.match(nomba.checkNotification('webhook.none', { headers: {}, body: {} }).join(), /in no/)
  const squad = contractOf('squad')
  assert.match(
    squad.checkAcknowledgement('webhook.credit', { httpStatus: 200, body: { ok: 1 } }).join(),
    /our answer/,
  )
})

test('the simulated bank records what either side gets wrong, and nothing else', async () => {
  await using bank = await startFakeBank({
    connector: 'nomba',
    bankCode: BANK_CODE,
    notify: NOBODY,
  })
  const { findPayout } = callsOf(bank)
  assert(findPayout)
  await findPayout('PO-1', {})
  assert.deepEqual(bank.violations, [])

  const token = await fetch(`${bank.url}/v1/auth/token/issue`, { method: 'POST' })
  await token.text()
  const unknown = await fetch(`${bank.url}/v1/nothing`)
  await unknown.text()

  assert.match(bank.violations.join('\n'), /GET \/v1\/nothing is in no contract/)
})
