// Sends the bank's notifications to Manilla, with at most eight requests at once and with the retries that
// the bank documents. `sendDue` sends what is due now; startPump() or a test with its own clock calls it.
//
//   queued → acknowledged | rejected | given_up        lost: never queued

import { Agent, request } from 'undici'
import type { Clock } from '#clock.ts'
import type { Transfer } from './bank.ts'
import type { ContractWatch } from './contract.ts'
import {
  type Dialect,
  type Message,
  type Outcome,
  type Response,
  readJson,
  type Speaker,
} from './dialect.ts'
import { drawFate, type Fate, type Faults, type Random, sendingDelaysMs } from './faults.ts'
import type { PayoutNews } from './payouts.ts'

const CONCURRENCY = 8
const TIMEOUT_MS = 30_000

type DeliveryStatus = 'queued' | 'lost' | 'acknowledged' | 'rejected' | 'given_up'
type Delivery = {
  fate: Fate
  status: DeliveryStatus
  attempts: number
  lastHttpStatus: number | null // null if there was no answer.
}

type Notice = Transfer | PayoutNews
type Queued = { notice: Notice; dueMs: number; tries: number }

const PAYOUT_CALLS = {
  confirmed: 'webhook.payoutSucceeded',
  failed: 'webhook.payoutFailed',
  reversed: 'webhook.payoutReversed',
}
const isNews = (notice: Notice): notice is PayoutNews => 'newStatus' in notice

type NotifierOptions = {
  origin: string // Manilla's.
  bankCode: string
  dialect: Dialect
  speaker: Speaker
  contractWatch: ContractWatch
  clock: Clock
  random: Random
  faults: Faults
  batch: number // Transfers in one notification, where the bank sends lists.
}

export class Notifier {
  readonly #options: NotifierOptions
  readonly #agent = new Agent({ connections: CONCURRENCY })
  readonly #deliveries = new Map<Notice, Delivery>()
  #queue: Queued[] = []
  faults: Faults
  origin: string

  constructor(options: NotifierOptions) {
    this.#options = options
    this.faults = options.faults
    this.origin = options.origin
  }

  // Queues the notification of a transfer, with a fate that is drawn unless the caller fixes it.
  add(transfer: Transfer, fixedFate?: Fate): void {
    const { random, clock } = this.#options
    const fate = fixedFate ?? drawFate(this.faults, random)
    const delaysMs = sendingDelaysMs(fate, this.faults, random)
    const status = delaysMs.length === 0 ? 'lost' : 'queued'
    this.#deliveries.set(transfer, { fate, status, attempts: 0, lastHttpStatus: null })
    const nowMs = clock().getTime()
    for (const delayMs of delaysMs) {
      this.#queue.push({ notice: transfer, dueMs: nowMs + delayMs, tries: 0 })
    }
  }

  // Queues a report about a payout, unless the bank does not report payouts. Faults apply only to transfers.
  addPayout(news: PayoutNews): void {
    if (!this.#options.speaker.notifyPayout) return
    const delivery = {
      fate: 'normal',
      status: 'queued',
      attempts: 0,
      lastHttpStatus: null,
    } as const
    this.#deliveries.set(news, delivery)
    this.#queue.push({ notice: news, dueMs: this.#options.clock().getTime(), tries: 0 })
  }

  deliveryOf(transfer: Transfer): Delivery | undefined {
    return this.#deliveries.get(transfer)
  }

  // Queues again the lost and abandoned notifications of the transfers in this period.
  resend(from: Date, to: Date): void {
    const dueMs = this.#options.clock().getTime()
    for (const [transfer, delivery] of this.#deliveries) {
      if (isNews(transfer)) continue
      const isOver = delivery.status === 'lost' || delivery.status === 'given_up'
      if (!isOver || transfer.at < from || transfer.at > to) continue
      delivery.status = 'queued'
      this.#queue.push({ notice: transfer, dueMs, tries: 0 })
    }
  }

  // Returns when the next notification is due, or undefined if none is queued.
  nextDueMs(): number | undefined {
    return this.#queue.reduce<number | undefined>(
      (least, { dueMs }) => (least === undefined || dueMs < least ? dueMs : least),
      undefined,
    )
  }

