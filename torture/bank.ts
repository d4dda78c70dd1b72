// The bank with an API: the simulated bank of fake-bank/, behind a front that the witness watches. The front
// records every order before the bank sees it, and afterwards the state of the bank's own books. It treats
// each order in one of these ways:
//
//   pay           pays, and answers so; now and then late
//   refuse        refuses permanently, and answers so
//   refuse_unsaid refuses permanently, and the connection breaks before the answer
//   pend          answers "pending", and pays seconds later
//   drop          pays, and the connection breaks before the answer
//   deny          like drop, and for seconds answers queries as if it did not know the payout
//   late          breaks the connection, does not know the payout for seconds, and then pays it

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { kobo } from '#money.ts'
import { startFakeBank } from '../fake-bank/fake-bank.ts'
import type { PayoutFate, Payouts } from '../fake-bank/payouts.ts'
import type { Random } from './random.ts'
import type { Witness } from './witness.ts'

export const BANK_CODE = '101'
// The simulated bank's own notifications go to a closed port, because the witness must record every
// notification before it is sent.
const CLOSED_PORT = 'http://127.0.0.1:9'
const OPENING = kobo(10n ** 15n)
const ANSWER_LATE_MS = [100, 4_000] as const
// How long the bank does not know a payout: past the service's first query about it, and over before the
// second.
const UNKNOWN_MS = [7_000, 11_000] as const
const LOOK_MS = 500
const SETTINGS = { timeoutMs: 6_000, ratePerSecond: 100 } // Above the load's rate of payouts.

type Way = 'pay' | 'refuse' | 'refuse_unsaid' | 'pend' | 'drop' | 'deny' | 'late'

const WAYS: readonly Way[] = [
  ...(['pay', 'pay', 'pay', 'pay', 'pay', 'refuse', 'refuse', 'refuse_unsaid'] as const),
  ...(['pend', 'drop', 'deny', 'late'] as const),
]
const BREAKS: readonly Way[] = ['refuse_unsaid', 'drop', 'deny', 'late']

export type WitnessedBank = Awaited<ReturnType<typeof startBank>>

