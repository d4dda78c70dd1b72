// A bank that does not sign its reports (I103): the service books only the bank's answers to its queries. It
// stores each report, a hint, before it acknowledges it, and queries the bank until the bank answers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reservationsAt } from '#accounts/reserved-numbers.ts'
import type { Transfer } from '../../fake-bank/bank.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { BANK_CODE, bankLedgerKobo, naira, startWithFakeBank } from '../support/fake-bank.ts'
import { balanceOf, createAccount } from '../support/fixtures.ts'
import { requeriesOf, requeryRounds } from '../support/requery-bench.ts'

const HASH = 'fake-bank-secret-hash'
const DAY_MS = 86_400_000

type World = Awaited<ReturnType<typeof startWithFakeBank>>

// Starts a service with a bank that does not sign its reports, and one account.
async function start() {
  const world = await startWithFakeBank({ connector: 'flutterwave' })
  const { accountNumber } = await createAccount(world.bench)
  return { ...world, accountNumber }
}

// The bank receives a transfer, and does not report it.
const receive = ({ bank }: World, accountNumber: string, amount = 1000): Transfer => {
  const transfer = bank.transfer({ accountNumber, amountKobo: naira(amount) }, 'lost')
  assert(transfer)
  return transfer
}

const idOf = ({ bankReference }: Transfer) => Number(bankReference.replace(/^.*-/, ''))

// Sends an unsigned report, as the bank does.
function report({ bench }: Pick<World, 'bench'>, data: object, call = 'credits') {
  return bench.call({
    method: 'POST',
    url: `/rails/${BANK_CODE}/${call}`,
    body: Buffer.from(JSON.stringify({ event: 'charge.completed', data })),
    headers: { 'content-type': 'application/json', 'verif-hash': HASH },
    token: null,
  })
}

const eventOf = (id: number, change: object = {}) => ({
  id,
  tx_ref: 'ORDER-17',
  amount: 1000,
  status: 'successful',
  payment_type: 'bank_transfer',
  ...change,
})

// How many credits and rail items are stored, and the rail item's reason.
async function rowsOf({ bench }: Pick<World, 'bench'>) {
  const { rows } = await bench.db.query<{ credits: number; items: number; reason: string | null }>(
    `select (select count(*)::int from credits) as credits,
            (select count(*)::int from rail_items) as items,
            (select min(reason) from rail_items) as reason`,
  )
  return rows[0]
}

test('the bank’s answer is booked, not the amount or the account of the report', async () => {
  await using world = await start()
  const { bench, accountNumber, requery } = world
  const other = await createAccount(bench, { email: 'bola@example.com' })
  const transfer = receive(world, accountNumber)
  const { rows } = await bench.db.query<{ reference: string }>(
    'select reference from reserved_numbers where account_number = $1',
    [other.accountNumber],
  )

  const forged = { amount: 9_000_000, charged_amount: 9_000_000, tx_ref: rows[0]?.reference }
  const answer = await report(world, eventOf(idOf(transfer), forged))

  assert.equal(answer.statusCode, 200)
  assert.equal(answer.json().code, '00')
  assert.deepEqual(await rowsOf(world), { credits: 0, items: 0, reason: null })
  await requery.ask()
  assert.equal(await balanceOf(bench, accountNumber), 1000)
  assert.equal(await balanceOf(bench, other.accountNumber), 0)
  await assertCleanBooks(bench)
})

test('an id that the bank does not know books nothing, and is given up after a day', async () => {
  await using world = await start()
  const { bench, requery } = world
  await report(world, eventOf(424_242))
  await requery.ask()
  const [open] = await requeriesOf(bench, 'notification')
  assert.equal(open?.state, 'open', 'it may be known in a moment')

  bench.advance(DAY_MS)
  await requery.ask()

  const [stored] = await requeriesOf(bench, 'notification')
  assert.equal(stored?.state, 'not_found')
  assert.deepEqual(await rowsOf(world), { credits: 0, items: 0, reason: null })
  assert.equal(await bankLedgerKobo(bench), 0n)
})

test('while the bank is down a hint is kept, however long, and its money booked then', async () => {
  await using world = await start()
  const { bench, accountNumber, requery } = world
  const { connection } = requery
  const findTransfer = async () => ({ status: 'no_answer', reason: 'down' }) as const
  const down = { ...connection, calls: { ...connection.calls, findTransfer } }
  const connections = new Map([[BANK_CODE, down]])
  const failing = requeryRounds(bench, { connections, bankCode: BANK_CODE })
  const transfer = receive(world, accountNumber)
  assert.equal((await report(world, eventOf(idOf(transfer)))).statusCode, 200)

  await failing.ask()
  bench.advance(2 * DAY_MS)
  await failing.ask()
  await failing.close()

  const [stored] = await requeriesOf(bench, 'notification')
  assert.deepEqual([stored?.state, stored?.attempts], ['open', 2])
  assert.equal((await rowsOf(world))?.credits, 0)
  bench.advance(3_600_000)
  await requery.ask()
  assert.equal(await balanceOf(bench, accountNumber), 1000)
})

