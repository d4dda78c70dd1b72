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

const later = (ms: number) => new Date(START.getTime() + ms).toISOString()
const create = async (bench: Bench, changes: object) =>
  dataOf(await createFeeRule(bench, changes), 'account')
const withdraw = (bench: Bench, id: number | string, token?: string) =>
  bench.call({ method: 'DELETE', url: `${FEE_RULES}/${id}`, ...(token ? { token } : {}) })
const listed = async (bench: Bench, clientId = 'MAN0000001') => {
  const { data } = (await bench.call({ url: `${FEE_RULES}?clientId=${clientId}` })).json()
  return data.map(({ code, effectiveTo }: Record<string, string | null>) => [
    code,
    effectiveTo && new Date(effectiveTo).toISOString(),
  ])
}

test('money is charged by the rule before it, when its time has come', async () => {
  await using bench = await startTestService()
  await create(bench, { code: 'old', bps: 100 })
  const { id } = await create(bench, { code: 'wrong', bps: 5_000, effectiveFrom: later(HOUR_MS) })

  assert.deepEqual(dataOf(await withdraw(bench, id), 'account'), { id })

  bench.advance(2 * HOUR_MS)
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '20000')
  const view = dataOf(await bench.call({ url: `/api/v1/credits/${sessionId}` }), 'account')
  assert.equal(view.merchantFee, 200)
  assert.deepEqual(await listed(bench), [['old', null]])
  const own = (await bench.call({ url: '/api/v1/fee-rules' })).json().data
  assert.deepEqual(
    own.map(({ code }: { code: string }) => code),
    ['old'],
  )
  await assertCleanBooks(bench)
})

test('one between two others leaves no gap, and its time is free for another', async () => {
  await shared.newClient('SHOP-A')
  const rule = (code: string, hours: number, more: object = {}) =>
    create(shared, { clientId: 'SHOP-A', code, effectiveFrom: later(hours * HOUR_MS), ...more })
  await rule('now', 0)
  await rule('branch', 0, { merchantCode: 'BR-1' })
  const { id: wrong } = await rule('wrong', 1)
  const { id: last } = await rule('last', 2)

  dataOf(await withdraw(shared, wrong), 'account')
  assert.deepEqual(await listed(shared, 'SHOP-A'), [
    ['last', null],
    ['branch', null],
    ['now', later(2 * HOUR_MS)],
  ])

  dataOf(await withdraw(shared, last), 'account')
  const { id: right } = await rule('right', 1)
  assert.deepEqual(await listed(shared, 'SHOP-A'), [
    ['right', null],
    ['branch', null],
    ['now', later(HOUR_MS)],
  ])
  dataOf(await withdraw(shared, right), 'account')
  assert.deepEqual(await listed(shared, 'SHOP-A'), [
    ['branch', null],
    ['now', null],
  ])
})

test('a rule that is in force, or within a minute, stays', async () => {
  await using bench = await startTestService()
  const { id: now } = await create(bench, { code: 'now' })
  const { id: soon } = await create(bench, { code: 'soon', effectiveFrom: later(HOUR_MS) })

  assertRefused(await withdraw(bench, now), 'account', IN_FORCE)
  bench.advance(HOUR_MS - MINUTE_MS)
  assertRefused(await withdraw(bench, soon), 'account', IN_FORCE)
  bench.advance(MINUTE_MS)
  assertRefused(await withdraw(bench, soon), 'account', IN_FORCE)

  assert.deepEqual(await listed(bench), [
    ['soon', null],
    ['now', later(HOUR_MS)],
  ])
})

test('a withdrawal that waits while the rule takes effect is refused', async () => {
  await using bench = await startTestService()
  const { id } = await create(bench, { effectiveFrom: later(HOUR_MS) })

  const { withdrawing } = await withTransaction(bench.db, async (tx) => {
    await lockRules(tx, 1n as ClientId)
    const withdrawing = withdraw(bench, id)
    await untilWaiting(bench.db, 1)
    bench.advance(HOUR_MS)
    return { withdrawing }
  })

  assertRefused(await withdrawing, 'account', IN_FORCE)
})

test('the second withdrawal, and that of no rule, finds none', async () => {
  await shared.newClient('SHOP-B')
  const { id } = await create(shared, { clientId: 'SHOP-B', effectiveFrom: later(HOUR_MS) })

  const answers = await Promise.all([withdraw(shared, id), withdraw(shared, id)])

  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 404])
  for (const none of [id, 1, 0, 'x', '-1', '1e3', '9'.repeat(30), '%00', '%F0%9F%92%B8']) {
    assertRefused(await withdraw(shared, none), 'account', NOT_FOUND)
  }
})

test('a rule that the test clock has reached stays', async () => {
  await using bench = await startTestService()
  const { id } = await create(bench, { effectiveFrom: later(HOUR_MS) })
  const body = { now: later(HOUR_MS) }
  const moved = await bench.call({ method: 'PUT', url: '/sandbox/clock', body })
  assert.equal(moved.statusCode, 200, moved.body)

  assertRefused(await withdraw(bench, id), 'account', IN_FORCE)
})

test('only operators withdraw, and the audit log says who did', async () => {
  const token = await shared.newClient('SHOP-C')
  const { id } = await create(shared, { clientId: 'SHOP-C', effectiveFrom: later(HOUR_MS) })

  assertRefused(await withdraw(shared, id, token), 'account', {
    status: 403,
    code: 'scope_missing',
  })
  dataOf(await withdraw(shared, id), 'account')

  const { data } = (await shared.call({ url: '/api/v1/audit-log', token })).json()
  const [entry] = data.filter(({ action }: { action: string }) => action === 'fee_rule.withdraw')
  const { actor, subject, detail } = entry
  assert.deepEqual([actor, subject], ['client:MAN0000001', 'fee-rule/standard'])
  assert.deepEqual(detail, {
    code: 'standard',
    basis: 'credit',
    merchantCode: null,
    effectiveFrom: later(HOUR_MS),
  })
})

test('the database itself withdraws none that has begun, and moves no end but for that', async () => {
  await shared.newClient('SHOP-D')
  await create(shared, { clientId: 'SHOP-D', code: 'one' })
  await create(shared, { clientId: 'SHOP-D', code: 'two', effectiveFrom: later(HOUR_MS) })
  const change = (code: string, how: string) =>
    shared.db.query(
      `update fee_rules set ${how} where code = '${code}'
          and client_id = (select id from clients where client_id = 'SHOP-D')`,
    )

  const end = 'effective_to = effective_from'
  const late = `withdrawn_at = effective_from, ${end}`
  await assert.rejects(change('two', late), /fee_rules_begin_before_they_end/)
  await assert.rejects(change('two', end), /fee_rules_begin_before_they_end/)
  const open = `withdrawn_at = effective_from - interval '1 hour'`
  await assert.rejects(change('two', open), /fee_rules_begin_before_they_end/)
  await assert.rejects(change('one', 'effective_to = null'), /can only be ended/)
  await change('two', `withdrawn_at = effective_from - interval '1 hour', ${end}`)
  await assert.rejects(change('two', 'withdrawn_at = null, effective_to = null'), /can only be/)
  await assert.rejects(change('one', `effective_to = effective_to - interval '1 second'`))
  await change('one', 'effective_to = null')
})