  // Acts as if this much time had passed.
  bringForward(ms: number): void {
    for (const queued of this.#queue) queued.dueMs -= ms
  }

  // Resolves when everything due by now was sent and answered.
  async sendDue(): Promise<void> {
    const nowMs = this.#options.clock().getTime()
    const due = this.#queue.filter(({ dueMs }) => dueMs <= nowMs)
    this.#queue = this.#queue.filter(({ dueMs }) => dueMs > nowMs)
    due.sort((one, other) => one.dueMs - other.dueMs)
    const batches = inBatches(due, Math.min(this.#options.batch, this.#options.dialect.batchMax))
    // All senders draw from one iterator, so each batch is sent once.
    const next = batches.values()
    const sender = async () => {
      for (const batch of next) await this.#send(batch)
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, sender))
  }

  async enquireName(accountNumber: string): Promise<Response | undefined> {
    return await this.#post(this.#options.speaker.enquireName(accountNumber))
  }

  clear(): void {
    this.#queue = []
    this.#deliveries.clear()
    this.faults = this.#options.faults
  }

  async close(): Promise<void> {
    this.#queue = []
    await this.#agent.destroy()
  }

  async #send(batch: readonly Queued[]): Promise<void> {
    const { speaker } = this.#options
    const news = batch.map(({ notice }) => notice).find(isNews) // This bank sends one notice at a time.
    const transfers = batch.flatMap(({ notice }) => (isNews(notice) ? [] : [notice]))
    const response =
      news && speaker.notifyPayout
        ? await this.#notify(speaker.notifyPayout(news), PAYOUT_CALLS[news.newStatus])
        : await this.#notify(speaker.notify(transfers), 'webhook.credit')
    const outcomes = response ? speaker.readAcknowledgement(response, transfers) : []
    batch.forEach((queued, at) => {
      this.#record(queued, outcomes[at] ?? 'retry', response)
    })
  }

  // Notes the result of an attempt, and queues the next one if Manilla did not acknowledge it and the bank
  // has tries left.
  #record(queued: Queued, outcome: Outcome, response: Response | undefined): void {
    const { dialect, clock } = this.#options
    const delivery = this.#deliveries.get(queued.notice)
    if (!delivery) return // The delivery was forgotten while the request was under way.
    const tries = queued.tries + 1
    const isLastTry = tries >= dialect.tries
    delivery.attempts += 1
    delivery.lastHttpStatus = response?.httpStatus ?? null
    if (outcome === 'retry' && !isLastTry) {
      const { retryAfterMs } = dialect
      const waitMs = typeof retryAfterMs === 'number' ? retryAfterMs : retryAfterMs[queued.tries]
      const dueMs = clock().getTime() + (waitMs ?? 0)
      this.#queue.push({ ...queued, tries, dueMs })
    } else if (delivery.status !== 'acknowledged') {
      delivery.status = outcome === 'retry' ? 'given_up' : outcome
    }
  }

  // Sends a notification, and checks it and Manilla's answer against the provider's contract.
  async #notify(message: Message, call: string): Promise<Response | undefined> {
    const { contractWatch } = this.#options
    const { headers } = message
    contractWatch.record((contract) =>
      contract.checkNotification(call, { headers, body: readJson(message.body) }),
    )
    const response = await this.#post(message)
    if (!response) return undefined
    const answer = { httpStatus: response.httpStatus, body: readJson(response.body) }
    contractWatch.record((contract) => contract.checkAcknowledgement(call, answer))
    return response
  }

  async #post({ path, headers, body }: Message): Promise<Response | undefined> {
    const { bankCode } = this.#options
    try {
      const response = await request(`${this.origin}/rails/${bankCode}${path}`, {
        method: 'POST',
        headers,
        body,
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      return { httpStatus: response.statusCode, body: await response.body.text() }
    } catch {
      return undefined
    }
  }
}

// Splits the transfers that are due into the notifications of a bank that reports several at once.
function inBatches<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size))
}
