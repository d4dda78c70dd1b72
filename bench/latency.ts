// `npm run bench -- --only latency`: measures, while 500 credits a second arrive, how long it takes from a
// credit until the bank gets its answer, until the webhook reaches its receiver, and until an open checkout
// page shows the payment. The service and its workers are one process, as after `npm start`.
//
// Every time is measured from the moment at which the credit was due to be sent. Every credit must cause
// exactly one webhook, and the page of every payment must show its credit.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { systemClock } from '#clock.ts'
import { withTransaction } from '#db/transaction.ts'
import { createEndpoint } from '#webhooks/endpoints.ts'
import { startService } from './cluster.ts'
import { type CpuTime, cpuBetween, readCpu } from './process-stats.ts'
import { machine } from './report.ts'
import { CREDITS, credit, signature } from './requests.ts'
import { quantile } from './slice.ts'
import type { Testbed } from './testbed.ts'
import { type Account, skipHistory } from './webhook-loads.ts'

const PER_SECOND = 500
const PAYMENTS = 150 // The service limits the open checkout pages of one IP address.
const PAYMENT_BANK = '035'
const PAYMENT_NAIRA = '6000.00' // The amount of the bench's advices (database.ts).
const WARM_UP_MS = 30_000
const ARRIVAL_MAX_MS = 30_000
const POLL_MS = 50
// The goals in milliseconds: the median and the 99th percentile are at most this.
const GOALS: Record<Kind, readonly [number | undefined, number | undefined]> = {
  answer: [undefined, undefined],
  webhook: [20, 100],
  page: [undefined, 300],
}
const TITLES = {
  answer: 'credit → answer to the bank',
  webhook: 'credit → webhook at the receiver',
  page: 'credit → state at the open checkout page',
}

type Kind = 'answer' | 'webhook' | 'page'
// A sent credit: when it was due, and how many milliseconds later its answer, webhook or page arrived.
type Sent = { dueMs: number; arrivals: Partial<Record<Kind, number>> }

// Sends credits at a fixed rate, pays for the checkout pages in between, evenly after the warm-up, and
// returns the report. `sent` has each credit by its session id.
export async function runLatency(bed: Testbed): Promise<string> {
  const { slices, sliceMs, accounts } = bed.options
  const database = await bed.newDatabase('latency')
  const [{ clientId }] = (await skipHistory(database, 1)) as [Account]
  const sent = new Map<string, Sent>()
  await using receiver = await startReceiver((sessionId) => arrive(sent, sessionId, 'webhook'))
  const { url } = receiver
  await withTransaction(database.db, (tx) =>
    createEndpoint(tx, systemClock(), { clientId, url, eventTypes: ['collection.received'] }),
  )
  const { connectionString } = database
  await using service = await startService(bed.cluster, connectionString, { role: 'serve' })
  const base = `http://127.0.0.1:${service.port}`
  await using sender = new Sender(base, sent)
  const pages = await openPages(base, await database.createAdvices(PAYMENTS))
  const runMs = WARM_UP_MS + 2 * slices * sliceMs
  const count = (runMs / 1000) * PER_SECOND
  const first = bed.nextCredits(count + PAYMENTS)
  // After the warm-up, each `creditsPerPayment`-th credit is followed by one for a checkout page.
  const creditsPerPayment = Math.floor((count * (1 - WARM_UP_MS / runMs)) / PAYMENTS)
  const pids = { service: [service.pid], postgres: bed.cluster.pid, load: process.pid }
  const fromMs = performance.now()
  let before: CpuTime | undefined // Read at the end of the warm-up.
  for (let at = 0; at < count; at++) {
    const dueMs = fromMs + (at * 1000) / PER_SECOND
    if (dueMs > performance.now()) await sleep(Math.max(0, dueMs - performance.now()))
    const isWarm = dueMs - fromMs > WARM_UP_MS
    if (isWarm) before ??= readCpu(pids)
    sender.send(CREDITS, credit(first + at, accounts, Date.now()), dueMs)
    const page = isWarm && at % creditsPerPayment === 0 ? pages.pop() : undefined
    if (page) pay(sender, page, { index: first + count + pages.length, dueMs })
  }
  const cpu = cpuBetween(before, readCpu(pids))
  await untilArrived(sent)
  const measured = [...sent.values()].filter(({ dueMs }) => dueMs - fromMs > WARM_UP_MS)
  const conditions = `${machine()}; ${describeCpu(cpu, runMs - WARM_UP_MS)}`
  return [`${PER_SECOND} credits a second; ${conditions}`, render(measured)].join('\n\n')
}

// Describes how many CPU cores the service, PostgreSQL, the load generator and other programs used.
function describeCpu(cpu: CpuTime | undefined, elapsedMs: number): string {
  if (!cpu) return 'CPU time was not measured'
  const cores = (seconds: number) => (seconds / (elapsedMs / 1000)).toFixed(2)
  return [
    `cores: ${cores(cpu.service)} service`,
    `${cores(cpu.postgres)} PostgreSQL`,
    `${cores(cpu.load)} load`,
    `${cores(cpu.others)} others`,
  ].join(', ')
}

// Notes that the answer, webhook or page of a credit has arrived, unless it arrived before.
function arrive(sent: ReadonlyMap<string, Sent>, sessionId: string, kind: Kind): void {
  const credit = sent.get(sessionId)
  if (credit) credit.arrivals[kind] ??= performance.now() - credit.dueMs
}

