// Customers who act concurrently over real HTTP until the service is gone; and a journal of their
// requests and answers. An answer counts when it is 200 and complete.

import { randomUUID } from 'node:crypto'
import { logIn } from './support/child-service.ts'
import { accountBody, adviceBody } from './support/fixtures.ts'

export type Ask = {
  url: string
  body?: unknown
  headers?: Record<string, string>
  isRepeatable?: boolean // Repeating it has no further effect.
  pays?: { to: 'account' | 'payment'; kobo: number }
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect of each.
  answer?: any
}

type Recorded = Record<string, unknown> & { accountNumber: string; accountBalance: number }
type Paying = { paymentReference: string; bankAccount: string }

const DUE = 6000

export class Customer {
  readonly name = `Customer ${randomUUID()}`
  readonly asks: Ask[] = []
  account: (Recorded & { updatedAt: string }) | undefined
  payment: Paying | undefined

  // Returns the acknowledged payments, and those plus the ones in flight at the end.
  paidIn(to: 'account' | 'payment'): readonly [number, number] {
    const payments = this.asks.filter((ask) => ask.pays?.to === to)
    const sum = (asks: Ask[]) => asks.reduce((kobo, ask) => kobo + (ask.pays?.kobo ?? 0), 0)
    return [sum(payments.filter((ask) => ask.answer)), sum(payments)]
  }
}

export type Journal = Awaited<ReturnType<typeof driveJourneys>>

export async function driveJourneys(
  url: string,
  count: number,
  onAnswer: (answers: number) => void,
) {
  const token = await logIn(url)
  const customers: Customer[] = []
  let answers = 0

  async function send(at: string, { url: path, body, headers }: Ask) {
    const response = await fetch(`${at}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${path} was answered ${response.status} ${text}`)
    return JSON.parse(text)
  }

  // One request after another; ends at the first without an answer.
  async function live(customer: Customer): Promise<void> {
    const ask = async (request: Ask) => {
      customer.asks.push(request)
      request.answer = await send(url, request)
      onAnswer(++answers)
      return request.answer
    }
    const key = { 'idempotency-key': randomUUID() }
    const fields = accountBody({ accountName: customer.name })
    const once = { headers: key, isRepeatable: true }
    customer.account = (await ask({ url: '/api/v1/accounts/static', body: fields, ...once })).data
    const number = customer.account?.accountNumber as string
    await ask(pay(number, 'account', 1000))
    const order = adviceBody({ amount: DUE, customer: { customerFullName: customer.name } })
    const again = { headers: { 'idempotency-key': randomUUID() }, isRepeatable: true }
    const advice = await ask({ url: '/Payment/advice', body: order, ...again })
    const start = `/Payment/process/banktransfer/${advice.responseData.adviceReference}`
    const body = { bankCode: '035' }
    customer.payment = (await ask({ url: start, body, isRepeatable: true })).responseData
    const leased = customer.payment?.bankAccount as string
    for (const kobo of [200_000, 300_000, 100_000, 50_000]) {
      await ask(pay(leased, 'payment', kobo))
      await ask(pay(number, 'account', kobo))
    }
  }

  async function comeAndGo(): Promise<void> {
    for (;;) {
      const customer = new Customer()
      customers.push(customer)
      await live(customer)
    }
  }
  await Promise.allSettled(Array.from({ length: count }, comeAndGo))
  return { customers, asker: (at: string) => (request: Ask) => send(at, request) }
}

export function naira(amount: number): number {
  return Math.round(amount * 100)
}

function pay(number: string, to: 'account' | 'payment', kobo: number): Ask {
  const amount = (kobo / 100).toFixed(2)
  return {
    url: '/Payment/process/banktransfer/simulate/payment',
    body: { virtualAccountNumber: number, amount },
    pays: { to, kobo },
  }
}
