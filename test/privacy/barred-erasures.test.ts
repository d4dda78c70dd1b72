// Nothing is erased that a hold or an open case needs, whoever asks, also if both come at once (I250).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eraseCasesRound } from '#cases/workers.ts'
import { withTransaction } from '#db/transaction.ts'
import { purgeMessages } from '#messages/send.ts'
import { alertPausedErasuresRound, completeErasuresRound } from '#privacy/workers.ts'
import { lockErasures } from '#records/erasure-bars.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import * as erasing from '../support/erasing.ts'
import { assertRefused, createAccount, dataOf, readAccount } from '../support/fixtures.ts'
import { endHold, HOLDS, placeHold, startHolds } from '../support/holding.ts'
import { newBrowser } from '../support/people.ts'
import { reportCredit } from '../support/rail.ts'
import { sealingOf } from '../support/sealing.ts'
import { assign, NOBODYS_NUMBER, suspend } from '../support/suspense-desk.ts'
import { untilWaiting } from '../support/waiting-locks.ts'

const { PAYER, PERSON, reason, erase, finishErasures } = erasing
const CASES = '/api/v1/operator/cases'
const NEVER = new AbortController().signal
const DAY_MS = 86_400_000

type Bench = Awaited<ReturnType<typeof startHolds>>

// Opens an account with one credit from a payer.
async function paidAccount(bench: Bench, fields: Record<string, string> = PERSON) {
  const { accountNumber } = await createAccount(bench, fields)
  const { sessionId } = await reportCredit(bench, { accountNumber, amount: '50', ...PAYER })
  return { accountNumber: accountNumber as string, sessionId: sessionId as string }
}

const openCase = async ({ maker }: Bench, body: object) =>
  dataOf(await maker.call({ url: CASES, body: { kind: 'bank_report', summary: 'Fraud', ...body } }))

async function closeCase({ maker }: Bench, reference: string) {
  const body = { outcome: 'unfounded', reason: 'Decided' }
  dataOf(await maker.call({ url: `${CASES}/${reference}/close`, body }))
}

const payersOf = async ({ db }: Bench, accountNumber: string) =>
  (
    await db.query<{ name: string | null }>(
      'select source_account_name as name from credits where account_number = $1 order by id',
      [accountNumber],
    )
  ).rows.map(({ name }) => name)

const alertsOf = async ({ db }: Bench, kind: string) =>
  (
    await db.query<{ subject: string; detail: object }>(
      'select subject, detail from alerts where kind = $1 and cleared_at is null order by id',
      [kind],
    )
  ).rows

// Each bar with the function that ends it.
const BARS: Record<string, (bench: Bench, paid: Paid) => Promise<() => Promise<void>>> = {
  'a hold of the client': (bench) => hold(bench, { target: 'client', amount: '1' }),
  'a hold of the account': (bench, { accountNumber }) =>
    hold(bench, { target: 'account', accountNumber }),
  'a hold of a credit': (bench, { sessionId }) => hold(bench, { target: 'credit', sessionId }),
  'a hold of the merchantCode': async (bench, { accountNumber }) => {
    const { merchantCode } = await readAccount(bench, accountNumber)
    return hold(bench, { target: 'merchant', merchantCode })
  },
  'a case of the client': (bench) => aCase(bench, { clientId: 'MAN0000001' }),
  'a case of a credit': (bench, { sessionId }) =>
    aCase(bench, { clientId: 'MAN0000001', sessionIds: [sessionId] }),
}

type Paid = Awaited<ReturnType<typeof paidAccount>>

async function hold(bench: Bench, body: object) {
  const { reference } = await placeHold(bench, body)
  return () => endHold(bench, reference, 'release')
}

async function aCase(bench: Bench, body: object) {
  const { reference } = await openCase(bench, body)
  return () => closeCase(bench, reference)
}