test('a hint that cannot be stored is not acknowledged', async () => {
  await using world = await start()
  const { bench, accountNumber, requery } = world
  const transfer = receive(world, accountNumber)
  await bench.db.query('alter table requeries rename to away')

  const refused = await report(world, eventOf(idOf(transfer)))

  await bench.db.query('alter table away rename to requeries')
  assert.equal(refused.statusCode, 503)
  assert.equal(refused.json().status, 'error')
  assert.equal((await report(world, eventOf(idOf(transfer)))).statusCode, 200)
  await requery.ask()
  assert.equal(await balanceOf(bench, accountNumber), 1000)
})

test('a hint that is repeated, at once or later, books once', async () => {
  await using world = await start()
  const { bench, accountNumber, requery } = world
  const event = eventOf(idOf(receive(world, accountNumber)))
  await Promise.all(Array.from({ length: 5 }, () => report(world, event)))
  assert.equal((await requeriesOf(bench, 'notification')).length, 1)
  await requery.ask()
  await report(world, event)
  await requery.ask()
  await requery.plan()
  await requery.ask()

  assert.equal((await rowsOf(world))?.credits, 1)
  assert.equal(await balanceOf(bench, accountNumber), 1000)
  await assertCleanBooks(bench)
})

test('payments to one account share its tx_ref, and each is booked', async () => {
  await using world = await start()
  const { bench, accountNumber, requery } = world
  for (const amount of [1000, 1000, 250]) {
    await report(world, eventOf(idOf(receive(world, accountNumber, amount))))
  }
  await requery.ask()
  assert.equal(await balanceOf(bench, accountNumber), 2250)
  const { rows } = await bench.db.query(
    'select count(distinct session_id)::int as ids, count(*)::int as credits from credits',
  )
  assert.deepEqual(rows, [{ ids: 3, credits: 3 }])
})

test('money under a tx_ref that is no reservation is kept for an operator, once', async () => {
  await using world = await start()
  const { bench, requery } = world
  const transfer = receive(world, '0000000017')
  await report(world, eventOf(idOf(transfer)))
  await requery.ask()
  await report(world, eventOf(idOf(transfer)))
  await requery.plan() // The bank's list of transfers names the transfer too.
  await requery.ask()

  const counts = { credits: 0, items: 1, reason: 'invalid_account_number' }
  assert.deepEqual(await rowsOf(world), counts)
  assert.equal(await bankLedgerKobo(bench), 0n)
})

test('a reservation counts at its own bank only, and only with a number', async () => {
  await using world = await start()
  const { bench, accountNumber } = world
  const here = reservationsAt(bench.db, BANK_CODE)
  const reference = await here.referenceOf(accountNumber)
  assert(reference)
  assert.equal(await here.numberOf(reference), accountNumber)
  assert.equal(await here.numberOf(reference.toUpperCase()), accountNumber)
  const there = reservationsAt(bench.db, '035')
  assert.equal(await there.numberOf(reference), undefined)
  assert.equal(await there.referenceOf(accountNumber), undefined)
  for (const text of ['', 'ORDER-17', "'; drop table credits", `${reference}0`, '\u0000']) {
    assert.equal(await here.numberOf(text), undefined)
  }
  await bench.db.query(
    `insert into reserved_numbers (bank_code, purpose, reference, asked_at)
     values ($1, 'static', '019a8a3c-0000-7000-8000-00000000000f', now())`,
    [BANK_CODE],
  )
  assert.equal(await here.numberOf('019a8a3c-0000-7000-8000-00000000000f'), undefined)
})

test('money that was reported is not lost: only what a sweep finds counts as such', async () => {
  await using world = await start()
  const { bench, accountNumber, requery } = world
  const readFoundByRequery = async () => {
    const { data } = (await bench.call({ url: '/api/v1/operator/banks' })).json()
    return data.find(({ code }: { code: string }) => code === BANK_CODE).foundByRequery
  }
  await report(world, eventOf(idOf(receive(world, accountNumber))))
  await requery.ask()
  assert.equal(await readFoundByRequery(), 0)
  receive(world, accountNumber, 5)
  await requery.plan()
  await requery.ask()
  assert.equal(await readFoundByRequery(), 1)
  assert.equal(await balanceOf(bench, accountNumber), 1005)
})

test('no other call of such a bank is taken', async () => {
  await using world = await start()
  const { accountNumber } = world
  const transfer = receive(world, accountNumber)
  await report(world, eventOf(idOf(transfer)))
  await world.requery.ask()
  const id = String(idOf(transfer))
  const reversal = { sessionId: 'R-1', originalSessionId: id, amount: 1000 }
  for (const call of ['reversals', 'returns', 'name-enquiry']) {
    const answer = await report(world, reversal, call)
    assert.deepEqual([answer.statusCode, answer.json().code], [401, 'invalid_signature'], call)
  }
  assert.equal(await balanceOf(world.bench, accountNumber), 1000)
})
