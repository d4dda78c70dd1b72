// The bank: the simulated one of fake-bank/, behind a front that the witness watches. The front writes
// down every order to pay before the bank sees it, and what the bank's own books say after; now and
// then it delays an order or an answer, or loses the answer.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { kobo } from '#money.ts'
import { startFakeBank } from '../fake-bank/fake-bank.ts'
import type { Random } from './random.ts'
import type { Witness } from './witness.ts'

export const BANK_CODE = '101'
const NOBODY = 'http://127.0.0.1:9' // Its own notifications are not used: ours are witnessed.
const OPENING = kobo(10n ** 15n)
const DELAY_MAX_MS = 4_000
const SETTINGS = { timeoutMs: 6_000, ratePerSecond: 100 } // More than the load pays out.

export type WitnessedBank = Awaited<ReturnType<typeof startBank>>

export async function startBank(witness: Witness, random: Random) {
  const bank = await startFakeBank({
    connector: 'manilla',
    bankCode: BANK_CODE,
    notify: NOBODY,
    openingKobo: OPENING,
  })
  const paid = new Set<string>()
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '', headers } = request
    const body = await buffer(request).catch(() => undefined)
    if (!body) return
    const isOrder = method === 'POST' && url === '/payouts'
    if (isOrder) noteOrder(witness, body)
    if (isOrder && random.happens(0.15)) await sleep(random.integer(100, DELAY_MAX_MS))
    const { authorization = '' } = headers
    const answer = await fetch(bank.url + url, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
    }).catch(() => undefined)
    if (isOrder) notePaid()
    if (!answer || (isOrder && random.happens(0.05))) return request.socket.destroy()
    if (isOrder && random.happens(0.1)) await sleep(random.integer(100, DELAY_MAX_MS))
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(await answer.text())
  })

  function notePaid(): void {
    for (const { reference, status, amountKobo } of bank.bank.payouts.all()) {
      if (status !== 'confirmed' || paid.has(reference)) continue
      paid.add(reference)
      witness.note({ kind: 'paid', at: Date.now(), reference, amount: `${amountKobo}` })
    }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { entry, env } = bank.banksFile
  return {
    // As the service is told of it.
    banks: { entry: { ...entry, settings: { ...entry.settings, ...SETTINGS, baseUrl } }, env },
    railSecret: env.FAKE_BANK_RAIL_SECRET as string,
    nameOf: (accountNumber: string) => bank.bank.accounts.findName(accountNumber) as string,
    // Money came for a number: from here on the bank says so when it is asked.
    receive: (accountNumber: string, amountKobo: bigint) =>
      bank.bank.receive({ accountNumber, amountKobo: kobo(amountKobo) })?.sessionId,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await bank[Symbol.asyncDispose]()
    },
  }
}

function noteOrder(witness: Witness, body: Buffer): void {
  const { reference, amount } = JSON.parse(body.toString()) as { reference: string; amount: string }
  witness.note({ kind: 'ordered', at: Date.now(), reference, amount })
}
