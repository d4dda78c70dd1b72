// The cost of a payout: the client pays the operator a fee with VAT, and the operator pays the bank by its
// tariff.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { kobo } from '#money.ts'
import { computePayoutCost, type Tariff } from '#payouts/tariffs.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import {
  addBankAccount,
  createPayout,
  fund,
  ledger,
  OPERATOR_PAYOUTS,
  PAYOUTS,
  payoutBody,
  payoutRounds,
  SANDBOX_PREFIXES,
} from '../support/payouts.ts'
import { startTestService } from '../support/running-service.ts'
import { untilWaiting } from '../support/waiting-locks.ts'

const TARIFFS = '/api/v1/operator/payout-tariffs'
const NIP: Tariff = {
  bandLimitsKobo: [500_000n, 5_000_000n],
  bandFeesKobo: [1_000n, 2_500n, 5_000n],
  vatBps: 750,
  dutyKobo: kobo(5_000n),
  dutyFromKobo: kobo(1_000_000n),
}

test('the NIP tariff: ₦10 up to 5,000, ₦25 up to 50,000, ₦50 above, VAT and stamp duty', () => {
  for (const [naira, cost, vat] of [
    ['0.01', 1_000n, 75n],
    ['5000', 1_000n, 75n],
    ['5000.01', 2_500n, 188n],
    ['9999.99', 2_500n, 188n],
    ['10000', 7_500n, 188n],
    ['50000', 7_500n, 188n],
    ['50000.01', 10_000n, 375n],
  ] as const) {
    const amountKobo = kobo(BigInt(Math.round(Number(naira) * 100)))
    const { costKobo, costVatKobo } = computePayoutCost(NIP, amountKobo)
    assert.deepEqual([costKobo, costVatKobo], [cost, vat], naira)
  }
})

test('fee and VAT leave with the payout, on top of it', async () => {
  await using bench = await startTestService()
  await using rounds = await payoutRounds(bench)
  await fund(bench, '600')
  await fund(bench, '600')
  await createFeeRule(bench, { basis: 'payout', flat: 50, bps: 0, cap: null })

  const short = await bench.call({ url: PAYOUTS, body: payoutBody({ amount: 1146.26 }) })
  assert.equal(short.json().code, 'insufficient_balance')
  const made = await createPayout(bench, { amount: 1146.25 })
  await rounds.send()

  assert.deepEqual([made.fee, made.vat], [50, 3.75])
  assert.deepEqual(await ledger(bench), {
    'bank bank:035': -120_000 + 114_625 + 1_000 + 75,
    'bank_cost bank:035': -1_000,
    'fee_income operator:1': 5_000,
    'input_vat bank:035': -75,
    'vat_payable operator:1': 375,
  })
  await assertCleanBooks(bench)
})

test('a fee on a small payout may exceed it', async () => {
  await using bench = await startTestService()
  await fund(bench, '60')
  await createFeeRule(bench, { basis: 'payout', flat: 50, bps: 0, cap: null })

  assert.deepEqual((await createPayout(bench, { amount: 1 })).fee, 50)
})

for (const how of ['fails', 'is cancelled'] as const) {
  test(`a payout that ${how} gives back fee and VAT`, async () => {
    await using bench = await startTestService()
    await using rounds = await payoutRounds(bench)
    await fund(bench, '1000')
    await createFeeRule(bench, { basis: 'payout', flat: 50, bps: 0, cap: null })
    const { reference: bankAccount } = await addBankAccount(bench, {
      prefix: SANDBOX_PREFIXES.refusesPayouts,
    })
    const { reference } = await createPayout(bench, { amount: 100, bankAccount })

    if (how === 'fails') await rounds.send()
    else await bench.call({ method: 'POST', url: `${PAYOUTS}/${reference}/cancel`, body: {} })

    assert.deepEqual(await ledger(bench), {
      'available client:1': 10_000 + 5_375,
      'bank bank:035': -100_000,
      collection: 100_000 - 15_375,
    })
    await assertCleanBooks(bench)
  })
}

