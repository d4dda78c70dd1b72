// Choosing the bank that sends a payout: a failing bank is avoided, tried with one payout, and then used
// again. A payout stays with a bank that may have received it, and with the bank that holds its money (I106).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BankConnections } from '#banks/connector.ts'
import { movePayouts } from '#payouts/send.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import {
  addBankAccount,
  createPayout,
  fund,
  getPayout,
  makeDefault,
  SANDBOX_PREFIXES,
} from '../support/payouts.ts'
import { routeState, startRouted, until } from '../support/routed-banks.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

// Starts a service with two banks, money and a default bank account.
async function startFunded() {
  const routed = await startRouted()
  const { bench } = routed
  await fund(bench, '100000')
  const { reference } = await addBankAccount(bench)
  await makeDefault(bench, reference)
  return routed
}

async function bankOf({ db }: Bench, reference: string): Promise<string> {
  const { rows } = await db.query('select bank_code from payouts where reference = $1', [reference])
  return rows[0].bankCode
}

// Creates this many payouts; returns their references.
async function createPayouts(bench: Bench, times: number): Promise<string[]> {
  const references: string[] = []
  for (let index = 0; index < times; index++) {
    references.push((await createPayout(bench, { amount: '100' })).reference)
  }
  return references
}

async function statusOf({ db }: Bench, reference: string): Promise<string> {
  const { rows } = await db.query('select status from payouts where reference = $1', [reference])
  return rows[0].status
}

const routedOf = async (bench: Bench, reference: string) =>
  (await getPayout(bench, reference)).history.flatMap(
    ({ change, detail }: { change: string; detail: string }) =>
      change === 'routed' ? [detail] : [],
  ) as string[]

test('the bank with the money is chosen, and the history says why', async () => {
  await using routed = await startFunded()
  const { bench } = routed
  const [reference = ''] = await createPayouts(bench, 1)

  assert.equal(await bankOf(bench, reference), '035')
  assert.deepEqual(await routedOf(bench, reference), [
    'Bank 035. The bank was chosen because it has enough money. ' +
      'Passed over: Bank 058 (it has too little money).',
  ])
  const metrics = await bench.service.metrics.registry.metrics()
  assert.match(metrics, /routing_choices_total\{kind="payout",bank="035",reason="room"\} 1/)
})

test('a failing bank is avoided: orders it may have stay there, the others go to another bank', async () => {
  await using routed = await startFunded()
  const { bench, one, other } = routed
  one.fail()
  const made = await createPayouts(bench, 8)
  bench.service.startWorkers()

  await until(async () => (await routeState(bench, '035', 'out')) === 'left')
  await until(async () => {
    const { rows } = await bench.db.query(
      `select from payouts where status in ('queued', 'sending')`,
    )
    return rows.length === 0
  })
  assert(other.orders.length > 0)
  assert.deepEqual([...one.orders, ...other.orders].toSorted(), made.toSorted(), 'each once')
  for (const reference of made) {
    const isHere = one.orders.includes(reference)
    assert.equal(await bankOf(bench, reference), isHere ? '035' : '058')
    assert.equal(await statusOf(bench, reference), isHere ? 'unknown' : 'confirmed')
  }
  const [, moved] = await routedOf(bench, other.orders[0] as string)
  assert.equal(
    moved,
    'Bank 058. The bank was chosen because no other bank can be used. ' +
      'Passed over: Bank 035 (its orders fail).',
  )
  const [next = ''] = await createPayouts(bench, 1)
  await until(async () => (await statusOf(bench, next)) === 'confirmed')
  assert.equal(await bankOf(bench, next), '058')
  await assertCleanBooks(bench)
})

test('one payout tries a failing bank again; once that is paid, the bank returns', async () => {
  await using routed = await startFunded()
  const { bench, one, other } = routed
  await stopUsingBanks(bench, ['035'])
  bench.service.startWorkers()
  bench.advance(15_000)
  const [trial = ''] = await createPayouts(bench, 1)
  await until(async () => (await statusOf(bench, trial)) === 'confirmed')
  assert.deepEqual([one.orders, other.orders], [[trial], []])
  const [why = ''] = await routedOf(bench, trial)
  assert.match(why, /^Bank 035\. .* one payout tries whether it works again\./)
  await until(async () => (await routeState(bench, '035', 'out')) === 'returning')
  bench.advance(60_000)
  await bench.service.syncRouting()
  assert.equal(await routeState(bench, '035', 'out'), 'in_use')
  const [next = ''] = await createPayouts(bench, 1)
  assert.equal(await bankOf(bench, next), '035')
})