// Starts the simulated bank and its front. `banks` is the entry for the service's bank settings.
export async function startBank(witness: Witness, random: Random) {
  const simulated = await startFakeBank({
    connector: 'manilla',
    bankCode: BANK_CODE,
    notify: CLOSED_PORT,
    openingKobo: OPENING,
  })
  const { bank, banksFile } = simulated
  const orders = new Orders(bank.payouts, witness, random)
  const delayed = new Set<NodeJS.Timeout>()

  // Passes the service's calls on to the simulated bank. For a payout order, `way` says how the bank treats
  // the order: normally, without an answer, or late. For other calls, `way` is undefined. isDenied() is true
  // for a query about an order that the bank claims not to know yet.
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '', headers } = request
    const body = await buffer(request).catch(() => undefined)
    if (!body) return
    const { authorization = '' } = headers
    const forward = () =>
      fetch(simulated.url + url, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
      })
        .catch(() => undefined)
        .finally(() => orders.noteOutcomes())
    const isOrder = method === 'POST' && url === '/payouts'
    const way = isOrder ? orders.take(body) : undefined
    if (way === 'late') {
      // The order waits in a queue of the bank.
      const timer = setTimeout(() => void forward(), random.integer(...UNKNOWN_MS))
      delayed.add(timer)
      return void request.socket.destroy()
    }
    if (way && random.happens(0.15)) await sleep(random.integer(...ANSWER_LATE_MS))
    const answer = orders.isDenied(method, url) ? NOT_FOUND : await forward()
    if (!answer || (way && BREAKS.includes(way))) return void request.socket.destroy()
    if (way && random.happens(0.1)) await sleep(random.integer(...ANSWER_LATE_MS))
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(await answer.text())
  })

  const outcomeTimer = setInterval(() => orders.noteOutcomes(), LOOK_MS).unref()
  await listen(server, 0)
  const { port } = server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}`
  const { entry, env } = banksFile
  return {
    code: BANK_CODE,
    banks: { entry: { ...entry, settings: { ...entry.settings, ...SETTINGS, baseUrl } }, env },
    railSecret: env.FAKE_BANK_RAIL_SECRET as string,
    keepDenying: (ms: number) => orders.keepDenying(ms),
    close: () => closeServer(server),
    open: () => listen(server, port),
    nameOf: (accountNumber: string) => bank.accounts.findName(accountNumber) as string,
    // Records money that arrived for a number. From then on the bank reports it when queried.
    receive: (accountNumber: string, amountKobo: bigint) =>
      bank.receive({ accountNumber, amountKobo: kobo(amountKobo) })?.sessionId,
    async [Symbol.asyncDispose]() {
      clearInterval(outcomeTimer)
      for (const timer of delayed) clearTimeout(timer)
      await closeServer(server)
      await simulated[Symbol.asyncDispose]()
    },
  }
}

// Refuses all connections, so that orders certainly do not reach the bank.
async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}

const NOT_FOUND = {
  status: 404,
  text: async () => JSON.stringify({ status: 'not_found', message: 'No such payout' }),
}

// The orders that the bank received, and its way of treating each.
class Orders {
  readonly #payouts: Payouts
  readonly #witness: Witness
  readonly #random: Random
  readonly #nextWay: () => Way
  readonly #ways = new Map<string, Way>() // By reference, because a repeated order is treated the same way.
  readonly #unknownUntilMs = new Map<string, number>()
  readonly #noted = new Set<string>()

  constructor(payouts: Payouts, witness: Witness, random: Random) {
    this.#payouts = payouts
    this.#witness = witness
    this.#random = random
    this.#nextWay = random.deck(WAYS)
  }

  // Records an order and chooses how the bank treats it; a repeated order is treated as before.
  take(body: Buffer): Way {
    const { reference, amount } = JSON.parse(body.toString()) as Record<string, string>
    if (!reference || !amount) return 'pay'
    this.#witness.note({ kind: 'ordered', at: Date.now(), reference, amount })
    const way = this.#ways.get(reference) ?? this.#nextWay()
    this.#ways.set(reference, way)
    this.#payouts.decideFate(reference, this.#fateOf(way))
    if (way === 'deny' || way === 'late') {
      this.#unknownUntilMs.set(reference, Date.now() + this.#random.integer(...UNKNOWN_MS))
    }
    return way
  }

  // For the fault “clocks-together”: each payout that the bank denies to know now stays denied for `ms`.
  // Returns whether there is one.
  keepDenying(ms: number): boolean {
    const now = Date.now()
    const denied = [...this.#unknownUntilMs].filter(([, untilMs]) => untilMs > now)
    for (const [reference] of denied) this.#unknownUntilMs.set(reference, now + ms)
    return denied.length > 0
  }

  // Whether the bank answers this query as if it did not know the payout.
  isDenied(method: string, url: string): boolean {
    const reference = /^\/payouts\/([^/?]+)$/.exec(url)?.[1] ?? ''
    return method === 'GET' && (this.#unknownUntilMs.get(reference) ?? 0) > Date.now()
  }

  // Tells the witness about each payout that the simulated bank has paid or refused since the last look.
  noteOutcomes(): void {
    for (const { reference, status, amountKobo } of this.#payouts.all()) {
      if (status === 'pending' || this.#noted.has(reference)) continue
      this.#noted.add(reference)
      const kind = status === 'confirmed' ? 'paid' : 'refused_by_bank'
      this.#witness.note({ kind, at: Date.now(), reference, amount: `${amountKobo}` })
    }
  }

  // How the simulated bank settles the order; broken connections and delays are the front's own.
  #fateOf(way: Way): PayoutFate {
    if (way === 'refuse' || way === 'refuse_unsaid') return { behaviour: 'reject' }
    if (way === 'pend') return { behaviour: 'delay', delayMs: this.#random.integer(2_000, 8_000) }
    return { behaviour: 'confirm' }
  }
}
