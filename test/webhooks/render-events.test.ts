// The body of events: the resource as the API shows it, at that moment, and never a BVN.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Queryable } from '#db/pool.ts'
import { EVENT_COLUMNS, type StoredEvent } from '#webhooks/events.ts'
import { type EventBody, renderEvents } from '#webhooks/render.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import {
  ADVICE,
  createAccount,
  dataOf,
  readAccount,
  simulate,
  startPayment,
  TIMESTAMP,
  verify,
} from '../support/fixtures.ts'
import { newSessionId, postRail, reportCredit } from '../support/rail.ts'
import { createSplit } from '../support/splits.ts'
import { credit as creditTo, reverse } from '../support/tracing.ts'
import { startWebhookBench, type WebhookBench } from '../support/webhook-bench.ts'

const BVN = '22298765432'
const PAYER = '0123456789'

test('an account is shown as the API shows it, without its BVN', async () => {
  await using bench = await setup()
  const { accountNumber } = await createAccount(bench, { bvn: BVN })
  const { bvn, ...view } = await readAccount(bench, accountNumber)

  const [body] = await bench.bodies()

  assert.equal(bvn, BVN)
  assert.deepEqual(
    { ...body, id: '', createdAt: '' },
    {
      id: '',
      type: 'account.created',
      sequence: 1,
      createdAt: '',
      env: 'Test',
      data: view,
    },
  )
  assert.match(body?.createdAt ?? '', TIMESTAMP)
})

test("a credit's event has the balance of its moment, however late it is read", async () => {
  await using bench = await setup()
  const { accountNumber } = await createAccount(bench)
  for (const amount of ['100.50', '0.25']) {
    await reportCredit(bench, { accountNumber, amount, ...payer })
    bench.advance(1_000)
  }

  const [, first, second] = await bench.bodies()

  assert.deepEqual([first?.data.accountBalance, second?.data.accountBalance], [100.5, 100.75])
  assert.deepEqual(first?.data.updatedAt, first?.data.createdAt)
  const { sessionId, receivedAt, ...credit } = (first?.data.credit ?? {}) as Record<string, unknown>
  assert.match(String(sessionId), /^\d{30}$/)
  assert.match(String(receivedAt), TIMESTAMP)
  assert.deepEqual(credit, {
    bankCode: '035',
    accountNumber,
    amount: 100.5,
    currency: 'NGN',
    sourceAccountName: 'Bola Ade',
    sourceAccountNumberMasked: '******6789',
    sourceBankCode: '058',
    narration: 'Shoes',
    merchantFee: 0,
    merchantFeeVat: 0,
    netToMerchant: 100.5,
    splits: [],
  })
})

test("a credit's event has the fee, VAT, net and splits of its moment, however late it is read", async () => {
  await using bench = await setup()
  dataOf(await createFeeRule(bench))
  await createSplit(bench)
  const { accountNumber } = await createAccount(bench, { splitCode: 'AB' })
  const session = await creditTo(bench, accountNumber, '20000.00')
  bench.advance(1_000)
  await reverse(bench, session, '10000.00')

  const bodies = await bench.bodies()

  // The fees and shares of the credit that the event of this type shows.
  const amounts = (type: string) => {
    const { credit } = bodies.find((body) => body.type === type)?.data ?? {}
    const { merchantFee, merchantFeeVat, netToMerchant, splits } = credit as Record<string, unknown>
    return { merchantFee, merchantFeeVat, netToMerchant, splits }
  }
  assert.deepEqual(amounts('collection.received'), {
    merchantFee: 200,
    merchantFeeVat: 15,
    netToMerchant: 19_785,
    splits: [
      { subaccountCode: 'A', amount: 15_828 },
      { subaccountCode: 'B', amount: 3_957 },
    ],
  })
  const { merchantFee, merchantFeeVat, netToMerchant, splits } = dataOf(
    await bench.call({ url: `/api/v1/credits/${session}` }),
  )
  assert.equal(netToMerchant, 10_000 - merchantFee - merchantFeeVat)
  assert.deepEqual(amounts('collection.reversed'), {
    merchantFee,
    merchantFeeVat,
    netToMerchant,
    splits,
  })
})

test('an event of a payment has the fields of the bank-transfer response, with its references', async () => {
  await using bench = await setup()
  const { adviceReference, ...payment } = await startPayment(bench, { merchantRef: 'ORDER-1' })
  await simulate(bench, payment.bankAccount, '2000.10')
  await simulate(bench, payment.bankAccount, '3999.90')

  const bodies = await bench.bodies()

  const common = { ...payment, adviceReference, merchantRef: 'ORDER-1', currency: 'NGN' }
  const steps = [
    ['payment.processing', { amountPaid: 0, amountRemaining: 6000 }, 'Processing'],
    ['payment.part_paid', { amountPaid: 2000.1, amountRemaining: 3999.9 }, 'PartPayment'],
    ['payment.successful', { amountPaid: 6000, amountRemaining: 0 }, 'Successful'],
  ] as const
  for (const [index, [type, amounts, status]] of steps.entries()) {
    const { credit, ...data } = bodies[index]?.data ?? {}
    assert.deepEqual(
      [bodies[index]?.type, data],
      [type, { ...common, ...amounts, status, message: status }],
    )
    assert.equal(credit === undefined, index === 0)
  }
  assert.equal((await verify(bench, payment.paymentReference)).transactionStatus, 'Successful')
})

