// Clients may send every field, empty where they have no value: an optional field with "" or null counts as
// absent, and a required one is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { ACCOUNTS, ADVICE, accountBody, adviceBody, assertRefused } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

type Shape = { properties: Record<string, Shape>; required: string[] }

const bench = closeAfterTests(await startTestService())
const { schemas } = (await bench.call({ url: '/openapi.json' })).json().components

const CREATIONS = [
  { url: ADVICE, schema: schemas.AdviceRequest, body: adviceBody, family: 'payment' },
  { url: ACCOUNTS, schema: schemas.AccountRequest, body: accountBody, family: 'account' },
] as const

for (const { url, schema, body, family } of CREATIONS) {
  const optional = optionalOf(schema)
  const plain = Object.fromEntries(
    Object.entries(body()).filter(([name]) => !optional.includes(name)),
  )

  test(`${url}: an optional field that is empty or null is as one not sent`, async () => {
    assert(optional.length >= 6)
    const expected = shapeOf((await bench.call({ url, body: plain })).json())

    for (const blank of ['', null]) {
      const all = Object.fromEntries(optional.map((name) => [name, blank]))
      const answer = await bench.call({ url, body: { ...plain, ...all } })
      assert.equal(answer.statusCode, 200, answer.body)
      assert.deepEqual(shapeOf(answer.json()), expected)
    }
  })

  test(`${url}: so are the fields of its payer rules, and one that is wrong is refused`, async () => {
    const blank = { minAmount: '', maxAmount: null, accounts: '', names: null }
    const wrong = { ...plain, payerRules: { ...blank, minAmount: ' ' } }

    const accepted = await bench.call({ url, body: { ...plain, payerRules: blank } })
    const refused = await bench.call({ url, body: wrong })

    assert.equal(accepted.statusCode, 200, accepted.body)
    assertRefused(refused, { code: 'invalid_request' }, family)
    assert.deepEqual(fieldsOf(refused.json()), ['payerRules.minAmount'])
  })

  test(`${url}: a required field that is empty or null is refused by its name`, async () => {
    for (const field of schema.required) {
      // An empty callBackUrl says that there is none.
      for (const blank of field === 'callBackUrl' ? [null] : ['', null]) {
        const answer = await bench.call({ url, body: { ...plain, [field]: blank } })
        assertRefused(answer, { code: 'invalid_request' }, family)
        assert.deepEqual(fieldsOf(answer.json()), [field])
      }
    }
  })
}

test('the customer of an advice: one name is enough, and the rest may be empty', async () => {
  const names = Object.keys(schemas.AdviceRequest.properties.customer.properties)
  for (const blank of ['', null]) {
    const empty = Object.fromEntries(names.map((name) => [name, blank]))
    const customer = { ...empty, customerLastName: 'Obi' }

    const accepted = await bench.call({ url: ADVICE, body: adviceBody({ customer }) })
    const nameless = await bench.call({ url: ADVICE, body: adviceBody({ customer: empty }) })

    assert.equal(accepted.json().responseData.customerFullName, 'Obi', accepted.body)
    assert.deepEqual(fieldsOf(nameless.json()), ['customer'])
  }
})

test('accounts in bulk are read as if each was sent alone', async () => {
  const optional = optionalOf(schemas.AccountRequest)
  const accounts = ['', null].map((blank) => ({
    ...accountBody(),
    ...Object.fromEntries(optional.map((name) => [name, blank])),
  }))

  const answer = await bench.call({ url: `${ACCOUNTS}/bulk`, body: { accounts } })

  const { accepted, results } = answer.json().data
  assert.equal(accepted, 2, answer.body)
  const [first] = results
  assert.deepEqual(
    [first.data.ninMasked, first.data.kycTierSet, first.data.payerRules],
    [null, 3, null],
  )
})

function optionalOf({ properties, required }: Shape): string[] {
  return Object.keys(properties).filter((name) => !required.includes(name))
}

const fieldsOf = ({ errors }: { errors: { field: string }[] }) => errors.map(({ field }) => field)

// Returns the fields of an answer, except the fields whose values are new each time.
function shapeOf(answer: Record<string, object>): object {
  const {
    id,
    accountNumber,
    accounts,
    createdAt,
    updatedAt,
    adviceReference,
    paymentUrl,
    ...rest
  } = (answer.data ?? answer.responseData) as Record<string, unknown>
  return rest
}
