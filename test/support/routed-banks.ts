// For tests of routing: banks that speak our own bank API over HTTP on loopback ports and fail when the test
// says so, and a service on the test's clock that is connected to them.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { startWithBanks } from './bank-calls.ts'

const API_KEY = 'the-key-of-the-bank'

export type RoutedBank = Awaited<ReturnType<typeof startRoutedBank>>

// Starts one bank, which confirms payouts and lists no transfers. After fail() it answers every request with
// 503.
async function startRoutedBank() {
  const orders: string[] = []
  let isUp = true
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const isOrder = request.method === 'POST' && request.url === '/payouts'
    const { reference } = isOrder ? JSON.parse(text) : { reference: '' }
    if (isOrder) orders.push(reference)
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (!isUp) return answer(503, {})
    if (isOrder) {
      return answer(200, { reference, status: 'confirmed', bankReference: `B-${reference}` })
    }
    if (request.url?.startsWith('/transfers')) return answer(200, { data: [], nextCursor: null })
    if (request.url === '/name-enquiry') return answer(200, { accountName: 'Ada Obi' })
    return answer(404, { status: 'not_found' })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    orders, // The references of the payout orders that the bank received, oldest first.
    fail: () => {
      isUp = false
    },
    recover: () => {
      isUp = true
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

// A bank with `size` dynamic numbers; its ranges start at `base`.
const settingsOf = (code: string, bank: RoutedBank, base: number, size: number) => ({
  code,
  settings: { baseUrl: bank.url, timeoutMs: 2_000, concurrency: 1, ratePerSecond: 50 },
  secrets: { apiKey: 'BANK_API_KEY' },
  static: { from: base, to: base + 999_999 },
  dynamic: { from: base + 1_000_000, to: base + 1_000_000 + size },
})

// Starts a service with two such banks. Bank 035 (`one`) has more account numbers and all the money.
export async function startRouted() {
  const [one, other] = [await startRoutedBank(), await startRoutedBank()]
  const banks = [
    settingsOf('035', one, 100_000_000, 900_000),
    settingsOf('058', other, 200_000_000, 500_000),
  ]
  const bench = await startWithBanks(banks, { BANK_API_KEY: API_KEY })
  return {
    bench,
    one,
    other,
    async [Symbol.asyncDispose]() {
      await bench[Symbol.asyncDispose]()
      await Promise.all([one, other].map((bank) => bank[Symbol.asyncDispose]()))
    },
  }
}

type Db = { query: (text: string, values: unknown[]) => Promise<{ rows: { state: string }[] }> }

// Whether a bank is in use for money in or out; undefined if no route was stored.
export async function routeState(
  { db }: { db: Db },
  bankCode: string,
  direction: 'in' | 'out',
): Promise<string | undefined> {
  const { rows } = await db.query(
    'select state from bank_routes where bank_code = $1 and direction = $2',
    [bankCode, direction],
  )
  return rows[0]?.state
}

const PATIENCE_MS = 120_000

// Waits until the condition is true; fails after two minutes.
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const giveUpMs = performance.now() + PATIENCE_MS
  while (!(await isTrue())) {
    assert(performance.now() < giveUpMs, `never: ${isTrue}`)
    await setImmediate()
  }
}
