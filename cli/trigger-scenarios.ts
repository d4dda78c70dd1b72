// For `manilla trigger`: the calls to the API that cause each type of event in the sandbox.

import { randomInt } from 'node:crypto'
import type { Context } from './command-context.ts'

const AMOUNT = 6_000
const REFUND = { amount: AMOUNT / 2, reason: 'Trigger' }
const RETURN_URL = 'https://shop.example/thanks' // A reserved example domain.
// The sandbox bank refuses payouts to this account (docs/payouts.md).
const CLOSED_ACCOUNT = { bankCode: '058', accountNumber: '9990400013', accountName: 'CLOSED' }

type Terms = { expiresInSeconds?: number; graceSeconds?: number }
type Kind = 'exact' | 'under' | 'over' | 'reversed'

// Steps that several scenarios share.
export class Player {
  readonly manilla: Context['manilla']
  readonly withSignal: { signal: AbortSignal } // The option that lets Ctrl-C abort every call.

  constructor({ manilla, terminal }: Context) {
    this.manilla = manilla
    this.withSignal = { signal: terminal.interrupted }
  }

  // Requests a payment at the first bank that issues numbers.
  async payment(terms: Terms = {}): Promise<{ reference: string; number: string }> {
    const { manilla } = this
    const body = {
      ...terms,
      amount: AMOUNT,
      customer: { customerFullName: 'Ada Obi' },
      callBackUrl: RETURN_URL,
    }
    const { adviceReference } = await manilla.advices.create(body, this.withSignal)
    const [bank] = await manilla.payments.banks(this.withSignal)
    const where = { bankCode: (bank as { code: string }).code }
    const initiated = await manilla.payments.initiate(adviceReference, where, this.withSignal)
    return { reference: initiated.paymentReference, number: initiated.bankAccount }
  }

  async paidPayment() {
    const payment = await this.payment()
    await this.transfer(payment.number, 'exact')
    return payment
  }

  // Creates a collection account for an invented customer.
  async account(): Promise<string> {
    const body = {
      accountName: 'Ada Obi',
      bvn: '22212345654',
      email: 'ada@shop.example',
      merchantId: `trigger-${randomInt(1_000_000_000)}`,
      merchantCode: 'TRIGGER',
      notificationUrl: 'https://shop.example/hooks',
      phoneNumber: '+2348012345678',
      channel: 'API',
    }
    return (await this.manilla.accounts.create(body, this.withSignal)).accountNumber
  }

  async inactiveAccount(): Promise<string> {
    const number = await this.account()
    await this.manilla.accounts.deactivate(number, this.withSignal)
    return number
  }

  pay(number: string, amount = AMOUNT) {
    return this.manilla.sandbox.pay(number, amount, this.withSignal)
  }

  transfer(accountNumber: string, kind: Kind, amount?: number) {
    const body = { accountNumber, kind, ...(amount === undefined ? {} : { amount }) }
    return this.manilla.sandbox.transfer(body, this.withSignal)
  }

  failNextPayout() {
    return this.manilla.sandbox.payoutOutcome({ outcome: 'failed', times: 1 }, this.withSignal)
  }

  // Creates a suspense item: a second transfer to the number of a payment that is already paid.
  async suspended(): Promise<{ id: number }> {
    const { manilla, withSignal } = this
    const { number } = await this.paidPayment()
    const { sessionId } = await this.pay(number)
    const items = await manilla.request('get', '/api/v1/suspense', withSignal)
    return items.find((item) => item.sessionId === sessionId) as { id: number }
  }
}