test('a bank’s own tariff counts from the day it begins', async () => {
  await using bench = await startTestService()
  await using rounds = await payoutRounds(bench)
  await fund(bench, '1000')
  const effectiveFrom = new Date(bench.clock().getTime() + 60_000).toISOString()
  const body = { bankCode: '035', bands: [{ upTo: null, fee: 7 }], vatBps: 1_000, effectiveFrom }
  const made = await bench.call({ url: TARIFFS, body })
  assert.equal(made.statusCode, 200, made.body)
  // Sends a payout of 10.00; returns its bank, and the bank's charge and VAT.
  const costs = async () => {
    const { reference } = await createPayout(bench, { amount: 10 })
    await rounds.send()
    const { data } = (await bench.call({ url: `${OPERATOR_PAYOUTS}/${reference}` })).json()
    return [data.bankCode, data.bankCost, data.bankCostVat]
  }

  assert.deepEqual(await costs(), ['035', 10, 0.75])
  bench.advance(60_000)
  assert.deepEqual(await costs(), ['035', 7, 0.7])

  const past = { ...body, effectiveFrom: '2026-11-14' }
  assert.equal((await bench.call({ url: TARIFFS, body: past })).json().code, 'invalid_request')
  const again = { ...body, effectiveFrom: undefined }
  assert.equal((await bench.call({ url: TARIFFS, body: again })).json().code, 'tariff_overlaps')
  for (const bands of [
    [],
    [{ upTo: 5, fee: 1 }],
    [
      { upTo: null, fee: 1 },
      { upTo: null, fee: 2 },
    ],
    [
      { upTo: 9, fee: 1 },
      { upTo: 5, fee: 2 },
      { upTo: null, fee: 3 },
    ],
    [{ upTo: null, fee: -1 }],
  ]) {
    const answer = await bench.call({ url: TARIFFS, body: { bands } })
    assert.equal(answer.json().code, 'invalid_request', JSON.stringify(bands))
  }
  await assertCleanBooks(bench)
})

test('a tariff is withdrawn until a minute before it begins, and the one before it goes on', async () => {
  await using bench = await startTestService()
  await using rounds = await payoutRounds(bench)
  await fund(bench, '1000')
  const at = (ms: number) => new Date(bench.clock().getTime() + ms).toISOString()
  // Creates a tariff of bank 035; returns its id.
  const create = async (fee: number, effectiveFrom: string) => {
    const body = { bankCode: '035', bands: [{ upTo: null, fee }], effectiveFrom }
    return (await bench.call({ url: TARIFFS, body })).json().data.id
  }
  // Withdraws a tariff; returns the response's data or the code of the refusal.
  const withdraw = async (id: number | string, token?: string) => {
    const call = { method: 'DELETE' as const, url: `${TARIFFS}/${id}` }
    const answer = await bench.call({ ...call, ...(token ? { token } : {}) })
    return answer.statusCode === 200 ? answer.json().data : answer.json().code
  }
  const right = await create(7, at(120_000))
  const wrong = await create(900, at(180_000))

  assert.equal(await withdraw(wrong, await bench.newClient('SHOP')), 'scope_missing')
  assert.deepEqual(await withdraw(wrong), { id: wrong })
  for (const none of [wrong, 1, 'x', '0x1']) assert.equal(await withdraw(none), 'tariff_not_found')
  bench.advance(60_000)
  assert.equal(await withdraw(right), 'tariff_in_force')
  bench.advance(180_000)
  assert.equal(await withdraw(right), 'tariff_in_force')

  const { reference } = await createPayout(bench, { amount: 10 })
  await rounds.send()
  const { data } = (await bench.call({ url: `${OPERATOR_PAYOUTS}/${reference}` })).json()
  assert.equal(data.bankCost, 7)
  const { rows } = await bench.db.query(
    `select actor, subject from audit_log where action = 'payout_tariff.withdraw'`,
  )
  assert.deepEqual(rows, [{ actor: 'client:MAN0000001', subject: 'bank/035' }])
  const dropping = bench.db.query(`delete from payout_tariffs where bank_code = '035'`)
  await assert.rejects(dropping, /only be withdrawn/)
  const late = `update payout_tariffs set withdrawn_at = effective_from where bank_code = '035'`
  await assert.rejects(bench.db.query(late), /payout_tariffs_withdrawn_before_they_begin/)
  await assertCleanBooks(bench)
})

test('a withdrawal that waits while the tariff takes effect is refused', async () => {
  await using bench = await startTestService()
  const effectiveFrom = new Date(bench.clock().getTime() + 3_600_000).toISOString()
  const body = { bands: [{ upTo: null, fee: 7 }], effectiveFrom }
  const { id } = (await bench.call({ url: TARIFFS, body })).json().data

  const { withdrawing } = await withTransaction(bench.db, async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtext('payout_tariffs'))`)
    const withdrawing = bench.call({ method: 'DELETE', url: `${TARIFFS}/${id}` })
    await untilWaiting(bench.db, 1)
    bench.advance(3_600_000)
    return { withdrawing }
  })

  assert.equal((await withdrawing).json().code, 'tariff_in_force')
})
