// Fee rules have dates, never overlap or change, and are visible to their own client.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { createFeeRule, FEE_RULES, feeRuleBody } from '../support/fee-rules.ts'
import { assertRefused, dataOf } from '../support/fixtures.ts'
import { addClient, START, startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const HOUR_MS = 3_600_000

async function newClient(clientId: string): Promise<string> {
  return bench.newClient(clientId)
}

const hoursAfterStart = (hours: number) => new Date(START.getTime() + hours * HOUR_MS).toISOString()
const createRule = async (changes: object) => dataOf(await createFeeRule(bench, changes))
const listOf = async (clientId: string) =>
  (await bench.call({ url: `${FEE_RULES}?clientId=${clientId}` })).json().data

test('a rule is shown as it was made, with defaults', async () => {
  await newClient('SHOP-A')

  const rule = await createRule({ clientId: 'SHOP-A', flat: '10.50', min: 0, merchantCode: null })

  const { id: _, createdAt: __, effectiveFrom, ...terms } = rule
  assert.deepEqual(terms, {
    clientId: 'SHOP-A',
    merchantCode: null,
    code: 'standard',
    basis: 'credit',
    bps: 100,
    flat: 10.5,
    min: 0,
    cap: 300,
    waiveFlatBelow: 0,
    vatBps: 750,
    vatIncluded: false,
    bearer: 'merchant',
    effectiveTo: null,
  })
  assert.equal(new Date(effectiveFrom).getTime(), START.getTime())
  assert.deepEqual(await listOf('SHOP-A'), [rule])
})

test('a new rule ends the one before it where it begins', async () => {
  await newClient('SHOP-B')
  await createRule({ clientId: 'SHOP-B', code: 'old' })
  await createRule({ clientId: 'SHOP-B', code: 'new', effectiveFrom: hoursAfterStart(24) })
  await createRule({ clientId: 'SHOP-B', code: 'payouts', basis: 'payout' })
  await createRule({ clientId: 'SHOP-B', code: 'branch', merchantCode: 'BR-1' })

  const ends = Object.fromEntries(
    (await listOf('SHOP-B')).map((rule: Record<string, string>) => [rule.code, rule.effectiveTo]),
  )

  assert.equal(new Date(ends.old).toISOString(), hoursAfterStart(24))
  assert.deepEqual([ends.new, ends.payouts, ends.branch], [null, null, null])
})

test('a rule that begins where or before another does overlaps it', async () => {
  await newClient('SHOP-C')
  await createRule({ clientId: 'SHOP-C', effectiveFrom: hoursAfterStart(24) })

  for (const effectiveFrom of [hoursAfterStart(24), hoursAfterStart(1), undefined]) {
    const answer = await createFeeRule(bench, { clientId: 'SHOP-C', effectiveFrom })
    assertRefused(answer, { status: 409, code: 'fee_rule_overlaps' })
  }
  assert.equal((await listOf('SHOP-C')).length, 1)
})

test('of two rules made at once, one is refused', async () => {
  await newClient('SHOP-D')

  const answers = await Promise.all(
    ['one', 'two'].map((code) => createFeeRule(bench, { clientId: 'SHOP-D', code })),
  )

  assert.deepEqual(answers.map((answer) => answer.statusCode).sort(), [200, 409])
})

test('the database itself refuses overlaps and changes', async () => {
  await newClient('SHOP-E')
  await createRule({ clientId: 'SHOP-E' })
  const copy = `
    insert into fee_rules (client_id, code, basis, flat_kobo, bps, min_kobo, waive_flat_below_kobo,
                           vat_bps, vat_included, bearer, effective_from, created_by, created_at)
    select client_id, 'copy', basis, flat_kobo, bps, min_kobo, waive_flat_below_kobo, vat_bps,
           vat_included, bearer, effective_from + interval '1 day', created_by, created_at
      from fee_rules where code = 'standard'
       and client_id = (select id from clients where client_id = 'SHOP-E')`

  await assert.rejects(bench.db.query(copy), /fee_rules_do_not_overlap/)
  await assert.rejects(bench.db.query('update fee_rules set bps = 0'), /can only be ended/)
  await assert.rejects(bench.db.query('delete from fee_rules'))
})

test('a rule is not made for the past, nor with terms that make no sense', async () => {
  await newClient('SHOP-F')
  const wrong: [string, object][] = [
    ['effectiveFrom', { effectiveFrom: new Date(START.getTime() - 1).toISOString() }],
    ['effectiveFrom', { effectiveFrom: 'soon' }],
    ['cap', { min: 10, cap: 5 }],
    ['cap', { cap: 0 }],
    ['cap', { cap: -1 }],
    ['bps', { bps: 5001 }],
    ['bps', { bps: -1 }],
    ['bps', { bps: 1.5 }],
    ['flat', { flat: -1 }],
    ['flat', { flat: '0.001' }],
    ['vatBps', { vatBps: 10_000 }],
    ['basis', { basis: 'month' }],
    ['bearer', { bearer: 'nobody' }],
    ['code', { code: '' }],
  ]
  for (const [field, changes] of wrong) {
    const answer = await createFeeRule(bench, { clientId: 'SHOP-F', ...changes })
    assertRefused(answer, { status: 400, code: 'invalid_request' })
    const fields = answer.json().errors.map((error: { field: string }) => error.field)
    assert.deepEqual(fields, [field], answer.body)
  }
  assertRefused(await createFeeRule(bench, { clientId: 'NOBODY' }), {
    status: 404,
    code: 'client_not_found',
  })
  assert.deepEqual(await listOf('SHOP-F'), [])
})

test('only operators create rules, and a client sees only its own', async () => {
  const token = await newClient('SHOP-G')
  await createRule({ clientId: 'SHOP-G', code: 'own' })

  assertRefused(await createFeeRule(bench, {}, { token }), {
    status: 403,
    code: 'scope_missing',
  })
  assertRefused(await bench.call({ url: FEE_RULES, token }), {
    status: 403,
    code: 'scope_missing',
  })
  const quote = { url: `${FEE_RULES}/quote`, body: { amount: 1 }, token }
  assertRefused(await bench.call(quote), { status: 403, code: 'scope_missing' })
  const own = (await bench.call({ url: '/api/v1/fee-rules', token })).json().data
  assert.deepEqual(
    own.map((rule: { code: string }) => rule.code),
    ['own'],
  )
})

test('a client that is restricted to a merchantCode sees its rules and the general ones', async () => {
  await addClient(bench.db, bench.clock(), { clientId: 'SHOP-H' })
  await bench.db.query(`update clients set merchant_codes = '{BR-1}' where client_id = 'SHOP-H'`)
  const token = await bench.login('SHOP-H', 's3cret')
  for (const merchantCode of [null, 'BR-1', 'BR-2'])
    await createRule({ clientId: 'SHOP-H', merchantCode })

  const own = (await bench.call({ url: '/api/v1/fee-rules', token })).json().data

  assert.deepEqual(
    own.map((rule: { merchantCode: string | null }) => rule.merchantCode),
    ['BR-1', null],
  )
})

test('the maker of a rule is in the audit log, with its amounts', async () => {
  await newClient('SHOP-I')
  await createRule({ clientId: 'SHOP-I', flat: 10, effectiveFrom: hoursAfterStart(1) })

  const { rows } = await bench.db.query(
    `select actor, subject, detail from audit_log
      where action = 'fee_rule.create'
        and client_id = (select id from clients where client_id = 'SHOP-I')`,
  )

  const [{ actor, subject, detail }] = rows as [{ actor: string; subject: string; detail: object }]
  assert.deepEqual([actor, subject], ['client:MAN0000001', 'fee-rule/standard'])
  assert.deepEqual(detail, {
    code: 'standard',
    basis: 'credit',
    bearer: 'merchant',
    bps: 100,
    vatBps: 750,
    vatIncluded: false,
    flatKobo: '1000',
    minKobo: '0',
    capKobo: '30000',
    waiveFlatBelowKobo: '0',
    merchantCode: null,
    effectiveFrom: hoursAfterStart(1),
  })
})

test('a repeated request with the same key makes one rule', async () => {
  await newClient('SHOP-J')
  const headers = { 'idempotency-key': 'rule-1' }
  const again = () => createFeeRule(bench, { clientId: 'SHOP-J' }, { headers })

  assert.equal((await again()).body, (await again()).body)
  assert.equal((await listOf('SHOP-J')).length, 1)
})

test('the calculator tells fee, VAT, net and what a customer would pay', async () => {
  const { clientId: _, code: __, basis: ___, bearer: ____, ...terms } = feeRuleBody()
  const body = { amount: '20000.00', ...terms }

  const quote = dataOf(await bench.call({ url: `${FEE_RULES}/quote`, body }))

  assert.deepEqual(quote, {
    amount: 20_000,
    fee: 200,
    vat: 15,
    net: 19_785,
    customerPays: 20_217.34,
  })
})
