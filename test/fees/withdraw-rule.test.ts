// A fee rule can be withdrawn before it takes effect. The rule before it then continues.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { lockRules } from '#fees/rules.ts'
import type { ClientId } from '#ids.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createFeeRule, FEE_RULES } from '../support/fee-rules.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { credit } from '../support/movements.ts'
import { type Bench, START, startTestService } from '../support/running-service.ts'
import { untilWaiting } from '../support/waiting-locks.ts'

const shared = closeAfterTests(await startTestService())
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const NOT_FOUND = { status: 404, code: 'fee_rule_not_found' }
const IN_FORCE = { status: 409, code: 'fee_rule_in_force' }

const timeAfterStart = (ms: number) => new Date(START.getTime() + ms).toISOString()
const createRule = async (bench: Bench, changes: object) =>
  dataOf(await createFeeRule(bench, changes))
const withdraw = (bench: Bench, id: number | string, token?: string) =>
  bench.call({ method: 'DELETE', url: `${FEE_RULES}/${id}`, ...(token ? { token } : {}) })
// Returns the code and the end of each fee rule of a client.
const listFeeRules = async (bench: Bench, clientId = 'MAN0000001') => {
  const { data } = (await bench.call({ url: `${FEE_RULES}?clientId=${clientId}` })).json()
  return data.map(({ code, effectiveTo }: Record<string, string | null>) => [
    code,
    effectiveTo && new Date(effectiveTo).toISOString(),
  ])
}

test('money is charged by the rule before it, when its time has come', async () => {
  await using bench = await startTestService()
  await createRule(bench, { code: 'old', bps: 100 })
  const { id } = await createRule(bench, {
    code: 'wrong',
    bps: 5_000,
    effectiveFrom: timeAfterStart(HOUR_MS),
  })

  assert.deepEqual(dataOf(await withdraw(bench, id)), { id })

  bench.advance(2 * HOUR_MS)
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '20000')
  const view = dataOf(await bench.call({ url: `/api/v1/credits/${sessionId}` }))
  assert.equal(view.merchantFee, 200)
  assert.deepEqual(await listFeeRules(bench), [['old', null]])
  const own = (await bench.call({ url: '/api/v1/fee-rules' })).json().data
  assert.deepEqual(
    own.map(({ code }: { code: string }) => code),
    ['old'],
  )
  await assertCleanBooks(bench)
})

test('withdrawing a rule between two others leaves no gap, and its time is free again', async () => {
  await shared.newClient('SHOP-A')
  const createRuleAt = (code: string, hours: number, more: object = {}) =>
    createRule(shared, {
      clientId: 'SHOP-A',
      code,
      effectiveFrom: timeAfterStart(hours * HOUR_MS),
      ...more,
    })
  await createRuleAt('now', 0)
  await createRuleAt('branch', 0, { merchantCode: 'BR-1' })
  const { id: wrong } = await createRuleAt('wrong', 1)
  const { id: last } = await createRuleAt('last', 2)

  dataOf(await withdraw(shared, wrong))
  assert.deepEqual(await listFeeRules(shared, 'SHOP-A'), [
    ['last', null],
    ['branch', null],
    ['now', timeAfterStart(2 * HOUR_MS)],
  ])

  dataOf(await withdraw(shared, last))
  const { id: right } = await createRuleAt('right', 1)
  assert.deepEqual(await listFeeRules(shared, 'SHOP-A'), [
    ['right', null],
    ['branch', null],
    ['now', timeAfterStart(HOUR_MS)],
  ])
  dataOf(await withdraw(shared, right))
  assert.deepEqual(await listFeeRules(shared, 'SHOP-A'), [
    ['branch', null],
    ['now', null],
  ])
})

test('a rule that is in force, or will be within a minute, cannot be withdrawn', async () => {
  await using bench = await startTestService()
  const { id: now } = await createRule(bench, { code: 'now' })
  const { id: soon } = await createRule(bench, {
    code: 'soon',
    effectiveFrom: timeAfterStart(HOUR_MS),
  })

  assertRefused(await withdraw(bench, now), IN_FORCE)
  bench.advance(HOUR_MS - MINUTE_MS)
  assertRefused(await withdraw(bench, soon), IN_FORCE)
  bench.advance(MINUTE_MS)
  assertRefused(await withdraw(bench, soon), IN_FORCE)

  assert.deepEqual(await listFeeRules(bench), [
    ['soon', null],
    ['now', timeAfterStart(HOUR_MS)],
  ])
})

