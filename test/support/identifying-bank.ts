// Starts a service and a simulated bank that reserves an account number per customer, with a proxy between
// them that can lose or replace the reservations.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startWithBanks } from './bank-calls.ts'
import { BANK_CODE, startLoneBank } from './fake-bank.ts'
import { type Bench, START } from './running-service.ts'

type Reservation = { path: string; body: Record<string, string> }
// How a reservation ends: `unsent` never reaches the bank, `answer lost` reaches it but the response does not
// come back, and an object is sent instead of the bank's response.
export type Fate = 'as usual' | 'unsent' | 'answer lost' | { status: number; body: object }

// Starts the proxy, which records each reservation and decides its fate.
async function startWire(bankUrl: string) {
  const calls: Reservation[] = []
  let fateOf: () => Fate | Promise<Fate> = () => 'as usual'
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { method = '', url = '', headers } = request
    const isReservation = method === 'POST' && RESERVATIONS.some((path) => url.endsWith(path))
    if (isReservation) calls.push({ path: url, body: JSON.parse(text) })
    const fate = isReservation ? await fateOf() : 'as usual'
    if (fate === 'unsent') return void response.destroy()
    if (typeof fate === 'object') {
      response.writeHead(fate.status, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify(fate.body))
    }
    const { authorization = '', 'content-type': type = 'application/json' } = headers
    const answer = await fetch(`${bankUrl}${url}`, {
      method,
      headers: { authorization, ...(text && { 'content-type': type }) },
      body: text || null,
    })
    if (fate === 'answer lost') return void response.destroy()
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(await answer.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: calls,
    decide: (next: typeof fateOf) => {
      fateOf = next
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const RESERVATIONS = ['/reserved-accounts', '/virtual-account/business']
// A second bank, whose numbers come from ranges.
const RANGES = {
  code: '058',
  static: { from: 300_000_000, to: 300_000_000 },
  dynamic: { from: 400_000_000, to: 400_000_999 },
}

// Starts the service and the bank, with the proxy between them. The bank issues the accounts' own numbers or,
// with `isLast`, their additional numbers, because the order of the banks decides where an account gets its
// own number.
export async function startIdentifying(connector: string, { isLast = false } = {}) {
  let bench: Bench | undefined
  const bank = await startLoneBank({ connector, clock: () => bench?.clock() ?? START })
  const wire = await startWire(bank.url)
  const { entry, env } = bank.banksFile
  // Without the ranges of account numbers, because this bank reserves a number for each customer.
  const { static: _fixed, dynamic: _leased, ...rest } = entry as Record<string, unknown>
  const settings = { ...entry.settings, baseUrl: wire.url }
  const perCustomer = { ...rest, code: BANK_CODE, settings, railSecrets: undefined }
  const identifyingBank = { ...perCustomer, numbers: 'perCustomer' as const }
  const banks = isLast ? [RANGES, identifyingBank] : [identifyingBank, RANGES]
  bench = await startWithBanks(banks, env)
  bank.notifyAt(await bench.service.app.listen({ host: '127.0.0.1', port: 0 }))
  const referenceOf = ({ body }: Reservation) =>
    String(body.accountReference ?? body.customer_identifier)
  return {
    bench,
    bank,
    wire,
    // The distinct references under which the service asked for numbers.
    references: () => [...new Set(wire.asked.map(referenceOf))],
    async [Symbol.asyncDispose]() {
      await bench?.[Symbol.asyncDispose]()
      await wire[Symbol.asyncDispose]()
      await bank[Symbol.asyncDispose]()
    },
  }
}
