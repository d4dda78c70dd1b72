// Which banks the payer's page offers, and in which order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { createAdvice, dataOf } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())

test('banks that are in trouble are offered last, until it is over', async () => {
  const { adviceReference } = await createAdvice(bench)
  const offered = async () => {
    const url = `/pay/api/status?adviceReference=${adviceReference}`
    const { banks } = dataOf(await bench.call({ url, token: null }), 'account')
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