test('a withdrawal that waits while the rule takes effect is refused', async () => {
  await using bench = await startTestService()
  const { id } = await createRule(bench, { effectiveFrom: timeAfterStart(HOUR_MS) })

  const { withdrawing } = await withTransaction(bench.db, async (tx) => {
    await lockRules(tx, 1n as ClientId)
    const withdrawing = withdraw(bench, id)
    await untilWaiting(bench.db, 1)
    bench.advance(HOUR_MS)
    return { withdrawing }
  })

  assertRefused(await withdrawing, IN_FORCE)
})

test('a second withdrawal, or that of an unknown rule, finds no rule', async () => {
  await shared.newClient('SHOP-B')
  const { id } = await createRule(shared, {
    clientId: 'SHOP-B',
    effectiveFrom: timeAfterStart(HOUR_MS),
  })

  const answers = await Promise.all([withdraw(shared, id), withdraw(shared, id)])

  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 404])
  for (const none of [id, 1, 0, 'x', '-1', '1e3', '9'.repeat(30), '%00', '%F0%9F%92%B8']) {
    assertRefused(await withdraw(shared, none), NOT_FOUND)
  }
})

test('a rule that the test clock has reached stays', async () => {
  await using bench = await startTestService()
  const { id } = await createRule(bench, { effectiveFrom: timeAfterStart(HOUR_MS) })
  const body = { now: timeAfterStart(HOUR_MS) }
  const moved = await bench.call({ method: 'PUT', url: '/sandbox/clock', body })
  assert.equal(moved.statusCode, 200, moved.body)

  assertRefused(await withdraw(bench, id), IN_FORCE)
})

test('only operators withdraw rules, and the audit log names the operator', async () => {
  const token = await shared.newClient('SHOP-C')
  const { id } = await createRule(shared, {
    clientId: 'SHOP-C',
    effectiveFrom: timeAfterStart(HOUR_MS),
  })

  assertRefused(await withdraw(shared, id, token), {
    status: 403,
    code: 'scope_missing',
  })
  dataOf(await withdraw(shared, id))

  const { data } = (await shared.call({ url: '/api/v1/audit-log', token })).json()
  const [entry] = data.filter(({ action }: { action: string }) => action === 'fee_rule.withdraw')
  const { actor, subject, detail } = entry
  assert.deepEqual([actor, subject], ['client:MAN0000001', 'fee-rule/standard'])
  assert.deepEqual(detail, {
    code: 'standard',
    basis: 'credit',
    merchantCode: null,
    effectiveFrom: timeAfterStart(HOUR_MS),
  })
})

test('the database withdraws no rule that has begun, and moves the end of no other rule', async () => {
  await shared.newClient('SHOP-D')
  await createRule(shared, { clientId: 'SHOP-D', code: 'one' })
  await createRule(shared, {
    clientId: 'SHOP-D',
    code: 'two',
    effectiveFrom: timeAfterStart(HOUR_MS),
  })
  const updateRule = (code: string, assignment: string) =>
    shared.db.query(
      `update fee_rules set ${assignment} where code = '${code}'
          and client_id = (select id from clients where client_id = 'SHOP-D')`,
    )

  const end = 'effective_to = effective_from'
  const late = `withdrawn_at = effective_from, ${end}`
  await assert.rejects(updateRule('two', late), /fee_rules_begin_before_they_end/)
  await assert.rejects(updateRule('two', end), /fee_rules_begin_before_they_end/)
  const open = `withdrawn_at = effective_from - interval '1 hour'`
  await assert.rejects(updateRule('two', open), /fee_rules_begin_before_they_end/)
  await assert.rejects(updateRule('one', 'effective_to = null'), /can only be ended/)
  await updateRule('two', `withdrawn_at = effective_from - interval '1 hour', ${end}`)
  await assert.rejects(updateRule('two', 'withdrawn_at = null, effective_to = null'), /can only be/)
  await assert.rejects(updateRule('one', `effective_to = effective_to - interval '1 second'`))
  await updateRule('one', 'effective_to = null')
})
