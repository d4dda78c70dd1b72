// Choosing a bank: health counts first, then room, then cost; the decision gives a reason for each bank that
// was passed over.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Candidate, describeDecision, rankBanks } from '#routing/decision.ts'

const healthy = (bankCode: string, more: Partial<Candidate> = {}): Candidate => ({
  bankCode,
  share: 1,
  avoidedFor: null,
  isTrial: false,
  room: 'enough',
  amountLeft: 100n,
  costKobo: 0n,
  ...more,
})
const left = { share: 0, avoidedFor: 'failing' } as const
const rank = (candidates: Candidate[], draw = 0.5) => rankBanks(candidates, draw)

test('the first bank of the settings is chosen among equals', () => {
  assert.deepEqual(rank([healthy('035'), healthy('058')]), {
    bankCode: '035',
    why: 'order',
    over: [],
    others: 1,
  })
})

test('the cheaper is chosen, and among equally cheap the one with most room', () => {
  const banks = [
    healthy('035', { costKobo: 2n, amountLeft: 999n }),
    healthy('058', { costKobo: 1n, amountLeft: 5n }),
    healthy('101', { costKobo: 1n, amountLeft: 6n }),
  ]
  assert.deepEqual([rank(banks).bankCode, rank(banks).why], ['101', 'most_room'])
  assert.deepEqual([rank(banks.slice(0, 2)).bankCode, rank(banks.slice(0, 2)).why], ['058', 'cost'])
})

test('a bank with little room gives way to a costlier one; a bank without any is never chosen', () => {
  const banks = [
    healthy('035', { room: 'little' }),
    healthy('058', { costKobo: 9n }),
    healthy('101', { room: 'none' }),
  ]
  const { bankCode, why, over } = rank(banks)
  assert.deepEqual([bankCode, why], ['058', 'room'])
  assert.deepEqual(over, [
    { bank: '035', reason: 'little_room' },
    { bank: '101', reason: 'empty' },
  ])
  assert.equal(rank([healthy('101', { room: 'none' })]).bankCode, null)
})

test('while no bank is in use, the best one that has room is chosen', () => {
  const banks = [
    healthy('035', left),
    healthy('058', { ...left, amountLeft: 200n }),
    healthy('101', { ...left, amountLeft: 300n, room: 'none' }),
  ]
  assert.deepEqual([rank(banks).bankCode, rank(banks).why], ['058', 'last_resort'])
  const only = rank([healthy('035', left)])
  assert.deepEqual([only.bankCode, only.why], ['035', 'last_resort'])
})

test('a bank that returns takes its share, and all where there is no other', () => {
  const banks = [healthy('035', { share: 0.1, amountLeft: 500n }), healthy('058')]
  assert.equal(rank(banks, 0.05).bankCode, '035')
  const { bankCode, over } = rank(banks, 0.5)
  assert.deepEqual([bankCode, over], ['058', [{ bank: '035', reason: 'returning' }]])
  assert.equal(rank([healthy('035', { share: 0.1 })], 0.9).bankCode, '035')
})

test('a trial that is due comes first', () => {
  const { bankCode, why } = rank([healthy('035'), healthy('058', { ...left, isTrial: true })])
  assert.deepEqual([bankCode, why], ['058', 'trial'])
})

test('the decision is explained in a sentence, with the names of the banks', () => {
  const decision = rank([healthy('035', left), healthy('058'), healthy('101')])
  const nameBank = (code: string) => `Bank ${code}`
  assert.equal(
    describeDecision(decision, { kind: 'payment', nameBank }),
    'The bank was chosen because it is the first of equals. ' +
      'Passed over: Bank 035 (its calls fail), 1 other that rank lower.',
  )
})

const candidates = fc
  .array(
    fc.record({
      health: fc.constantFrom('used', 'returning', 'failing', 'silent', 'trial'),
      room: fc.constantFrom('enough', 'little', 'none'),
      amountLeft: fc.bigInt({ min: -1_000n, max: 1_000n }),
      costKobo: fc.bigInt({ min: 0n, max: 5n }),
      share: fc.double({ min: 0.1, max: 0.99, noNaN: true }),
    }),
    { maxLength: 12 },
  )
  .map((all) =>
    all.map(({ health, share, ...rest }, at): Candidate => {
      const isLeft = health !== 'used' && health !== 'returning'
      return {
        ...rest,
        bankCode: String(100 + at),
        share: isLeft ? 0 : health === 'used' ? 1 : share,
        avoidedFor: isLeft ? (health === 'failing' ? 'failing' : 'silent') : null,
        isTrial: health === 'trial',
      }
    }),
  )
const draws = fc.double({ min: 0, max: 0.999, noNaN: true })

test('a bank that is left or empty is never chosen while another can be used', () => {
  fc.assert(
    fc.property(candidates, draws, (all, draw) => {
      const decision = rankBanks(all, draw)
      const chosen = all.find(({ bankCode }) => bankCode === decision.bankCode)
      const usable = all.filter(({ share, room }) => share > 0 && room !== 'none')
      if (decision.why === 'trial') assert(chosen?.isTrial && chosen.room !== 'none')
      else if (usable.length > 0) assert(chosen && usable.includes(chosen))
      else assert.equal(chosen === undefined, !all.some(({ room }) => room !== 'none'))
      assert(chosen?.room !== 'none')
      // No other usable bank is better in both room and cost.
      if (chosen && decision.why !== 'trial' && chosen.share > draw) {
        const better = usable.filter(
          ({ share, room, costKobo }) =>
            share > draw &&
            (chosen.room === 'little' && room === 'enough'
              ? true
              : room === chosen.room && costKobo < chosen.costKobo),
        )
        assert.deepEqual(better, [])
      }
    }),
  )
})

test('every bank but the chosen one is passed over, once', () => {
  fc.assert(
    fc.property(candidates, draws, (all, draw) => {
      const { bankCode, over, others } = rankBanks(all, draw)
      const named = over.map(({ bank }) => bank)
      assert.equal(new Set(named).size, named.length)
      assert(bankCode === null || !named.includes(bankCode))
      assert.equal(named.length + others + (bankCode === null ? 0 : 1), all.length)
    }),
  )
})