test('an event of an older release, stored in naira, shows the amounts of its moment', async () => {
  await using bench = await setup()
  const payment = await startPayment(bench)
  await simulate(bench, payment.bankAccount, '6000')
  const { rows } = await bench.db.query<StoredEvent>(
    `select ${EVENT_COLUMNS} from events e where e.type = 'payment.successful'`,
  )
  const facts = { status: 'PartPayment', amountPaid: 2000.1 }
  const events = rows.map((event) => ({ ...event, facts }))

  const [body] = await renderEvents(bench.db, {
    sealer: bench.sealer,
    events,
    rendering: bench.rendering,
  })

  const { status, amountPaid, amountRemaining } = body?.data ?? {}
  assert.deepEqual([status, amountPaid, amountRemaining], ['PartPayment', 2000.1, 3999.9])
})

test('the event of money paid to the second bank has the number that it was paid to', async () => {
  await using bench = await setup()
  const payment = await startPayment(bench)
  const url = `/Payment/process/banktransfer/${payment.adviceReference}`
  const other = (await bench.call({ url, body: { bankCode: '058' }, token: null })).json()
  await simulate(bench, other.responseData.bankAccount, '6000')

  const { data } = (await bench.bodies()).at(-1) as EventBody

  assert.deepEqual(
    [data.bankAccount, data.bankCode, data.bankName],
    [other.responseData.bankAccount, '058', 'Guaranty Trust Bank'],
  )
})

test('events of suspended, returned and reversed money have the reason and the intended payee', async () => {
  await using bench = await setup()
  const payment = await startPayment(bench, { merchantRef: 'ORDER-1' })
  await simulate(bench, payment.bankAccount, '7000')
  const { accountNumber } = await createAccount(bench)
  const sessionId = newSessionId()
  await reportCredit(bench, { accountNumber, amount: '10', sessionId, ...payer })
  const reversal = { sessionId: newSessionId(), originalSessionId: sessionId, amount: '10' }
  assert.equal((await postRail(bench, '035/reversals', reversal)).json().responseCode, '00')

  const bodies = await bench.bodies()

  const suspended = bodies.find(({ type }) => type === 'credit.suspended')?.data ?? {}
  assert.deepEqual(
    [suspended.reason, suspended.amount, suspended.amountSuspended, suspended.outcome],
    ['excess', 7000, 1000, 'booked'], // Like the API: the due amount is booked.
  )
  assert.deepEqual(
    [suspended.paymentReference, suspended.adviceReference, suspended.merchantRef],
    [payment.paymentReference, payment.adviceReference, 'ORDER-1'],
  )
  const reversed = bodies.find(({ type }) => type === 'collection.reversed')?.data ?? {}
  assert.deepEqual([reversed.accountBalance, reversed.amountReversed], [0, 10])
  assert.equal(reversed.accountNumber, accountNumber)
})

test('no body holds a BVN or a full payer account', async () => {
  await using bench = await setup()
  const { accountNumber } = await createAccount(bench, { bvn: BVN })
  await reportCredit(bench, { accountNumber, amount: '10', ...payer })
  const payment = await startPayment(bench)
  await reportCredit(bench, { accountNumber: payment.bankAccount, amount: '7000', ...payer }, '035')
  const cancelled = await startPayment(bench)
  await bench.call({ method: 'POST', url: `${ADVICE}/${cancelled.adviceReference}/cancel` })

  const text = JSON.stringify(await bench.bodies())

  for (const type of ['account.created', 'collection.received', 'payment.successful']) {
    assert(text.includes(`"${type}"`), type)
  }
  assert(!text.includes(BVN) && !text.includes(PAYER) && !/bvn/i.test(text))
})

test('a hundred events cost as many reads as one', async () => {
  await using bench = await setup()
  const { accountNumber } = await createAccount(bench)
  const payment = await startPayment(bench, { amount: 100 })
  for (let i = 0; i < 50; i++) {
    await simulate(bench, accountNumber, '1')
    await simulate(bench, payment.bankAccount, '1')
  }

  assert.equal(await bench.countReads(1_000), 4)
})

const payer = {
  sourceAccountNumber: PAYER,
  sourceAccountName: 'Bola Ade',
  sourceBankCode: '058',
  narration: 'Shoes',
}

// A bench that renders its events, and counts the queries that rendering makes.
async function setup() {
  const bench = await startWebhookBench()
  return {
    ...bench,
    bodies: async () => render(bench, bench.db),
    async countReads(limit: number): Promise<number> {
      let reads = 0
      const counting = {
        query: (...args: Parameters<typeof bench.db.query>) => {
          reads++
          return bench.db.query(...args)
        },
      } as unknown as Queryable
      await render(bench, counting, limit)
      return reads
    },
  }
}

// The bodies of the first events, rendered through `db`.
async function render(bench: WebhookBench, db: Queryable, limit = 100): Promise<EventBody[]> {
  const { rows } = await bench.db.query<StoredEvent>(
    `select ${EVENT_COLUMNS} from events e order by e.sequence limit $1`,
    [limit],
  )
  return renderEvents(db, { sealer: bench.sealer, events: rows, rendering: bench.rendering })
}
