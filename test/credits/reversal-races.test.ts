// A bank reverses a credit while the same money is moved by others: other reversals, a user of the suspense
// desk, a merchant who cancels, the worker that expires payments.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import {
  assertCleanBooks,
  closeExpired,
  countDeadlocks,
  startTwin,
  tally,
} from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  balanceOf,
  createAccount,
  ledgerNaira,
  MINUTE_MS,
  startPayment,
  verify,
} from '../support/fixtures.ts'
import { itemOf } from '../support/movements.ts'
import { newSessionId, postRail, wordsOf } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { assign, giveBack, NOBODYS_NUMBER } from '../support/suspense-desk.ts'
import { credit } from '../support/tracing.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const bench = closeAfterTests(await startTestService())

type Reversal = { originalSessionId: string; amount: unknown; sessionId?: string }

const sendReversal = (
  taking: Reversal,
  { bank = '035', on = bench }: { bank?: string; on?: Bench } = {},
) => postRail(on, `${bank}/reversals`, { sessionId: newSessionId(), ...taking })

test('the same reversal twenty times at once, through two processes, takes the money once', async () => {
  await using twin = await startTwin(bench)
  const { accountNumber } = await createAccount(bench)
  const originalSessionId = await credit(bench, accountNumber, '100')
  const taking = { sessionId: newSessionId(), originalSessionId, amount: '40' }

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => sendReversal(taking, { on: at % 2 ? twin : bench })),
  )

  assert.deepEqual(tally(answers.map((answer) => wordsOf(answer.json()))), {
    '00 reversed': 1,
    '01 duplicate': 19,
  })
  assert.equal(await balanceOf(bench, accountNumber), 60)
})

test('twenty different reversals at once take no more than there is', async () => {
  await using twin = await startTwin(bench)
  const payment = await startPayment(bench, { amount: 100 })
  const originalSessionId = await credit(bench, payment.bankAccount, '130')

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      sendReversal({ originalSessionId, amount: '10' }, { bank: '035', on: at % 2 ? twin : bench }),
    ),
  )

  assert.deepEqual(tally(answers.map((answer) => wordsOf(answer.json()))), {
    '00 reversed': 13,
    '02 rejected amount_exceeds_original': 7,
  })
  const { transactionStatus, amountCollected } = await verify(bench, payment.paymentReference)
  assert.deepEqual([transactionStatus, amountCollected], ['Reversed', 0])
})

test('a second credit that gets the same identifier meanwhile is not reversed instead', async () => {
  const [one, other] = [
    await credit(bench, NOBODYS_NUMBER, '70'),
    await credit(bench, NOBODYS_NUMBER, '70'),
  ]
  const shared = newSessionId()
  const addSharedIdentifier = (sessionId: string, kind: string) =>
    bench.db.query(
      `insert into credit_identifiers (credit_id, is_first, value, bank_code, kind)
       select id, false, $2, bank_code, $3 from credits where session_id = $1`,
      [sessionId, shared, kind],
    )
  await addSharedIdentifier(one, 'bank_reference')
  const { reversing } = await withTransaction(bench.db, async (tx) => {
    await tx.query(
      `select from suspense_items where credit_id = (select id from credits where session_id = $1)
          for update`,
      [one],
    )
    const reversing = sendReversal({ originalSessionId: shared, amount: '70' })
    await untilBlocked(bench.db, 1)
    await addSharedIdentifier(other, 'session_id')
    return { reversing }
  })

  assert.equal(wordsOf((await reversing).json()), '00 reversed')
  const { rows } = await bench.db.query(
    `select c.session_id from reversals r join credits c on c.id = r.credit_id
      where c.session_id = any ($1)`,
    [[one, other]],
  )
  assert.deepEqual(rows, [{ sessionId: one }])
})

test('a reversal never fails with a fault, whatever moves the money at the same moment', async () => {
  await using twin = await startTwin(bench)
  const account = await createAccount(bench)
  await credit(bench, account.accountNumber, '1000') // So the bank holds other money too.
  // Each round does at once all that can move the money of two credits: 50 in suspense, and 30 of the 80 that
  // a payment expects.
  const rounds = Array.from({ length: 6 }, async (_, at) => {
    const nobodys = await credit(bench, NOBODYS_NUMBER, '50')
    const [item, target] = [
      (await itemOf(bench, nobodys)).id,
      await startPayment(bench, { amount: 80 }),
    ]
    const part = await credit(bench, target.bankAccount, '30')
    const deeds = [
      assign(bench, item, { paymentReference: target.paymentReference }),
      assign(bench, item, { accountNumber: account.accountNumber }),
      giveBack(bench, item),
      sendReversal({ originalSessionId: nobodys, amount: '50' }, { on: at % 2 ? twin : bench }),
      sendReversal({ originalSessionId: part, amount: '30' }, { bank: '035', on: twin }),
      bench.call({ method: 'POST', url: `/Payment/advice/${target.adviceReference}/cancel` }),
      postRail(bench, '035/credits', {
        sessionId: newSessionId(),
        accountNumber: target.bankAccount,
        amount: '50',
      }),
    ]
    return Promise.all(deeds)
  })

  const answers = (await Promise.all(rounds)).flat()

  const faults = answers.filter((answer) => answer.statusCode >= 500)
  assert.deepEqual(
    faults.map((answer) => answer.body),
    [],
  )
  await assertCleanBooks(bench)
})

test('reversals and users of the suspense desk lock in the same order, so they do not deadlock', async () => {
  // This test has its own service, because the database counts deadlocks with a delay, and other tests may
  // cause one.
  await using own = await startTestService()
  const { accountNumber } = await createAccount(own)
  await credit(own, accountNumber, '1000')
  const before = await countDeadlocks(own)
  // Each round assigns, returns and, in two parts, reverses one suspense item of 50 at once.
  const rounds = Array.from({ length: 8 }, async () => {
    const originalSessionId = await credit(own, NOBODYS_NUMBER, '50')
    const [item, target] = [(await itemOf(own, originalSessionId)).id, await startPayment(own)]
    return Promise.all([
      assign(own, item, { paymentReference: target.paymentReference }),
      giveBack(own, item),
      sendReversal({ originalSessionId, amount: '20' }, { on: own }),
      sendReversal({ originalSessionId, amount: '30' }, { on: own }),
    ])
  })

  const answers = (await Promise.all(rounds)).flat()

  assert(answers.every((answer) => answer.statusCode < 500))
  assert.equal((await countDeadlocks(own)) - before, 0)
})

test('a reversal and the expiry of its payment at once lose nothing', async () => {
  const payments = await Promise.all(
    Array.from({ length: 8 }, () => startPayment(bench, { amount: 100, graceSeconds: 0 })),
  )
  const parts = await Promise.all(
    payments.map(({ bankAccount }) => credit(bench, bankAccount, '60')),
  )
  const suspenseBefore = await ledgerNaira(bench, 'suspense')
  bench.advance(30 * MINUTE_MS)

  const [answers] = await Promise.all([
    Promise.all(
      parts.map((originalSessionId) =>
        sendReversal({ originalSessionId, amount: '20' }, { bank: '035' }),
      ),
    ),
    closeExpired(bench),
  ])
  await closeExpired(bench)

  assert.deepEqual(tally(answers.map((answer) => wordsOf(answer.json()))), { '00 reversed': 8 })
  assert.equal((await ledgerNaira(bench, 'suspense')) - suspenseBefore, 8 * 40)
})

test('after all these tests the books add up', () => assertCleanBooks(bench))
