// The load of `npm run soak`: requests of a bank, a client, a payer and a dashboard, drawn at random
// at a steady rate. Every response is checked. A request that the service refuses with 503 is sent again,
// as a bank would.

import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { SANDBOX_CLIENT } from '#access/secrets.ts'
import type { BenchDatabase } from './database.ts'
import { accountNumber } from './history.ts'
import { account, CREDITS, credit, signature } from './requests.ts'

const TICK_MS = 5
const CONNECTIONS = 32
const RUNNING_MAX = 500 // A machine that falls behind gets no further requests.
const TRIES_MAX = 10
const RETRY_MS = 1_000
const FAILURES_SHOWN = 20
const STREAM_MS = 3_000
const BUSY = new Set([408, 429, 503]) // Includes 408, because a machine that stalls sends requests slowly.
const LISTS = ['credits', 'payments', 'events', 'suspense', 'accounts/static', 'audit-log']

type Call = { path: string; body?: string; headers?: Record<string, string> }
type Answer = { status: number; text: string }
type Action = { weight: number; requests: number; run: () => Promise<unknown> }
type Options = { port: number; accounts: number; database: BenchDatabase }

export class MixedLoad {
  readonly failures: string[] = []
  credits = 0
  readonly #counts = { requests: 0, refused: 0, failed: 0, left: 0 }
  readonly #options: Options
  readonly #pool: Pool
  readonly #actions: readonly Action[]
  #token = ''
  #next = 0
  #running = new Set<Promise<unknown>>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
    this.#pool = new Pool(`http://127.0.0.1:${options.port}`, { connections: CONNECTIONS })
    this.#actions = [
      { weight: 45, requests: 1, run: () => this.#credit() },
      { weight: 5, requests: 2, run: () => this.#creditTwice() },
      { weight: 8, requests: 1, run: () => this.#createAccount() },
      { weight: 8, requests: 4, run: () => this.#pay() },
      { weight: 20, requests: 1, run: () => this.#readAccount() },
      { weight: 12, requests: 1, run: () => this.#readList() },
      { weight: 1, requests: 1, run: () => this.#logIn() },
      { weight: 1, requests: 1, run: () => this.#watchEvents() },
    ]
  }

  // Starts the load. `perSecond` counts requests; an action may make several of them.
  run(perSecond: number): void {
    const weights = this.#actions.reduce((sum, { weight }) => sum + weight, 0)
    const weightedRequests = this.#actions.reduce(
      (sum, { weight, requests }) => sum + weight * requests,
      0,
    )
    const actionsPerSecond = (perSecond * weights) / weightedRequests
    let nextMs = performance.now()
    // Starts the actions that are due by now. While too many are running, actions are left out and counted.
    const startDueActions = () => {
      for (const nowMs = performance.now(); nextMs <= nowMs; ) {
        nextMs += (-Math.log(1 - Math.random()) / actionsPerSecond) * 1000 // Poisson arrivals.
        if (this.#running.size < RUNNING_MAX) this.#start(this.#draw(weights))
        else this.#counts.left++
      }
    }
    void this.#logIn().then(() => {
      this.#timer = setInterval(startDueActions, TICK_MS)
    })
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#running)
    await this.#pool.close()
  }

  summary(): string {
    const { requests, refused, failed, left } = this.#counts
    const [sent, booked] = [requests, this.credits].map((count) => count.toLocaleString('en'))
    const unsuccessful = `${refused} refused as busy, ${failed} failed, ${left} left out under load`
    return `${sent} requests, ${booked} credits, ${unsuccessful}`
  }

  // Draws an action at random, each as likely as its weight.
  #draw(weights: number): Action {
    let point = Math.random() * weights
    for (const action of this.#actions) {
      point -= action.weight
      if (point < 0) return action
    }
    return this.#actions[0] as Action
  }

  #start({ run }: Action): void {
    const running = run().catch((error: Error) => this.#fail(error.message))
    this.#running.add(running)
    void running.finally(() => this.#running.delete(running))
  }

  #fail(message: string): void {
    this.#counts.failed++
    if (this.failures.length < FAILURES_SHOWN) this.failures.push(message)
  }

  // Sends a request, and sends it again while the service answers 503.
  async #send({ path, body, headers = {} }: Call): Promise<Answer> {
    const method = body === undefined ? 'GET' : 'POST'
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = {
      path,
      method,
      headers: { ...type, ...headers },
      ...(body ? { body } : {}),
    } as const
    for (let tries = 1; ; tries++) {
      this.#counts.requests++
      const answer = await this.#pool.request(sent)
      const text = await answer.body.text()
      if (answer.statusCode !== 503 || tries === TRIES_MAX)
        return { status: answer.statusCode, text }
      this.#counts.refused++
      await sleep(RETRY_MS)
    }
  }

  // Sends a request and fails unless the response is a 200 that contains `mark`.
  async #expect(call: Call, mark: string): Promise<string> {
    const { status, text } = await this.#send(call)
    if (status !== 200 || !text.includes(mark)) {
      throw new Error(`${call.path}: ${status} ${text.slice(0, 200)}`)
    }
    return text
  }

  #auth = () => ({ authorization: `Bearer ${this.#token}` })

  // Reports a credit, as a bank does.
  async #credit(): Promise<Call> {
    const at = this.#next++
    const body = JSON.stringify(credit(at, this.#options.accounts, Date.now()))
    const call = { path: CREDITS, body, headers: signature(body, `msg_soak_${at}`, Date.now()) }
    await this.#expect(call, '"responseCode":"0')
    this.credits++
    return call
  }

  // Reports a credit a second time, which the service must answer with 01 (already known).
  async #creditTwice(): Promise<void> {
    await this.#expect(await this.#credit(), '"responseCode":"01"')
  }

  async #createAccount(): Promise<void> {
    const call = { path: '/api/v1/accounts/static', body: account(this.#next++) }
    await this.#expect({ ...call, headers: this.#auth() }, '"isSuccessful":true')
  }

  // Creates an advice, initiates the payment, pays it and reads it.
  async #pay(): Promise<void> {
    const headers = this.#auth()
    const advice = {
      amount: 6000,
      currency: 'NGN',
      narration: 'A pair of shoes',
      callBackUrl: 'http://127.0.0.1:9/',
      customer: { customerFirstName: 'Ada', customerLastName: 'Obi' },
    }
    const adviceText = await this.#expect(
      { path: '/Payment/advice', body: JSON.stringify(advice), headers },
      '"00"',
    )
    const { adviceReference } = JSON.parse(adviceText).responseData
    const process = '/Payment/process/banktransfer'
    const paymentText = await this.#expect(
      { path: `${process}/${adviceReference}`, body: '{"bankCode":"035"}' },
      '"00"',
    )
    const { bankAccount, paymentReference } = JSON.parse(paymentText).responseData
    const paid = JSON.stringify({ virtualAccountNumber: bankAccount, amount: '6000.00' })
    // A payment whose answer came too late may still be booked. The key prevents booking it twice.
    const paymentHeaders = { ...headers, 'idempotency-key': paymentReference }
    await this.#expect(
      { path: `${process}/simulate/payment`, body: paid, headers: paymentHeaders },
      '"00"',
    )
    this.credits++
    await this.#expect(
      { path: `/api/Transaction/bypaymentreference/${paymentReference}`, headers },
      'Successful',
    )
  }

  async #readAccount(): Promise<void> {
    const number = accountNumber(this.#next++, this.#options.accounts)
    await this.#expect({ path: `/api/v1/accounts/static/${number}`, headers: this.#auth() }, number)
  }

  async #readList(): Promise<void> {
    const list = LISTS[Math.floor(Math.random() * LISTS.length)]
    await this.#expect({ path: `/api/v1/${list}?limit=20`, headers: this.#auth() }, '"data"')
  }

  async #logIn(): Promise<void> {
    const { clientId, secret: clientSecret } = SANDBOX_CLIENT
    const body = JSON.stringify({ clientId, clientSecret })
    this.#token = JSON.parse(
      await this.#expect({ path: '/api/Account/login', body }, 'access_token'),
    ).access_token
  }

  // Opens the event stream of a dashboard for three seconds, then cuts the connection.
  async #watchEvents(): Promise<void> {
    this.#counts.requests++
    const url = `http://127.0.0.1:${this.#options.port}/api/v1/events/stream`
    const leaving = new AbortController()
    const answer = await fetch(url, { headers: this.#auth(), signal: leaving.signal })
    if (BUSY.has(answer.status)) this.#counts.refused++
    else if (answer.status !== 200) this.#fail(`stream: ${answer.status}`)
    await sleep(STREAM_MS)
    leaving.abort()
  }
}