export const SCENARIOS: Readonly<Record<string, (player: Player) => Promise<unknown>>> = {
  'account.created': (player) => player.account(),
  'account.updated': async (player) => {
    const number = await player.account()
    return player.manilla.accounts.update(number, { accountName: 'Ada Bello' }, player.withSignal)
  },
  'account.deactivated': (player) => player.inactiveAccount(),
  'account.activated': async (player) => {
    const number = await player.inactiveAccount()
    return player.manilla.accounts.activate(number, player.withSignal)
  },
  'account.erased': async (player) => {
    const params = { accountNumber: await player.inactiveAccount() }
    const path = '/api/v1/accounts/static/{accountNumber}/erase'
    const body = { reason: 'Trigger' }
    return player.manilla.request('post', path, { ...player.withSignal, params, body })
  },
  'collection.received': async (player) => player.pay(await player.account()),
  'collection.reversed': async (player) =>
    player.transfer(await player.account(), 'reversed', AMOUNT),
  'payment.processing': (player) => player.payment(),
  'payment.part_paid': async (player) => player.transfer((await player.payment()).number, 'under'),
  'payment.extended': async (player) => {
    const { reference } = await player.payment()
    return player.manilla.advices.extend(reference, { seconds: 3_600 }, player.withSignal)
  },
  'payment.successful': (player) => player.paidPayment(),
  // Uses the shortest possible time, which is a minute.
  'payment.expired': (player) => player.payment({ expiresInSeconds: 60, graceSeconds: 0 }),
  'payment.cancelled': async (player) => {
    const { reference } = await player.payment()
    return player.manilla.payments.cancel(reference, player.withSignal)
  },
  'payment.reversed': async (player) =>
    player.transfer((await player.payment()).number, 'reversed'),
  'payment.refunded': async (player) => {
    const { reference } = await player.paidPayment()
    return player.manilla.payments.refund(reference, REFUND, player.withSignal)
  },
  'payment.refund_failed': async (player) => {
    const { reference } = await player.paidPayment()
    await player.failNextPayout()
    return player.manilla.payments.refund(reference, REFUND, player.withSignal)
  },
  'collection.refunded': async (player) => {
    const { sessionId } = await player.pay(await player.account())
    return player.manilla.credits.refund(sessionId, REFUND, player.withSignal)
  },
  'collection.refund_failed': async (player) => {
    const { sessionId } = await player.pay(await player.account())
    await player.failNextPayout()
    return player.manilla.credits.refund(sessionId, REFUND, player.withSignal)
  },
  'credit.suspended': async (player) => player.transfer((await player.payment()).number, 'over'),
  'credit.assigned': async (player) => {
    const params = { id: (await player.suspended()).id }
    const body = { accountNumber: await player.account() }
    const path = '/api/v1/suspense/{id}/assign'
    return player.manilla.request('post', path, { ...player.withSignal, params, body })
  },
  'credit.returned': returnSuspendedMoney,
  'credit.return_failed': async (player) => {
    await player.failNextPayout()
    return returnSuspendedMoney(player)
  },
  'credit.reversed': async (player) =>
    player.transfer(await player.inactiveAccount(), 'reversed', AMOUNT),
  'payout.confirmed': async (player) => {
    await player.paidPayment()
    const body = { amount: AMOUNT / 2, narration: 'Trigger' }
    return player.manilla.request('post', '/api/v1/payouts', { ...player.withSignal, body })
  },
  'payout.failed': async (player) => {
    await player.paidPayment()
    const bankAccount = await findClosedAccount(player)
    const body = { amount: AMOUNT / 2, narration: 'Trigger', bankAccount }
    return player.manilla.request('post', '/api/v1/payouts', { ...player.withSignal, body })
  },
  'settlement.closed': closeSettlement,
  'settlement.paid': closeSettlement,
  'settlement.failed': async (player) => {
    await player.failNextPayout()
    return closeSettlement(player)
  },
}

// Makes money arrive that cannot be booked, and returns it to its payer, for the events about returns.
async function returnSuspendedMoney(player: Player): Promise<unknown> {
  const params = { id: (await player.suspended()).id }
  const path = '/api/v1/suspense/{id}/return'
  return player.manilla.request('post', path, { ...player.withSignal, params, body: {} })
}

// Makes a payment and closes a settlement with its money, for the events about settlements.
async function closeSettlement(player: Player): Promise<unknown> {
  await player.paidPayment()
  return player.manilla.settlements.close({}, player.withSignal)
}

// Returns the reference of the client's bank account that the sandbox bank refuses to pay, for the scenario
// of payout.failed. Adds the account if it is missing.
async function findClosedAccount(player: Player): Promise<string> {
  const path = '/api/v1/bank-accounts'
  const accounts = await player.manilla.request('get', path, player.withSignal)
  const existing = accounts.find(
    ({ accountNumber }) => accountNumber === CLOSED_ACCOUNT.accountNumber,
  )
  if (existing) return existing.reference
  const request = { ...player.withSignal, body: CLOSED_ACCOUNT }
  return (await player.manilla.request('post', path, request)).reference
}
