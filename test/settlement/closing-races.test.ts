// Each credit is in exactly one settlement, whatever happens while settlements are being closed (I51). A
// closing that dies halfway has no effect.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import type { AccountId, CreditId } from '#ids.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { kobo } from '#money.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { assertRefused, createAccount, startPayment } from '../support/fixtures.ts'
import { credit, reverse } from '../support/movements.ts'
import { readSeed, seededRandom } from '../support/random.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import {
  closeSettlement,
  decideOn,
  linesOf,
  listOf,
  removeBankAccount,
  requestClosing,
  setBankAccount,
  settlementOf,
} from '../support/settlements.ts'
import { untilBlocked, untilDeciding } from '../support/waiting-locks.ts'

const ROUNDS = 6

// Starts a service whose client has a confirmed bank account.
async function start(): Promise<Bench> {
  const bench = await startTestService()
  await setBankAccount(bench)
  return bench
}

// How many credits are in no settlement (`missing`) or in two, and the sums of the credits (`gross`) and of
// the settlements (`told`).
async function settledOf({ db }: Bench) {
  const { rows } = await db.query<{ missing: bigint; twice: bigint; gross: bigint; told: bigint }>(
    `with brought as (
       select t.id, t.amount_kobo from transfers t join settlement_accounts a
         on a.account_id = t.credit_account_id
        where t.reason in ('credit', 'settle', 'assign')),
     settled as (select brought_id, count(*) as times, sum(gross_kobo) as kobo
                   from settlement_lines where brought_id is not null group by brought_id)
     select (select count(*) from brought b
              where not exists (select from settled s where s.brought_id = b.id)) as missing,
            (select count(*) from settled where times > 1) as twice,
            (select sum(amount_kobo) from brought)::bigint as gross,
            (select sum(gross_kobo) from settlements where status <> 'cancelled')::bigint as told`,
  )
  return rows[0]
}

// Posts a transfer that brings money to the client, in a transaction that stays open until the test calls
// `commit`. `done` resolves after the commit.
async function openCredit(bench: Bench, naira: bigint) {
  const { rows } = await bench.db.query<{ bank: AccountId; account: AccountId; credit: CreditId }>(
    `select debit_account_id as bank, credit_account_id as account, credit_id as credit
       from transfers where reason = 'credit' order by id limit 1`,
  )
  const { bank, account, credit: creditId } = rows[0] as (typeof rows)[0]
  let commit: () => void = () => {}
  const mayCommit = new Promise<void>((resolve) => {
    commit = resolve
  })
  const postedAt = bench.clock()
  let notePosted: () => void = () => {}
  const isPosted = new Promise<void>((resolve) => {
    notePosted = resolve
  })
  const done = withTransaction(bench.db as never, async (tx) => {
    const transfer = { debitAccountId: bank, creditAccountId: account, creditId }
    const amountKobo = kobo(naira * 100n)
    await postTransfers(tx, postedAt, [{ ...transfer, amountKobo, reason: 'settle' }])
    notePosted()
    await mayCommit
  })
  await isPosted
  return { commit, done }
}

test('closing waits for transfers that are being posted, and covers them', async () => {
  await using bench = await start()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '1')
  const late = await openCredit(bench, 5n)
  bench.advance(1_000)

  const closing = closeSettlement(bench)
  await untilDeciding(bench.db)
  late.commit()
  await late.done

  assert.equal((await closing).gross, 6)
})

test('a transfer that is dated before a cut-off but posted after it is in the next', async () => {
  await using bench = await start()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '1')
  const past = bench.clock()
  bench.advance(60_000)
  const first = await closeSettlement(bench)
  const now = bench.clock()
  bench.advance(past.getTime() - now.getTime())
  await credit(bench, accountNumber, '7')
  bench.advance(120_000)
  const second = await closeSettlement(bench)

  assert.deepEqual([first.gross, second.gross, second.net, second.carried], [1, 7, 7, 0])
  await assertCleanBooks(bench)
})

test('a credit that was posted after one that is left over is settled once all the same', async () => {
  await using bench = await start()
  const { accountNumber } = await createAccount(bench)
  bench.advance(2_000)
  await credit(bench, accountNumber, '1') // After the cut-off.
  bench.advance(-2_000)
  await credit(bench, accountNumber, '2') // Before the cut-off, by another machine's clock.
  const cutOff = new Date(bench.clock().getTime() + 1_000).toISOString()
  bench.advance(3_000)

  const first = await closeSettlement(bench, { cutOff })
  const second = await closeSettlement(bench)

  assert.deepEqual([first.gross, first.net], [2, 2])
  assert.deepEqual([second.gross, second.net], [1, 1])
  await assertCleanBooks(bench)
})

