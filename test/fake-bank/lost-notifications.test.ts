// The purpose of the simulated bank: of 10,000 notifications a tenth is lost, a tenth delayed, a tenth sent
// twice, and all remaining ones are reordered. Still every kobo is booked once, within five minutes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kobo } from '#money.ts'
import type { Transfer } from '../../fake-bank/bank.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { bankLedgerKobo, naira, startWithFakeBank } from '../support/fake-bank.ts'
import { createAccount } from '../support/fixtures.ts'
import { seededRandom } from '../support/random.ts'
import { BANK, requeryRounds } from '../support/requery-bench.ts'

const TRANSFERS = 10_000
const ACCOUNTS = 20
const SECOND_MS = 1_000
const SENDING_SECONDS = 60
const FIVE_MINUTES_S = 300
// The transfers begin just after a sweep (a query for all transfers of a period), so the first wait longest
// for the next.
const AFTER_SWEEP_MS = SECOND_MS

const FAULTS = { loss: 0.1, delay: 0.1, delayMs: 120_000, duplicate: 0.1, reorder: true }

test('with notifications lost, late, repeated and reordered, every kobo is booked once', async () => {
  await using world = await startWithFakeBank({
    connector: 'manilla',
    bankCode: BANK,
    faults: FAULTS,
    fees: { flatKobo: naira(10), basisPoints: 25n },
    batch: 50,
  })
  const { bank, bench } = world
  const random = seededRandom(13)
  const accounts: string[] = []
  while (accounts.length < ACCOUNTS) accounts.push((await createAccount(bench)).accountNumber)
  const requery = requeryRounds(bench)
  const sent: Transfer[] = []

  bench.advance(AFTER_SWEEP_MS)
  for (let second = 0; second <= FIVE_MINUTES_S + SENDING_SECONDS; second++) {
    const until = Math.min(TRANSFERS, Math.ceil((TRANSFERS * (second + 1)) / SENDING_SECONDS))
    while (sent.length < until) {
      const amountKobo = kobo(BigInt(random.integer(10_000, 5_000_000)))
      const transfer = bank.transfer({ accountNumber: random.pick(accounts), amountKobo })
      assert(transfer)
      sent.push(transfer)
    }
    await bank.sendDue()
    await requery.plan()
    await requery.ask()
    bench.advance(SECOND_MS)
  }
  await requery.close()

  const fates = sent.map((transfer) => bank.notifier.deliveryOf(transfer)?.fate)
  for (const fate of ['lost', 'delayed', 'duplicated']) {
    const share = fates.filter((each) => each === fate).length / TRANSFERS
    assert(share > 0.09 && share < 0.11, `${share} ${fate}`)
  }
  const { rows } = await bench.db.query<{ session: string; outcome: string; seconds: number }>(
    `select session_id as session, outcome,
            extract(epoch from received_at - transacted_at)::float8 as seconds
       from credits`,
  )
  assert.deepEqual(
    rows.map(({ session }) => session).sort(),
    sent.map(({ sessionId }) => sessionId).sort(),
  )
  assert(rows.every(({ outcome }) => outcome === 'booked'))
  const slowest = Math.max(...rows.map(({ seconds }) => seconds))
  assert(slowest <= FIVE_MINUTES_S, `booked after ${slowest} s`)
  assert.equal(await bankLedgerKobo(bench), bank.bank.statement().closingKobo)
  await assertCleanBooks(bench)
})
