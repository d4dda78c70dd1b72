// Drives customers that act concurrently over real HTTP until the service is killed, and keeps a journal of
// their requests and answers. An answer counts as acknowledged when it is 200 and complete.

import { randomUUID } from 'node:crypto'
import { logIn } from './support/child-service.ts'
import { accountBody, adviceBody } from './support/fixtures.ts'

// A request of a customer, with its answer once there is one.
export type JournalEntry = {
  url: string
  body?: unknown
  headers?: Record<string, string>
  isRepeatable?: boolean // Repeating it has no further effect.
  pays?: { to: 'account' | 'payment'; kobo: number } // Only if the request simulates a transfer.
  // biome-ignore lint/suspicious/noExplicitAny: each endpoint answers with another shape.
  answer?: any // Undefined if the service was killed before it answered.
}

type Recorded = Record<string, unknown> & { accountNumber: string; accountBalance: number }
type Paying = { paymentReference: string; bankAccount: string }

const DUE = 6000

export class Customer {
  readonly name = `Customer ${randomUUID()}`
  readonly entries: JournalEntry[] = []
  account: (Recorded & { updatedAt: string }) | undefined
  payment: Paying | undefined

  // Returns two sums in kobo: the acknowledged transfers, and all transfers including those in flight when
  // the service was killed. The amount that the service has stored must lie between the two sums.
  paidIn(to: 'account' | 'payment'): readonly [number, number] {
    const payments = this.entries.filter((entry) => entry.pays?.to === to)
    const sum = (entries: JournalEntry[]) =>
      entries.reduce((kobo, entry) => kobo + (entry.pays?.kobo ?? 0), 0)
    return [sum(payments.filter((entry) => entry.answer)), sum(payments)]
  }
}

export type Journal = Awaited<ReturnType<typeof driveJourneys>>

// Runs `count` customers at the same time until the service is killed. Each customer creates an account and
// a payment, sends money to both, and is followed by a new customer. `sendTo(url)` returns a function that
// sends further requests to the restarted service.
export async function driveJourneys(
  url: string,
  count: number,
  onAnswer: (answers: number) => void,
) {
  const token = await logIn(url)
  const customers: Customer[] = []
  let answers = 0

  // Sends a request. Throws unless the answer is 200.
  async function send(serviceUrl: string, { url: path, body, headers }: JournalEntry) {
    const response = await fetch(`${serviceUrl}${path}`, {
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

  // Sends the requests of one customer, one after another. Throws at the first that gets no answer.
  async function runCustomer(customer: Customer): Promise<void> {
    // Records a request before it is sent, so the journal also has the requests without an answer.
    const sendAndRecord = async (request: JournalEntry) => {
      customer.entries.push(request)
      request.answer = await send(url, request)
      onAnswer(++answers)
      return request.answer
    }
    const key = { 'idempotency-key': randomUUID() }
    const fields = accountBody({ accountName: customer.name })
    const repeatable = { headers: key, isRepeatable: true }
    customer.account = (
      await sendAndRecord({ url: '/api/v1/accounts/static', body: fields, ...repeatable })
    ).data
    const number = customer.account?.accountNumber as string
    await sendAndRecord(pay(number, 'account', 1000))
    const order = adviceBody({ amount: DUE, customer: { customerFullName: customer.name } })
    const again = { headers: { 'idempotency-key': randomUUID() }, isRepeatable: true }
    const advice = await sendAndRecord({ url: '/Payment/advice', body: order, ...again })
    const start = `/Payment/process/banktransfer/${advice.responseData.adviceReference}`
    const body = { bankCode: '035' }
    customer.payment = (await sendAndRecord({ url: start, body, isRepeatable: true })).responseData
    const leased = customer.payment?.bankAccount as string
    for (const kobo of [200_000, 300_000, 100_000, 50_000]) {
      await sendAndRecord(pay(leased, 'payment', kobo))
      await sendAndRecord(pay(number, 'account', kobo))
    }
  }

  // Runs one new customer after another, until a request gets no answer.
  async function runCustomersInTurn(): Promise<void> {
    for (;;) {
      const customer = new Customer()
      customers.push(customer)
      await runCustomer(customer)
    }
  }
  await Promise.allSettled(Array.from({ length: count }, runCustomersInTurn))
  return {
    customers,
    sendTo: (serviceUrl: string) => (request: JournalEntry) => send(serviceUrl, request),
  }
}

export function koboOfNaira(amount: number): number {
  return Math.round(amount * 100)
}

// Returns a request that simulates a transfer, and notes how much it pays.
function pay(number: string, to: 'account' | 'payment', kobo: number): JournalEntry {
  const amount = (kobo / 100).toFixed(2)
  return {
    url: '/Payment/process/banktransfer/simulate/payment',
    body: { virtualAccountNumber: number, amount },
    pays: { to, kobo },
  }
}