test('every credit that arrives while settlements are closed is in exactly one', async () => {
  const seed = readSeed()
  const random = seededRandom(seed)
  await using bench = await start()
  const accounts = [await createAccount(bench), await createAccount(bench)]
  const sessions: string[] = []
  // Pays a new payment or one of the accounts. Remembers some session ids, to reverse these credits later.
  const pay = async () => {
    const amount = String(random.integer(1, 500))
    if (random.integer(0, 3) === 0) {
      const { bankAccount } = await startPayment(bench, { amount })
      await credit(bench, bankAccount, amount)
      return
    }
    const { accountNumber } = random.pick(accounts)
    const { sessionId } = await credit(bench, accountNumber, amount)
    if (random.integer(0, 4) === 0) sessions.push(sessionId)
  }
  // Closes a settlement, sometimes with a cut-off a few milliseconds ago.
  const settle = async () => {
    const nowMs = bench.clock().getTime()
    const cutOff = new Date(nowMs - random.integer(0, 40)).toISOString()
    const body = random.integer(0, 1) ? { cutOff } : {}
    const { statusCode, body: text } = await requestClosing(bench, { body })
    assert([200, 409].includes(statusCode), text)
  }
  for (let round = 0; round < ROUNDS; round++) {
    // Every fifth operation closes a settlement, the others pay.
    const work = Array.from({ length: 14 }, (_, at) => {
      bench.advance(random.integer(0, 20))
      return at % 5 === 2 ? settle() : pay()
    })
    // Reverses some credits while their money is still there; another test covers money that has left.
    const back = sessions.splice(0, 1).map((sessionId) => reverse(bench, sessionId, '0.50'))
    await Promise.all([...work, ...back])
  }
  bench.advance(1_000)
  await requestClosing(bench)

  const settled = await settledOf(bench)
  assert.deepEqual(
    [settled?.missing, settled?.twice, settled?.told],
    [0n, 0n, settled?.gross],
    `seed ${seed}`,
  )
  assert((await listOf(bench)).length > 1)
  await assertCleanBooks(bench)
})

test('one of two simultaneous closings is refused because the other is in progress', async () => {
  await using bench = await start()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '9')

  const answers = await Promise.all([1, 2, 3, 4].map(() => requestClosing(bench)))

  const codes = answers.map((answer) => answer.json().code ?? 'closed')
  assert.equal(codes.filter((code) => code === 'closed').length, 1)
  for (const code of codes) {
    assert(['closed', 'settlement_in_progress', 'settlement_empty'].includes(code), code)
  }
  assert.equal((await listOf(bench)).length, 1)
  await assertCleanBooks(bench)
})

test('a closing that dies before it commits has done nothing, and closes the same again', async () => {
  await using bench = await start()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '9')
  const holder = await bench.db.connect()
  await holder.query('begin; select from event_counters for update')
  const closing = requestClosing(bench)
  await untilBlocked(bench.db, 1)
  await bench.db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
  )
  const answer = await closing
  await holder.query('rollback')
  holder.release()

  assert(answer.statusCode >= 500, answer.body)
  assert.deepEqual(await listOf(bench), [])
  await assertCleanBooks(bench)
  assert.equal((await closeSettlement(bench)).net, 9)
  await assertCleanBooks(bench)
})

test('a settlement that is cancelled puts everything back, and the next covers it again', async () => {
  await using bench = await startTestService()
  await removeBankAccount(bench)
  const { accountNumber } = await createAccount(bench)
  const { bankAccount } = await startPayment(bench, { amount: 100 })
  await credit(bench, accountNumber, '20')
  await credit(bench, bankAccount, '100')
  const first = await closeSettlement(bench)
  const lines = await linesOf(bench, first.reference)
  await credit(bench, accountNumber, '3')

  assert.equal((await decideOn(bench, first.reference, 'cancel')).statusCode, 200)
  assert.equal((await decideOn(bench, first.reference, 'cancel')).statusCode, 200)
  assert.deepEqual(await linesOf(bench, first.reference), [])
  await assertCleanBooks(bench)
  bench.advance(1_000)
  const second = await closeSettlement(bench)

  assert.deepEqual([first.net, second.net, second.lines], [120, 123, 3])
  assert.equal((await settlementOf(bench, first.reference)).status, 'cancelled')
  assert.deepEqual((await linesOf(bench, second.reference)).slice(0, 2), lines)
  const not = { status: 409, code: 'settlement_not_closed' }
  assertRefused(await decideOn(bench, first.reference, 'approve'), not)
  await assertCleanBooks(bench)
})

test('only the latest settlement is cancelled, and only before it is approved', async () => {
  await using bench = await startTestService()
  await removeBankAccount(bench)
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '1')
  const first = await closeSettlement(bench)
  bench.advance(1_000)
  await credit(bench, accountNumber, '2')
  const second = await closeSettlement(bench)
  await setBankAccount(bench)

  const not = { status: 409, code: 'settlement_not_cancellable' }
  assertRefused(await decideOn(bench, first.reference, 'cancel'), not)
  assert.equal((await decideOn(bench, second.reference, 'approve')).statusCode, 200)
  assertRefused(await decideOn(bench, second.reference, 'cancel'), not)
  await assertCleanBooks(bench)
})

test('the database refuses a credit in two settlements, and two that follow the same one', async () => {
  await using bench = await start()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '1')
  await closeSettlement(bench)

  await assert.rejects(
    bench.db.query(
      `insert into settlement_lines (settlement_id, kind, brought_id, posted_at)
       select settlement_id + 1, kind, brought_id, posted_at from settlement_lines`,
    ),
    /settlement_lines_credit_settled_once/,
  )
  await assert.rejects(
    bench.db.query(
      `insert into settlements (reference, client_id, currency, status, cut_off, to_id,
                                next_from_id, needs_approval, closed_by, closed_at)
       select 'STL000000000000000', client_id, currency, 'closed', cut_off, to_id, next_from_id,
              false, closed_by, closed_at from settlements`,
    ),
    /settlements_follow_one_another/,
  )
})