test('a trial that fails puts off the next, and costs each bank one payout', async () => {
  await using routed = await startFunded()
  const { bench, one, other } = routed
  one.fail()
  other.fail()
  await stopUsingBanks(bench, ['035', '058'])
  const made = await createPayouts(bench, 4)
  bench.advance(15_000)
  bench.service.startWorkers()
  await until(async () => one.orders.length + other.orders.length === 2)
  for (const reference of [...one.orders, ...other.orders]) {
    await until(async () => (await statusOf(bench, reference)) === 'unknown')
  }
  await bench.service.syncRouting()
  assert.deepEqual([one.orders.length, other.orders.length], [1, 1])
  const statuses = await Promise.all(made.map((reference) => statusOf(bench, reference)))
  assert.deepEqual(statuses.toSorted(), ['queued', 'queued', 'unknown', 'unknown'])
})

test('while no bank takes orders, payouts wait, and are sent by the first that does', async () => {
  await using routed = await startFunded()
  const { bench, one, other } = routed
  await stopUsingBanks(bench, ['035', '058'])
  const made = await createPayouts(bench, 3)
  bench.service.startWorkers()
  await bench.service.syncRouting()
  for (const reference of made) assert.equal(await statusOf(bench, reference), 'queued')
  assert.match(
    (await routedOf(bench, made[0] as string))[0] ?? '',
    /no bank can be used, and it waits/,
  )

  await bench.db.query(`delete from bank_routes where bank_code = '058'`)
  await until(async () => (await statusOf(bench, made[2] as string)) === 'confirmed')
  assert.deepEqual([one.orders, other.orders.toSorted()], [[], made.toSorted()])
})

test('I106: no statement moves a payout that a bank may have, or whose money it has', async () => {
  await using routed = await startFunded()
  const { bench } = routed
  const [reference = ''] = await createPayouts(bench, 1)
  const write = (sql: string) =>
    bench.db.query(`update payouts set ${sql} where reference = $1`, [reference])
  const move = () => write(`bank_code = case bank_code when '035' then '058' else '035' end`)
  await move()
  for (const sql of [
    `purpose = 'return'`,
    `purpose = 'refund'`,
    `purpose = 'payout', status = 'sending', sending_at = now()`,
    `status = 'unknown'`,
  ]) {
    await bench.db.query('alter table payouts disable trigger all')
    await write(sql)
    await bench.db.query('alter table payouts enable trigger all')
    await assert.rejects(move, /keeps its bank/, sql)
  }
})

test('I106: movePayouts leaves such payouts with their bank, even without the trigger', async () => {
  await using routed = await startFunded()
  const { bench } = routed
  const changes = [
    `purpose = 'return'`,
    `purpose = 'refund'`,
    `status = 'sending', sending_at = now()`,
    `status = 'unknown', sending_at = now()`,
    `approval = approval`,
  ]
  const made = await createPayouts(bench, changes.length)
  await stopUsingBanks(bench, ['035'])
  await bench.db.query('alter table payouts disable trigger all')
  for (const [at, sql] of changes.entries()) {
    await bench.db.query(`update payouts set ${sql} where reference = $1`, [made[at]])
  }
  const connection = { calls: { sendMoney: () => Promise.reject(new Error('unused')) } }
  const bankConnections = new Map(
    ['035', '058'].map((code) => [code, connection]),
  ) as unknown as BankConnections
  const moving = { now: bench.clock(), bankConnections }
  assert.equal(await movePayouts(bench.service.db, moving), 1)
  const banks = await Promise.all(made.map((reference) => bankOf(bench, reference)))
  assert.deepEqual(banks, ['035', '035', '035', '035', '058'])
})

test('rehearsals of the sandbox’s bank do not change its health', async () => {
  await using bench = await startTestService()
  await fund(bench, '10000')
  const { reference: bankAccount } = await addBankAccount(bench, {
    prefix: SANDBOX_PREFIXES.neverAnswers,
  })
  bench.service.startWorkers()
  for (let at = 0; at < 3; at++) {
    const { reference } = await createPayout(bench, { amount: '10', bankAccount })
    await until(async () => (await statusOf(bench, reference)) === 'unknown')
  }
  await bench.service.syncRouting()
  assert.equal(await routeState(bench, '035', 'out'), undefined)
})

// Stores that the service has stopped using these banks for payouts (state `left` of the direction `out`).
// The next trial payout is due in 15 seconds.
async function stopUsingBanks(bench: Bench, codes: readonly string[]): Promise<void> {
  const now = bench.clock()
  await bench.db.query(
    `insert into bank_routes (bank_code, direction, state, since, reason, failed_at, retry_at, times_left)
     select code, 'out', 'left', $2, 'failing', $2, $3, 1 from unnest($1::text[]) as b (code)`,
    [codes, now, new Date(now.getTime() + 15_000)],
  )
  await bench.service.syncRouting()
}
