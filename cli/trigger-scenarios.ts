// Scenarios that cause each type of event in the sandbox, over the API.

import { randomInt } from 'node:crypto'
import type { Context } from './command-context.ts'

const AMOUNT = 6_000
const REFUND = { amount: AMOUNT / 2, reason: 'Trigger' }
const RETURN_URL = 'https://shop.example/thanks' // A reserved example domain.
// The sandbox bank refuses payouts to it (docs/payouts.md).
const CLOSED_ACCOUNT = { bankCode: '058', accountNumber: '9990400013', accountName: 'CLOSED' }

type Terms = { expiresInSeconds?: number; graceSeconds?: number }
type Kind = 'exact' | 'under' | 'over' | 'reversed'

export class Player {
  readonly manilla: Context['manilla']
  readonly stop: { signal: AbortSignal } // Ctrl-C, for every call.

  constructor({ manilla, terminal }: Context) {
    this.manilla = manilla
    this.stop = { signal: terminal.interrupted }
  }

  async payment(terms: Terms = {}): Promise<{ reference: string; number: string }> {
    const { manilla } = this
    const body = {
      ...terms,
      amount: AMOUNT,
      customer: { customerFullName: 'Ada Obi' },
      callBackUrl: RETURN_URL,
    }
    const { adviceReference } = await manilla.advices.create(body, this.stop)
    const [bank] = await manilla.payments.banks(this.stop)
    const where = { bankCode: (bank as { code: string }).code }
    const initiated = await manilla.payments.initiate(adviceReference, where, this.stop)
    return { reference: initiated.paymentReference, number: initiated.bankAccount }
  }

  async paidPayment() {
    const payment = await this.payment()
    await this.transfer(payment.number, 'exact')
    return payment
  }

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
    return (await this.manilla.accounts.create(body, this.stop)).accountNumber
  }

  async inactiveAccount(): Promise<string> {
    const number = await this.account()
    await this.manilla.accounts.deactivate(number, this.stop)
    return number
  }

  pay(number: string, amount = AMOUNT) {
    return this.manilla.sandbox.pay(number, amount, this.stop)
  }

  transfer(accountNumber: string, kind: Kind, amount?: number) {
    const body = { accountNumber, kind, ...(amount === undefined ? {} : { amount }) }
    return this.manilla.sandbox.transfer(body, this.stop)
  }

  failNextPayout() {
    return this.manilla.sandbox.payoutOutcome({ outcome: 'failed', times: 1 }, this.stop)
  }

  // Unexpected money: a second transfer to a paid number.
  async suspended(): Promise<{ id: number }> {
    const { manilla, stop } = this
    const { number } = await this.paidPayment()
    const { sessionId } = await this.pay(number)
    const items = await manilla.request('get', '/api/v1/suspense', stop)
    return items.find((item) => item.sessionId === sessionId) as { id: number }
  }
}

export const SCENARIOS: Readonly<Record<string, (player: Player) => Promise<unknown>>> = {
  'account.created': (player) => player.account(),
  'account.updated': async (player) => {
    const number = await player.account()
    return player.manilla.accounts.update(number, { accountName: 'Ada Bello' }, player.stop)
  },
  'account.deactivated': (player) => player.inactiveAccount(),
  'account.activated': async (player) => {
    const number = await player.inactiveAccount()
    return player.manilla.accounts.activate(number, player.stop)
  },
  'account.erased': async (player) => {
    const params = { accountNumber: await player.inactiveAccount() }
    const path = '/api/v1/accounts/static/{accountNumber}/erase'
    const body = { reason: 'Trigger' }
    return player.manilla.request('post', path, { ...player.stop, params, body })
  },
  'collection.received': async (player) => player.pay(await player.account()),
  'collection.reversed': async (player) =>
    player.transfer(await player.account(), 'reversed', AMOUNT),
  'payment.processing': (player) => player.payment(),
  'payment.part_paid': async (player) => player.transfer((await player.payment()).number, 'under'),
  'payment.extended': async (player) => {
    const { reference } = await player.payment()
    return player.manilla.advices.extend(reference, { seconds: 3_600 }, player.stop)
  },
  'payment.successful': (player) => player.paidPayment(),
  // Uses the shortest possible time, which is a minute.
  'payment.expired': (player) => player.payment({ expiresInSeconds: 60, graceSeconds: 0 }),
  'payment.cancelled': async (player) => {
    const { reference } = await player.payment()
    return player.manilla.payments.cancel(reference, player.stop)
  },
  'payment.reversed': async (player) =>
    player.transfer((await player.payment()).number, 'reversed'),
  'payment.refunded': async (player) => {
    const { reference } = await player.paidPayment()
    return player.manilla.payments.refund(reference, REFUND, player.stop)
  },
  'payment.refund_failed': async (player) => {
    const { reference } = await player.paidPayment()
    await player.failNextPayout()
    return player.manilla.payments.refund(reference, REFUND, player.stop)
  },
  'collection.refunded': async (player) => {
    const { sessionId } = await player.pay(await player.account())
    return player.manilla.credits.refund(sessionId, REFUND, player.stop)
  },
  'collection.refund_failed': async (player) => {
    const { sessionId } = await player.pay(await player.account())
    await player.failNextPayout()
    return player.manilla.credits.refund(sessionId, REFUND, player.stop)
  },
  'credit.suspended': async (player) => player.transfer((await player.payment()).number, 'over'),
  'credit.assigned': async (player) => {
    const params = { id: (await player.suspended()).id }
    const body = { accountNumber: await player.account() }
    const path = '/api/v1/suspense/{id}/assign'
    return player.manilla.request('post', path, { ...player.stop, params, body })
  },
  'credit.returned': returnMoney,
  'credit.return_failed': async (player) => {
    await player.failNextPayout()
    return returnMoney(player)
  },
  'credit.reversed': async (player) =>
    player.transfer(await player.inactiveAccount(), 'reversed', AMOUNT),
  'payout.confirmed': async (player) => {
    await player.paidPayment()
    const body = { amount: AMOUNT / 2, narration: 'Trigger' }
    return player.manilla.request('post', '/api/v1/payouts', { ...player.stop, body })
  },
  'payout.failed': async (player) => {
    await player.paidPayment()
    const bankAccount = await closedAccount(player)
    const body = { amount: AMOUNT / 2, narration: 'Trigger', bankAccount }
    return player.manilla.request('post', '/api/v1/payouts', { ...player.stop, body })
  },
  'settlement.closed': settle,
  'settlement.paid': settle,
  'settlement.failed': async (player) => {
    await player.failNextPayout()
    return settle(player)
  },
}

async function returnMoney(player: Player): Promise<unknown> {
  const params = { id: (await player.suspended()).id }
  const path = '/api/v1/suspense/{id}/return'
  return player.manilla.request('post', path, { ...player.stop, params, body: {} })
}

async function settle(player: Player): Promise<unknown> {
  await player.paidPayment()
  return player.manilla.settlements.close({}, player.stop)
}

async function closedAccount(player: Player): Promise<string> {
  const path = '/api/v1/bank-accounts'
  const accounts = await player.manilla.request('get', path, player.stop)
  const found = accounts.find(({ accountNumber }) => accountNumber === CLOSED_ACCOUNT.accountNumber)
  if (found) return found.reference
  const request = { ...player.stop, body: CLOSED_ACCOUNT }
  return (await player.manilla.request('post', path, request)).reference
}