test('an erasure is refused while a hold or a case needs the data, and works afterwards', async () => {
  await using bench = await startHolds()
  for (const [name, bar] of Object.entries(BARS)) {
    const paid = await paidAccount(bench)
    const unbar = await bar(bench, paid)
    const answer = await erase(bench, paid.accountNumber)
    assertRefused(answer, { status: 409, code: 'erasure_waits' })
    assert.doesNotMatch(answer.body, /HLD|CAS|hold|case|fraud/i, `${name} is told to the client`)
    assert.deepEqual(await payersOf(bench, paid.accountNumber), [PAYER.sourceAccountName], name)
    const alert = (await alertsOf(bench, 'erasure_refused')).at(-1)
    assert.equal(alert?.subject, `account/${paid.accountNumber}`, name)
    assert.match(JSON.stringify(alert?.detail), /HLD|CAS/, name)

    await unbar()
    assert.equal((await erase(bench, paid.accountNumber)).statusCode, 200, name)
    await finishErasures(bench)
    assert.deepEqual(await payersOf(bench, paid.accountNumber), [null], name)
  }
  await assertCleanBooks(bench)
})

test('no client hears of an alert about a refused erasure', async () => {
  await using bench = await startHolds()
  const paid = await paidAccount(bench)
  await hold(bench, { target: 'account', accountNumber: paid.accountNumber })
  await erase(bench, paid.accountNumber)
  const { rows } = await bench.db.query<{ isOperator: boolean }>(
    `select k.is_operator from events e join clients k on k.id = e.client_id
      where e.facts::text like '%erasure_refused%'`,
  )
  assert(rows.length > 0)
  assert(rows.every(({ isOperator }) => isOperator))
})

test('an erasure that has begun pauses for a hold, alerts, and goes on once the hold has ended', async () => {
  await using bench = await startHolds()
  const { accountNumber } = await createAccount(bench, PERSON)
  const { sessionId } = await reportCredit(bench, { accountNumber, amount: '50', ...PAYER })
  await bench.db.query(
    `insert into erasures (client_id, account_id, asked_at)
     select client_id, id, $2 from collection_accounts where account_number = $1`,
    [accountNumber, bench.clock()],
  )
  const { reference } = await placeHold(bench, { target: 'credit', sessionId })
  const alerting = alertPausedErasuresRound(bench)
  await finishErasures(bench)
  await alerting(NEVER)
  assert.deepEqual(await payersOf(bench, accountNumber), [PAYER.sourceAccountName])
  const [alert] = await alertsOf(bench, 'erasure_paused')
  assert.equal(alert?.subject, `account/${accountNumber}`)

  await endHold(bench, reference, 'release')
  await finishErasures(bench)
  await alerting(NEVER)
  assert.deepEqual(await payersOf(bench, accountNumber), [null])
  assert.deepEqual(await alertsOf(bench, 'erasure_paused'), [])
})

test('a credit that was assigned to a held account keeps its payer', async () => {
  await using bench = await startHolds()
  const held = await paidAccount(bench, { ...PERSON, bvn: '22298765433' })
  const stray = await suspend(bench, NOBODYS_NUMBER, '40', PAYER)
  assert.equal(
    (await assign(bench, stray.id, { accountNumber: held.accountNumber })).statusCode,
    200,
  )
  await hold(bench, { target: 'account', accountNumber: held.accountNumber })
  await assert.rejects(
    bench.db.query(
      `update credits set source_account_name = null, source_account_sealed = null, narration = null
        where account_number = $1`,
      [NOBODYS_NUMBER],
    ),
    { constraint: 'erased_nothing_needed' },
  )
})

test('the database refuses an erasure that forgets to ask', async () => {
  await using bench = await startHolds()
  const { accountNumber } = await paidAccount(bench)
  const unbar = await hold(bench, { target: 'account', accountNumber })
  const forget = () =>
    withTransaction(bench.db, async (tx) => {
      await tx.query(
        `update collection_accounts
            set account_name = 'Erased', email = '', phone_number = '', payer_rules = null,
                bvn_hash = '', nin_sealed = null, nin_hash = null, verified_name = null,
                is_active = false, is_default = false, erased_at = now()
          where account_number = $1`,
        [accountNumber],
      )
    })
  await assert.rejects(forget, { constraint: 'erased_nothing_needed' })
  await unbar()
  await forget()
})

