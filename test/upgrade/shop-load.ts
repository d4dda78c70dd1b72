// A shop and its bank that continue whatever happens to the service: every request is sent to any
// running process until one acknowledges it, and the acknowledged ones are recorded. It retries
// only where that is safe for a client: no connection, 503, and `03` to a bank.

import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import { loadSecret, sign } from '#standard-webhooks.ts'
import { until } from '../support/embedded-bench.ts'
import { ACCOUNTS, ADVICE, accountBody, adviceBody, INITIATE } from '../support/fixtures.ts'
import { PAYOUTS } from '../support/payouts.ts'

const CUSTOMERS = 2
const BANK = '035'
const FIRST_KOBO = 500_000

// biome-ignore lint/suspicious/noExplicitAny: a JSON answer; the tests assert on it.
type Answer = any
type Request = { path: string; body: object; isRail?: boolean }
type Process = { name: string; url: string; answers: number }

export class ShopLoad {
  readonly credits = new Map<string, number>() // Kobo by session id, each acknowledged.
  readonly payments: string[] = []
  readonly payouts: string[] = []
  readonly refused: string[] = [] // Answers that a client cannot understand.
  retries = 0
  readonly #processes: Process[] = []
  readonly #token: string
  readonly #receiver: string
  #turn = 0
  #isEnding = false
  #isAbandoned = false
  #driven: Promise<unknown> = Promise.resolve()

  constructor(token: string, receiver: string) {
    this.#token = token
    this.#receiver = receiver
  }

  // Adds a process; from then on it gets its turn of the requests, as behind a load balancer.
  add(name: string, url: string): void {
    this.#processes.push({ name, url, answers: 0 })
  }

  remove(name: string): void {
    this.#processes.splice(
      this.#processes.findIndex((process) => process.name === name),
      1,
    )
  }

  // Starts the customers, who keep buying until `end`.
  start(): void {
    this.#driven = Promise.all(Array.from({ length: CUSTOMERS }, () => this.#buy()))
    this.#driven.catch(() => {}) // `end` reports the error.
  }

  // Waits until this process has acknowledged `count` more requests, or a request was refused.
  async served(name: string, count: number): Promise<void> {
    const process = this.#processes.find((candidate) => candidate.name === name) as Process
    const goal = process.answers + count
    await until(`${name} answers`, () => process.answers >= goal || this.refused.length > 0)
  }

  // Stops the customers, and resolves when every request that they began is acknowledged.
  async end(): Promise<void> {
    this.#isEnding = true
    await this.#driven
  }

  // Gives up after a failed test, when no process is left that could acknowledge a request.
  [Symbol.dispose](): void {
    this.#isAbandoned = true
  }

  // One customer: creates and funds an account, then repeats a credit, a paid payment and a payout.
  async #buy(): Promise<void> {
    const to = { notificationUrl: this.#receiver }
    const { data } = await this.#send({ path: ACCOUNTS, body: accountBody(to) })
    await this.#pay(data.accountNumber, FIRST_KOBO)
    while (!this.#isEnding) {
      await this.#pay(data.accountNumber, 100_000)
      const order = adviceBody({ amount: 1500, callBackUrl: this.#receiver })
      const { responseData: advice } = await this.#send({ path: ADVICE, body: order })
      const path = `${INITIATE}/${advice.adviceReference}`
      const { responseData: payment } = await this.#send({ path, body: { bankCode: BANK } })
      await this.#pay(payment.bankAccount, 150_000)
      this.payments.push(payment.paymentReference)
      const payout = await this.#send({ path: PAYOUTS, body: { amount: '10', narration: 'Daily' } })
      this.payouts.push(payout.data.reference)
    }
  }

  // Reports a credit to this number, as the bank does.
  async #pay(accountNumber: string, kobo: number): Promise<void> {
    const sessionId = `000013${randomUUID().replace(/\D/g, '').padEnd(24, '7').slice(0, 24)}`
    const body = { sessionId, accountNumber, amount: `${kobo / 100}.00` }
    await this.#send({ path: `/rails/${BANK}/credits`, body, isRail: true })
    this.credits.set(sessionId, kobo)
  }

  // Repeats a request with the same key until a process acknowledges it.
  async #send(request: Request): Promise<Answer> {
    const key = randomUUID()
    for (;;) {
      const answer = await this.#try(request, key)
      if (answer !== undefined) return answer
      if (this.#isAbandoned) throw new Error('nobody acknowledges')
      this.retries += 1
      await nextTurn()
    }
  }

  // Sends a request to the next process once; undefined if it must be retried.
  async #try({ path, body, isRail }: Request, key: string): Promise<Answer | undefined> {
    const process = this.#processes[this.#turn++ % this.#processes.length] as Process
    const raw = JSON.stringify(body)
    const headers = isRail ? signed(raw, key) : this.#authorized(key)
    const sent = { method: 'POST', headers, body: raw }
    const response = await fetch(process.url + path, sent).catch(() => undefined)
    const text = await response?.text().catch(() => undefined)
    if (response === undefined || text === undefined || response.status === 503) return undefined
    const answer = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : {}
    if (isRail && answer.responseCode === '03') return undefined
    if (response.status !== 200 || (isRail && !/^0[01]$/.test(answer.responseCode))) {
      this.refused.push(`${process.name} ${path} ${response.status} ${text}`)
      throw new Error(this.refused[0])
    }
    process.answers += 1
    return answer
  }

  #authorized(key: string): Record<string, string> {
    return {
      'content-type': 'application/json',
      authorization: `Bearer ${this.#token}`,
      'idempotency-key': key,
    }
  }
}

// The headers of a bank's signed request.
function signed(body: string, id: string): Record<string, string> {
  const timestampSeconds = Math.floor(Date.now() / 1000)
  const secrets = [loadSecret(SANDBOX_RAIL_SECRET)]
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': `${timestampSeconds}`,
    'webhook-signature': sign({ secrets, id, timestampSeconds, body }),
  }
}
