// The simulated bank reports money to a real service, in every dialect, over HTTP.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dialect } from '../../fake-bank/dialect.ts'
import { DIALECTS } from '../../fake-bank/dialects.ts'
import { REORDER_WINDOW_MS } from '../../fake-bank/faults.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  bankLedgerKobo,
  control,
  NOBODY,
  naira,
  startLoneBank,
  startWithFakeBank,
} from '../support/fake-bank.ts'
import { createAccount } from '../support/fixtures.ts'

// All services start before the first test, because the test runner would take a pause between tests for
// their end.
type World = Awaited<ReturnType<typeof startWithFakeBank>>
const worlds: { dialect: Dialect; world: World; accountNumber: string }[] = []
for (const dialect of DIALECTS) {
  const world = closeAfterTests(await startWithFakeBank({ connector: dialect.connector }))
  const { accountNumber } = await createAccount(world.bench)
  worlds.push({ dialect, world, accountNumber })
}

for (const { dialect, world, accountNumber } of worlds) {
  const { connector } = dialect
  const { bank, bench } = world

  test(`${connector}: a transfer is booked, and the ledger equals the statement`, async () => {
    const transfer = bank.transfer({ accountNumber, amountKobo: naira(1500), narration: 'A & B' })
    assert(transfer)
    await world.deliver()

    const { body } = await control(bank, 'transfers')
    assert.deepEqual(body.at(-1).notification, {
      fate: 'normal',
      status: 'acknowledged',
      attempts: 1,
      lastHttpStatus: 200,
    })
    const [credit] = (await bench.call({ url: '/api/v1/credits' })).json().data
    assert.equal(credit.outcome, 'booked')
    assert.equal(credit.amount, 1500)
    assert.equal(credit.narration, 'A & B')
    assert.match(credit.sourceAccountName, /^ngozi okafor$/i)
    assert.equal(await bankLedgerKobo(bench), bank.bank.statement().closingKobo)
  })

  test(`${connector}: a notification sent twice is booked once`, async () => {
    const earlier = await bankLedgerKobo(bench)
    const transfer = bank.transfer({ accountNumber, amountKobo: naira(200) }, 'duplicated')
    assert(transfer)
    await world.deliver()

    assert.equal(bank.notifier.deliveryOf(transfer)?.attempts, 2)
    assert.equal(await bankLedgerKobo(bench), earlier + 20_000n)
  })

  test(`${connector}: a lost notification is never sent`, async () => {
    const earlier = await bankLedgerKobo(bench)
    const transfer = bank.transfer({ accountNumber, amountKobo: naira(300) }, 'lost')
    assert(transfer)
    await world.deliver()
    assert.equal(await bankLedgerKobo(bench), earlier)
    assert.equal(bank.notifier.deliveryOf(transfer)?.attempts, 0)
  })

  test(`${connector}: a name enquiry is answered with the name, or that there is none`, async () => {
    const known = await control(bank, 'name-enquiries', { accountNumber })
    if (dialect.signsCreditsOnly) return assert.equal(known.body.httpStatus, 401)
    assert.equal(known.body.httpStatus, 200)
    assert.match(JSON.stringify(known.body.answer), /Ada Obi/i)
    const unknown = await control(bank, 'name-enquiries', { accountNumber: '0000000001' })
    assert.doesNotMatch(JSON.stringify(unknown.body.answer), /Ada Obi/i)
  })

  test(`${connector}: a bank with other credentials is refused`, async () => {
    const [secret] = Object.entries(dialect.credentials).find(([, { variable }]) => variable) ?? []
    assert(secret)
    const wrong = Buffer.alloc(32, 'wrong').toString('base64')
    await using forger = await startLoneBank({
      connector,
      credentials: { [secret]: secret === 'railSecret' ? `whsec_${wrong}` : wrong },
      clock: bench.clock,
      notify: bank.notifier.origin,
    })
    const earlier = await bankLedgerKobo(bench)
    const forged = forger.transfer({ accountNumber, amountKobo: naira(99) })
    assert(forged)
    await forger.sendDue()

    assert.equal(forger.notifier.deliveryOf(forged)?.lastHttpStatus, 401)
    assert.equal(await bankLedgerKobo(bench), earlier)
  })
}