test('a hold placed while a page is erased waits for the page, and the next page sees it', async () => {
  await using bench = await startHolds()
  const { accountNumber, sessionId } = await paidAccount(bench)
  let placing: Promise<unknown> | undefined
  await withTransaction(bench.db, async (tx) => {
    await lockErasures(tx)
    placing = placeHold(bench, { target: 'credit', sessionId })
    await untilWaiting(bench.db, 1)
    const { rowCount } = await tx.query(`select from holds`)
    assert.equal(rowCount, 0)
  })
  await placing
  assertRefused(await erase(bench, accountNumber), { status: 409, code: 'erasure_waits' })
})

test('holds and erasures of many accounts at once: each is held, or erased before the hold', async () => {
  await using bench = await startHolds()
  const paid: Paid[] = []
  for (let i = 0; i < 12; i++)
    paid.push(await paidAccount(bench, { ...PERSON, bvn: `2229876540${i % 10}` }))
  const round = completeErasuresRound({ ...bench, ...sealingOf(bench) })
  const outcomes = await Promise.all(
    paid.map(async ({ accountNumber, sessionId }) => {
      const [erased, placed] = await Promise.all([
        erase(bench, accountNumber, { reason }),
        bench.maker.call({
          url: HOLDS,
          body: { target: 'credit', sessionId, clientId: 'MAN0000001', reason: 'Reported' },
        }),
        round(NEVER),
      ])
      assert.equal(placed.statusCode, 200, placed.body)
      return { accountNumber, code: erased.statusCode }
    }),
  )
  await finishErasures(bench)
  for (const { accountNumber, code } of outcomes) {
    const { accountName } = await readAccount(bench, accountNumber)
    assert.equal(accountName === 'Erased', code === 200)
    if (code !== 200)
      assert.deepEqual(await payersOf(bench, accountNumber), [PAYER.sourceAccountName])
  }
  await assertCleanBooks(bench)
})

test('messages to a person whose data is needed are not deleted after 90 days', async () => {
  await using bench = await startHolds()
  const mine = await paidAccount(bench)
  const others = await paidAccount(bench, { ...PERSON, bvn: '22298765434' })
  await bench.db.query(
    `insert into messages (reference, client_id, key, channel, kind, account_id, priority,
                           waits_for_day, state, next_attempt_at, expires_at, created_at, ended_at)
     select 'MSG' || a.id, a.client_id, a.account_number, 'email', 'receipt', a.id, 1, false, 'sent',
            $1, $1, $1, $1 from collection_accounts a`,
    [bench.clock()],
  )
  const unbar = await hold(bench, { target: 'account', accountNumber: mine.accountNumber })
  bench.advance(91 * DAY_MS)
  const purge = async () => {
    await withTransaction(bench.db, (tx) => purgeMessages(tx, bench.clock()))
    const { rows } = await bench.db.query<{ key: string }>('select key from messages order by key')
    return rows.map(({ key }) => key)
  }
  assert.deepEqual(await purge(), [mine.accountNumber])
  await unbar()
  assert.deepEqual(await purge(), [])
  assert.notEqual(mine.accountNumber, others.accountNumber)
})

test('the evidence of a closed case stays while a hold or another case is about its credits', async () => {
  await using bench = await startHolds()
  const { sessionId } = await paidAccount(bench)
  const subjects = { clientId: 'MAN0000001', sessionIds: [sessionId] }
  const { reference } = await openCase(bench, subjects)
  await closeCase(bench, reference)
  bench.advance(5 * 366 * DAY_MS)
  const late = await startHoldsAgain(bench)
  const unbar = await hold(late, { target: 'credit', sessionId })
  const round = eraseCasesRound({ ...late, ...sealingOf(late) })
  assert.equal((await round(NEVER)).more, false)
  await unbar()
  assert.equal((await round(NEVER)).more, true)
})

// Signs in another operator, because sessions ended while the clock moved.
async function startHoldsAgain(bench: Bench): Promise<Bench> {
  return Object.assign(bench, { maker: await newBrowser(bench, 'operator') })
}
