// The simulated bank's payouts, with each of its behaviours, as the connector reads them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { CallOptions, PayoutAnswer, PayoutInstruction } from '#banks/connector.ts'
import { callsOf, connectorsThat, control, naira, startLoneBank } from '../support/fake-bank.ts'
import { START } from '../support/running-service.ts'

// Returns a valid payout order with these changes.
function payout(changes: Partial<PayoutInstruction> = {}): PayoutInstruction {
  return {
    reference: 'PO-1',
    amountKobo: naira(400),
    currency: 'NGN',
    to: { bankCode: '058', accountNumber: '0123456789', accountName: 'Ngozi Okafor' },
    narration: 'Settlement',
    ...changes,
  }
}

const PAYING = await connectorsThat('sendMoney')

// Starts a bank with this payout behaviour, and returns functions that send and query payouts through its
// connector.
async function startPaying(connector: string, behaviour: string) {
  let nowMs = START.getTime()
  const bank = await startLoneBank({
    connector,
    openingKobo: naira(1000),
    clock: () => new Date(nowMs),
  })
  const { sendMoney, findPayout } = callsOf(bank)
  assert(sendMoney && findPayout)
  const behave = (to: string) => control(bank, 'payout-behaviour', { behaviour: to })
  assert.equal((await behave(behaviour)).status, 200)
  return {
    bank,
    behave,
    // Sends a payout. If the bank's answer says only that it accepted the order, queries the payout.
    send: async (changes?: Partial<PayoutInstruction>, options: CallOptions = {}) => {
      const order = payout(changes)
      const answer = await sendMoney(order, options)
      const isTaken = answer.status === 'unknown' && answer.isAccepted
      return isTaken ? await findPayout(order.reference, options) : answer
    },
    find: (options: CallOptions = {}) => findPayout('PO-1', options),
    advance: (ms: number) => {
      nowMs += ms
    },
    balance: () => bank.bank.statement().closingKobo,
    [Symbol.asyncDispose]: bank[Symbol.asyncDispose],
  }
}

for (const connector of PAYING) {
  test(`${connector}: confirm: the money leaves, once for a reference`, async () => {
    await using world = await startPaying(connector, 'confirm')
    const first = await world.send()
    assert.equal(first.status, 'confirmed')
    assert.deepEqual(await world.send(), first)
    assert.deepEqual(await world.find(), first)
    assert.equal(world.balance(), naira(600))
    assert.equal((await control(world.bank, 'payouts')).body.length, 1)
  })

  test(`${connector}: a known reference with other terms neither pays nor fails the first`, async () => {
    await using world = await startPaying(connector, 'confirm')
    const first = await world.send()
    const other = await world.send({ amountKobo: naira(1) })
    assert.equal(other.status, 'unknown')
    assert.deepEqual(await world.find(), first)
    assert.equal(world.balance(), naira(600))
  })

  test(`${connector}: reject: it fails for good, with the reason, and no money leaves`, async () => {
    await using world = await startPaying(connector, 'reject')
    const reason = 'The beneficiary bank is not available'
    assert.deepEqual(await world.send(), { status: 'failed', reason })
    await world.behave('confirm')
    assert.deepEqual(await world.send(), { status: 'failed', reason })
    assert.deepEqual(await world.find(), { status: 'failed', reason })
    assert.equal(world.balance(), naira(1000))
  })

  test(`${connector}: delay: it is unknown until it is paid`, async () => {
    await using world = await startPaying(connector, 'delay')
    assert.equal((await world.send()).status, 'unknown')
    world.advance(59_999)
    assert.equal((await world.find()).status, 'unknown')
    assert.equal(world.balance(), naira(1000))
    world.advance(1)
    assert.equal((await world.find()).status, 'confirmed')
    assert.equal(world.balance(), naira(600))
  })

  test(`${connector}: delay: the control API brings it forward`, async () => {
    await using world = await startPaying(connector, 'delay')
    await world.send()
    await control(world.bank, 'clock', { advanceMs: 60_000 })
    assert.equal((await world.find()).status, 'confirmed')
  })

  test(`${connector}: silent: nothing is answered and nothing is paid`, async () => {
    await using world = await startPaying(connector, 'silent')
    const { payouts } = world.bank.bank
    // Gives up as soon as the bank has received the call, because the bank will not answer.
    const giveUp = async (call: (options: CallOptions) => Promise<PayoutAnswer>) => {
      const controller = new AbortController()
      const before = payouts.unanswered + 1
      const answer = call({ signal: controller.signal })
      while (payouts.unanswered < before) await setImmediate()
      controller.abort()
      return (await answer).status
    }
    assert.equal(await giveUp((options) => world.send({}, options)), 'unknown')
    assert.equal(await giveUp(world.find), 'unknown')
    await world.behave('confirm')
    assert.deepEqual(await world.find(), { status: 'not_found' })
    assert.equal(world.balance(), naira(1000))
  })

  test(`${connector}: drop_answer: it is paid, though the sender hears nothing, and paid once`, async () => {
    await using world = await startPaying(connector, 'drop_answer')
    assert.equal((await world.send()).status, 'unknown')
    assert.equal((await world.send()).status, 'unknown')
    assert.equal((await world.find()).status, 'confirmed')
    assert.equal(world.balance(), naira(600))
  })

  test(`${connector}: what the balance does not cover is refused, pending payouts included`, async () => {
    await using world = await startPaying(connector, 'delay')
    await world.send({ amountKobo: naira(700) })
    const answer = await world.send({ reference: 'PO-2', amountKobo: naira(301) })
    assert.deepEqual(answer, { status: 'failed', reason: 'Insufficient funds' })
    assert.equal(
      (await world.send({ reference: 'PO-3', amountKobo: naira(300) })).status,
      'unknown',
    )
  })

  test(`${connector}: a behaviour that it does not have is refused`, async () => {
    await using world = await startPaying(connector, 'confirm')
    assert.equal((await world.behave('vanish')).status, 400)
  })
}
