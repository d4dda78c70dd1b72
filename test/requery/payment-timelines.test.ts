// The timeline of a payment shows each query to its bank: when, why, and what the bank answered. This is the
// same in live mode and in the sandbox.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectBanks } from '#banks/connectors.ts'
import { bankConfigurations } from '#config/bank-settings.ts'
import { OWN_RAIL_SECRET } from '../support/bank-calls.ts'
import { dataOf, MINUTE_MS, startPayment } from '../support/fixtures.ts'
import {
  BANK,
  type RequeryBench,
  requeryRounds,
  startBank,
  startRequeryBench,
} from '../support/requery-bench.ts'
import { addClient, type Bench, startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const SECOND_MS = 1_000

// The entries of a payment's timeline that show queries to the bank.
async function queriesOf(bench: Pick<Bench, 'call'>, reference: string, token?: string) {
  const url = `/api/v1/payments/${reference}/timeline`
  const answer = await bench.call({ url, ...(token ? { token } : {}) })
  const { entries } = dataOf(answer)
  return entries.filter(({ kind }: { kind: string }) => kind === 'requery')
}
const descriptions = async (bench: RequeryBench, reference: string) =>
  (await queriesOf(bench, reference)).map(({ description }: Record<string, string>) => description)

test('a timeline has every query, its reason and the bank’s answer', async () => {
  await using bench = await startRequeryBench()
  const { bankAccount, adviceReference, paymentReference } = await startPayment(bench)
  await bench.call({ method: 'POST', url: `/pay/${adviceReference}/sent`, token: null })

  await bench.ask()
  bench.advance(30 * SECOND_MS)
  bench.bank.state.mood = 'failing'
  await bench.ask()
  bench.advance(MINUTE_MS)
  bench.bank.state.mood = 'well'
  bench.transfer(bankAccount, '6000.00')
  await bench.ask()

  const description = `Bank ${BANK} queried (the payer says they’ve paid)`
  assert.deepEqual(await descriptions(bench, paymentReference), [
    `${description}: nothing new.`,
    `${description}: no answer.`,
    `${description}: money found.`,
  ])
  const [, failed] = await queriesOf(bench, paymentReference)
  assert.deepEqual([failed.detail.answer, failed.detail.error], ['no_answer', 'HTTP 500'])
})

test('a sweep is in the timeline of the payment whose money it found, and of no other', async () => {
  await using bench = await startRequeryBench()
  const paid = await startPayment(bench)
  const other = await startPayment(bench)
  bench.transfer(paid.bankAccount, '6000.00')
  await bench.plan()

  await bench.ask()

  assert.deepEqual(await descriptions(bench, paid.paymentReference), [
    `Bank ${BANK} queried (regular sweep): money found.`,
  ])
  assert.deepEqual(await descriptions(bench, other.paymentReference), [])
})

test('a requery on demand is in the audit log', async () => {
  await using bench = await startRequeryBench()
  const { paymentReference } = await startPayment(bench)
  const url = `/api/v1/payments/${paymentReference}/requery`

  dataOf(await bench.call({ url, body: { sessionId: 'S-1' } }))

  const { rows } = await bench.db.query(
    `select actor, subject, detail from audit_log where action = 'payment.requery'`,
  )
  const subject = `payment/${paymentReference}`
  assert.deepEqual(rows, [{ actor: 'client:MAN0000001', subject, detail: { sessionId: 'S-1' } }])
})

test('in live mode a payment is asked for as in the sandbox', async () => {
  await using bank = await startBank()
  await using bench = await startLive()
  // Live mode accepts only https addresses of banks, and the test's bank has none.
  const [configured] = bankConfigurations({ banks: bench.config.banks, mode: 'sandbox' })
  assert(configured)
  const settings = { baseUrl: bank.url }
  const rounds = requeryRounds(bench, { connections: connectBanks([{ ...configured, settings }]) })
  await addClient(bench.db, bench.clock(), { clientId: 'SHOP' })
  const token = await bench.login('SHOP', 's3cret')
  const { paymentReference, bankAccount } = await pay(bench, token)
  const transactionTime = bench.clock().toISOString()
  const credit = { accountNumber: bankAccount, amount: '6000.00', transactionTime }
  bank.transfers.push({ sessionId: '000013261115090000777777777777', ...credit })

  const url = `/api/v1/payments/${paymentReference}/requery`
  dataOf(await bench.call({ url, body: {}, token }))
  await rounds.ask()
  await rounds.close()

  const [query] = await queriesOf(bench, paymentReference, token)
  assert.deepEqual([query.detail.reason, query.detail.newCredits], ['demand', 1])
})

// Starts a service in live mode with a connected bank.
async function startLive(): Promise<Bench> {
  using folder = createTempFolder()
  const banksFile = join(folder.path, 'banks.json')
  const bank = {
    code: BANK,
    name: 'Wema Bank',
    static: { from: 100_000_000, to: 100_999_999 },
    dynamic: { from: 200_000_000, to: 200_999_999 },
    railSecrets: [OWN_RAIL_SECRET],
    settings: { baseUrl: 'https://bank.example' },
    secrets: { apiKey: 'TEST_BANK_KEY' },
  }
  writeFileSync(banksFile, JSON.stringify([bank]))
  return await startTestService({
    env: {
      MANILLA_MODE: 'live',
      PUBLIC_URL: 'https://pay.example.com',
      MANILLA_BANKS_FILE: banksFile,
      TEST_BANK_KEY: 'test-bank-key',
    },
  })
}

// Starts a payment as the client with this token.
async function pay(bench: Bench, token: string) {
  const { call } = bench
  return startPayment({ ...bench, call: (request) => call({ ...request, token }) })
}
