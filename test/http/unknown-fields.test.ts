// A published call ignores unknown fields, and warns about them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { ADVICE, adviceBody, INITIATE, SIMULATE } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const IGNORED = 'This call has no such field. It was ignored.'

test('a field that the call does not have is named, with the one that was probably meant', async () => {
  const { customer, ...rest } = adviceBody() as { customer: object }
  const body = {
    ...rest,
    customer: { ...customer, customerEmial: 'ada@example.com' },
    expirySeconds: 600,
    merchantReff: 'X-1',
    zzz: 1,
  }

  const answer = await bench.call({ url: ADVICE, body })

  assert.equal(answer.statusCode, 200, answer.body)
  const { warnings, responseData, responseCode } = answer.json()
  assert.deepEqual([responseCode, responseData.expiresInSeconds], ['00', 1800])
  assert.deepEqual(warnings, [
    { field: 'customer.customerEmial', message: `${IGNORED} Did you mean customerEmail?` },
    { field: 'expirySeconds', message: `${IGNORED} Did you mean expiresInSeconds?` },
    { field: 'merchantReff', message: `${IGNORED} Did you mean merchantRef?` },
    { field: 'zzz', message: IGNORED },
  ])
})

test('without unknown fields there are no warnings', async () => {
  const answer = await bench.call({ url: ADVICE, body: adviceBody() })
  assert.equal('warnings' in answer.json(), false)
})

test('the other published calls warn too, also when they are repeated', async () => {
  const made = (await bench.call({ url: ADVICE, body: adviceBody() })).json().responseData
  const url = `${INITIATE}/${made.adviceReference}`
  const initiated = await bench.call({ url, body: { bankCode: '058', bank: '058' } })
  assert.deepEqual(
    initiated.json().warnings.map(({ field }: { field: string }) => field),
    ['bank'],
  )
  const body = {
    virtualAccountNumber: initiated.json().responseData.bankAccount,
    amount: '1.00',
    scenario: true,
  }
  const headers = { 'idempotency-key': 'once' }
  for (const _ of [1, 2]) {
    const simulated = (await bench.call({ url: SIMULATE, body, headers })).json()
    assert.match(simulated.warnings[0].message, /Did you mean scenarios\?$/)
  }
})

test('twenty unknown fields of a body are named, even if there are very many', async () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`x${at}`, at]))
  const long = { [`l${'o'.repeat(5_000)}ng`]: 1 }
  const answer = await bench.call({ url: ADVICE, body: { ...long, ...adviceBody(), ...many } })
  const { warnings } = answer.json()
  assert.equal(warnings.length, 20)
  assert(answer.body.length < 10_000)
})
