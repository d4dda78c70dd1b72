// The banks that the checkout offers to a payer, and their order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { createAdvice, dataOf, startPayment } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())

test('banks in trouble are offered last until they have recovered', async () => {
  const { adviceReference } = await createAdvice(bench)
  // The codes of the banks that the checkout page offers.
  const offered = async () => {
    const url = `/pay/api/status?adviceReference=${adviceReference}`
    const { banks } = dataOf(await bench.call({ url, token: null }))
    return banks.map(({ code }: { code: string }) => code)
  }
  const usual = await offered()
  await bench.db.query(
    `insert into bank_health (bank_code, silent_since, paused_until)
     values ('035', $1, null), ('101', null, $1), ('058', null, null)
     on conflict (bank_code) do update
     set silent_since = excluded.silent_since, paused_until = excluded.paused_until`,
    [bench.clock()],
  )

  const meanwhile = await offered()
  const page = (await bench.call({ url: `/pay?adviceReference=${adviceReference}`, token: null }))
    .body
  await bench.db.query('update bank_health set silent_since = null, paused_until = null')

  const isFine = (code: string) => !['035', '101'].includes(code)
  assert.deepEqual(meanwhile, [...usual.filter(isFine), '035', '101'])
  assert(page.indexOf('Guaranty Trust Bank') < page.indexOf('Wema Bank'))
  assert.deepEqual(await offered(), usual)
})

test('banks that payers choose most are offered first', async () => {
  await using other = await startTestService()
  const choose = async (bankCode: string) => startPayment(other, {}, bankCode)
  for (const bankCode of ['232', '101', '232']) await choose(bankCode)
  const { adviceReference } = await createAdvice(other)

  const url = `/pay/api/status?adviceReference=${adviceReference}`
  const { banks } = dataOf(await other.call({ url, token: null }))

  const codes = banks.map(({ code }: { code: string }) => code)
  assert.deepEqual(codes.slice(0, 2), ['232', '101'])
  assert.equal(new Set(codes).size, 15)
})