// Sends credits without waiting for the answers, and notes when each answer arrives.
class Sender implements AsyncDisposable {
  readonly sent: Map<string, Sent>
  readonly #base: string
  readonly #agent = new Agent({ connections: 64 })

  constructor(base: string, sent: Map<string, Sent>) {
    this.#base = base
    this.sent = sent
  }

  send(path: string, body: { sessionId: string }, dueMs: number): void {
    this.sent.set(body.sessionId, { dueMs, arrivals: {} })
    void this.#post(path, body)
  }

  async #post(path: string, content: { sessionId: string }): Promise<void> {
    const body = JSON.stringify(content)
    const signed = signature(body, `msg_${content.sessionId}`, Date.now())
    const headers = { 'content-type': 'application/json', ...signed }
    const { dispatcher, method } = { dispatcher: this.#agent, method: 'POST' as const }
    const answer = await request(`${this.#base}${path}`, { dispatcher, method, headers, body })
    const reply = await answer.body.text()
    if (!reply.includes('"responseCode":"00"')) throw new Error(`refused: ${reply}`)
    arrive(this.sent, content.sessionId, 'answer')
  }

  [Symbol.asyncDispose] = () => this.#agent.close()
}

type Page = { accountNumber: string; isPaid: Promise<void> }

// Opens the stream of each advice, as its page does, and issues the number to pay to.
async function openPages(base: string, adviceIds: readonly string[]): Promise<Page[]> {
  const pages: Page[] = []
  for (const id of adviceIds) {
    const isPaid = Promise.withResolvers<void>()
    const stream = await fetch(`${base}/pay/api/stream?adviceReference=${id}`)
    void followUntilPaid(stream).then(isPaid.resolve)
    const response = await fetch(`${base}/Payment/process/banktransfer/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ bankCode: PAYMENT_BANK }),
    })
    const [accountNumber] = /(?<="bankAccount":")\d{10}/.exec(await response.text()) ?? []
    if (!accountNumber) throw new Error('no number was issued')
    pages.push({ accountNumber, isPaid: isPaid.promise })
  }
  return pages
}

// Reads a checkout page's event stream until it says that the payment was successful.
async function followUntilPaid({ body }: Response): Promise<void> {
  let unread = ''
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    unread = (unread + Buffer.from(chunk).toString()).slice(-20_000)
    if (unread.includes('"status":"Successful"')) return
  }
}

// Sends the credit that pays for a page, from the bank that issued the page's number, and notes when the page
// shows it.
function pay(sender: Sender, page: Page, { index, dueMs }: { index: number; dueMs: number }) {
  const { accountNumber } = page
  const payment = { ...credit(index, 1, Date.now()), accountNumber, amount: PAYMENT_NAIRA }
  sender.send(CREDITS.replace(/\d+/, PAYMENT_BANK), payment, dueMs)
  void page.isPaid.then(() => arrive(sender.sent, payment.sessionId, 'page'))
}

// Starts a webhook receiver that answers at once and reports the session id of each webhook.
async function startReceiver(onWebhook: (sessionId: string) => void) {
  // Answers a webhook first, so that its sender does not wait, and then reports its session id.
  const receive = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await text(incoming)
    response.end()
    const [sessionId] = /(?<="sessionId":")[^"]+/.exec(body) ?? []
    if (sessionId) onWebhook(sessionId)
  }
  const server = createServer((incoming, response) => void receive(incoming, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async () => void server.close().closeAllConnections()
  return { url, [Symbol.asyncDispose]: close }
}

// Waits until every credit has arrived: a payment's credit at its page, every other credit at the receiver.
async function untilArrived(sent: ReadonlyMap<string, Sent>): Promise<void> {
  const endMs = performance.now() + ARRIVAL_MAX_MS
  const isMissing = ({ arrivals: { answer, webhook, page } }: Sent) =>
    answer === undefined || (webhook ?? page) === undefined
  while (sent.values().some(isMissing)) {
    const missing = [...sent.values()].filter(isMissing).length
    if (performance.now() > endMs) throw new Error(`${missing} credits caused nothing`)
    await sleep(POLL_MS)
  }
}

// Renders a row for each kind of arrival: the number of samples, the median, the 99th percentile and the
// longest time.
function render(measured: readonly Sent[]): string {
  // One row for each kind of arrival, with a mark at each time that has a goal.
  const rows = (Object.keys(TITLES) as Kind[]).map((kind) => {
    const samples = measured.flatMap(({ arrivals }) => arrivals[kind] ?? [])
    const [medianGoal, p99Goal] = GOALS[kind]
    const cells = [
      cell(quantile(samples, 0.5), medianGoal),
      cell(quantile(samples, 0.99), p99Goal),
      quantile(samples, 1).toFixed(0),
    ]
    return `| ${TITLES[kind]} | ${samples.length} | ${cells.join(' | ')} |`
  })
  return [
    '| time | samples | p50 ms | p99 ms | most |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...rows,
  ].join('\n')
}

// Renders a time with a mark if it has a goal. A missed goal sets the exit code.
function cell(value: number, goalMax: number | undefined): string {
  if (goalMax === undefined) return value.toFixed(0)
  if (value > goalMax) process.exitCode = 1
  return `${value.toFixed(0)} ${value > goalMax ? `✗ ≤ ${goalMax}` : '✓'}`
}