test('while the service is down, the bank tries as often as it says, then gives up', async () => {
  await using world = await startWithFakeBank({ connector: 'providus' })
  const { bank, bench } = world
  const { accountNumber } = await createAccount(bench)
  const origin = bank.notifier.origin
  bank.notifyAt(NOBODY)
  const lost = bank.transfer({ accountNumber, amountKobo: naira(1) })
  assert(lost)
  for (let round = 0; round < 10; round++) {
    await bank.sendDue()
    bench.advance(5 * 60_000)
  }
  assert.deepEqual(bank.notifier.deliveryOf(lost), {
    fate: 'normal',
    status: 'given_up',
    attempts: 4,
    lastHttpStatus: null,
  })

  const late = bank.transfer({ accountNumber, amountKobo: naira(2) })
  assert(late)
  await bank.sendDue()
  bank.notifyAt(origin)
  await bank.sendDue()
  assert.equal(bank.notifier.deliveryOf(late)?.attempts, 1, 'not before it is due')
  bench.advance(5 * 60_000)
  await bank.sendDue()
  assert.equal(bank.notifier.deliveryOf(late)?.status, 'acknowledged')
})

test('a lost notification is sent on request, within the requested time', async () => {
  await using world = await startWithFakeBank({ connector: 'manilla' })
  const { bank, bench } = world
  const { accountNumber } = await createAccount(bench)
  const early = bank.transfer({ accountNumber, amountKobo: naira(1) }, 'lost')
  bench.advance(60_000)
  const lost = bank.transfer({ accountNumber, amountKobo: naira(2) }, 'lost')
  const known = bank.transfer({ accountNumber, amountKobo: naira(4) })
  assert(early && lost && known)
  await bank.sendDue()
  bank.notifier.resend(bench.clock(), bench.clock())
  await bank.sendDue()

  const attempts = [early, lost, known].map((each) => bank.notifier.deliveryOf(each)?.attempts)
  assert.deepEqual(attempts, [0, 1, 1])
  assert.equal(await bankLedgerKobo(bench), naira(6))
})

test('delayed and reordered notifications arrive when they are due, each once', async () => {
  await using world = await startWithFakeBank({
    connector: 'manilla',
    faults: { delay: 0.2, delayMs: 60_000, duplicate: 0.2, loss: 0.2, reorder: true },
    batch: 7,
  })
  const { bank, bench } = world
  const { accountNumber } = await createAccount(bench)
  // Simulates two hundred transfers of ten naira to one account.
  const sent = Array.from({ length: 200 }, () => {
    const transfer = bank.transfer({ accountNumber, amountKobo: naira(10) })
    assert(transfer)
    return transfer
  })
  const fates = sent.map((transfer) => bank.notifier.deliveryOf(transfer)?.fate)
  const countOf = (fate: string) => fates.filter((each) => each === fate).length
  for (const fate of ['lost', 'delayed', 'duplicated']) {
    assert(countOf(fate) > 20 && countOf(fate) < 60, `${countOf(fate)} ${fate}`)
  }

  bench.advance(REORDER_WINDOW_MS)
  await bank.sendDue()
  const atOnce = 200 - countOf('lost') - countOf('delayed')
  assert.equal(await bankLedgerKobo(bench), BigInt(atOnce) * 1_000n)
  bench.advance(60_000)
  await bank.sendDue()
  assert.equal(await bankLedgerKobo(bench), BigInt(atOnce + countOf('delayed')) * 1_000n)
  const { rows } = await bench.db.query<{ session: string }>(
    'select session_id as session from credits order by id',
  )
  const arrived = rows.map(({ session }) => session)
  assert.notDeepEqual(arrived, arrived.toSorted(), 'in the order of the transfers')
})

test('the same seed gives the same faults, another seed others', async () => {
  // Returns the fates of 64 notifications of a bank with this seed.
  const fatesOf = async (seed: number) => {
    await using bank = await startLoneBank({ connector: 'manilla', seed, faults: { loss: 0.5 } })
    return Array.from({ length: 64 }, () => {
      const transfer = bank.transfer({ accountNumber: '0000000001', amountKobo: naira(1) })
      return transfer && bank.notifier.deliveryOf(transfer)?.fate
    }).join()
  }
  assert.equal(await fatesOf(7), await fatesOf(7))
  assert.notEqual(await fatesOf(7), await fatesOf(8))
})

test('the simulated bank reports money to this machine only', async () => {
  for (const notify of ['http://bank.example.com', 'https://127.0.0.1', 'ftp://localhost', '']) {
    await assert.rejects(startLoneBank({ connector: 'manilla', notify }), /this machine/, notify)
  }
})
