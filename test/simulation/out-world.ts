// The real side of the simulation of money out: a service with two processes, its clients and their users,
// the workers' rounds, and the banks. Processes die and are started again.

import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import { SANDBOX_BANKS } from '#config/bank-settings.ts'
import { fillHoldsRound } from '#holds/workers.ts'
import { formatKobo, type Kobo } from '#money.ts'
import { OBSERVED_MS_NEEDED } from '#payouts/unknown.ts'
import { settleRefund } from '#refunds/settle.ts'
import { finishSettlement } from '#settlement/close.ts'
import { settleReturnPayout } from '#suspense/settle.ts'
import { startTwin, startWithBanks } from '../support/bank-calls.ts'
import { MODEL_SPLITS } from '../support/model-splits.ts'
import { payoutRounds } from '../support/payouts.ts'
import { makeUser, signIn } from '../support/people.ts'
import type { seededRandom } from '../support/random.ts'
import type { Bench, Call } from '../support/running-service.ts'
import { runSchedule, setBankAccount } from '../support/settlements.ts'
import { SPLITS, SUBACCOUNTS, splitBody, subaccountBody } from '../support/splits.ts'
import { OutBooks, type OutClient } from './out-books.ts'
import { Settlements } from './out-settlements.ts'
import { Crash, PayoutBanks } from './payout-bank.ts'

export type Random = ReturnType<typeof seededRandom>
export type Sim = Awaited<ReturnType<typeof startSim>>

export const OPERATOR = 'MAN0000001'
export const BANKS = ['035', '101']
const NAMES = [OPERATOR, 'MAN0000002', 'MAN0000003']
const HOOKS = { settlement: finishSettlement, refund: settleRefund, return: settleReturnPayout }
const TOKEN_MS = 20 * 3_600_000
const SESSION_MS = 30 * 60_000
const ROUND_MS_MAX = 60_000
const SETTLED = ['confirmed', 'failed', 'cancelled']

export const naira = (kobo: bigint) => formatKobo(kobo as Kobo)

// Starts the service, the banks and the model's books. `first` and `twin` are two processes on one database:
// the workers' rounds run in the first, the clients' requests go to the twin.
export async function startSim(random: Random) {
  const simulatedBanks = SANDBOX_BANKS.filter(({ code }) => BANKS.includes(code))
  const env = { MANILLA_TOKEN_TTL_SECONDS: '86400' }
  const first = await startWithBanks(simulatedBanks, env)
  const now = () => first.clock().getTime()
  const banks = new PayoutBanks(BANKS, random, now)
  const books = new OutBooks(now)
  const clients: OutClient[] = []
  for (const name of NAMES) clients.push(await openClient(first, name))
  const settlements = new Map(clients.map((each) => [each, new Settlements(each, books)]))
  const callers = callersOf(first)
  // After a crash the workers must do nothing more, so their next look at the clock throws.
  const clock = () => {
    if (banks.isCrashed) throw new Crash()
    return first.clock()
  }
  const open = () =>
    payoutRounds({ ...first, clock }, { hooks: HOOKS, connections: banks.connections })
  let rounds = await open()
  let twin = await startTwin(first)
  const learn = () => learnOutcomes(first, { books, banks })
  return {
    ...{ bench: first, db: first.db, now, random, banks, books, clients, settlements, learn },
    ...callers,
    call: (call: Call) => twin.call(call),
    wait: (ms: number) => first.advance(ms),
    schedule: () => runSchedule(first),
    async fillHolds(): Promise<void> {
      const round = fillHoldsRound(first)
      while ((await round(AbortSignal.timeout(ROUND_MS_MAX))).more);
    },
    async learnAccounts(): Promise<void> {
      books.holds.opened = await readOpeningOrder(first)
    },
    // Sends the queued payouts. If the process dies meanwhile, it starts again without having seen the banks'
    // answers.
    async send(): Promise<void> {
      const blocked = books.blocked()
      const ended = await rounds.send().catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error
        return 'crashed'
      })
      if (ended === 'crashed') {
        banks.isCrashed = false
        banks.answers.clear()
        await rounds[Symbol.asyncDispose]()
        rounds = await open()
      }
      await learn()
      assert(blocked.every(books.isBlocked), 'a blocked payout was sent')
      for (const [reference, status] of banks.answers) {
        if (!SETTLED.includes(status)) continue
        assert.equal(books.payouts.get(reference)?.status, status, 'what the bank said is booked')
      }
      banks.answers.clear()
    },
    async query(): Promise<void> {
      await rounds.query()
      await learn()
    },
    async restart(): Promise<void> {
      const old = twin
      twin = await startTwin(first)
      await old[Symbol.asyncDispose]()
    },
    async [Symbol.asyncDispose]() {
      await rounds[Symbol.asyncDispose]()
      await twin[Symbol.asyncDispose]()
      await first[Symbol.asyncDispose]()
    },
  }
}

// Returns each ledger account's place in the order of opening, for the model: holds take money from accounts
// in this order.
async function readOpeningOrder({ db }: Bench): Promise<Map<string, number>> {
  const { rows } = await db.query<{ name: string }>(
    `select l.kind || ' ' || coalesce(a.account_number, l.owner) as name
       from ledger_accounts l left join collection_accounts a on a.id = l.id
      where l.kind in ('available', 'collection', 'subaccount', 'reserve') order by l.id`,
  )
  return new Map(rows.map(({ name }, at) => [name, at]))
}

// Reads the payouts that have been settled since the last call, checks each result, and applies it to the
// model.
async function learnOutcomes(
  { db, clock }: Bench,
  { books, banks }: { books: OutBooks; banks: PayoutBanks },
): Promise<void> {
  const known = [...books.payouts.values()].filter(({ status }) => !SETTLED.includes(status))
  const { rows } = await db.query<{ reference: string; status: string; bank: string }>(
    `select reference, status, bank_code as bank from payouts where reference = any($1)`,
    [known.map(({ reference }) => reference)],
  )
  assert.equal(rows.length, known.length)
  for (const { reference, status, bank } of rows) {
    const payout = books.payouts.get(reference)
    if (!payout || payout.status === status) continue
    if (!SETTLED.includes(status)) payout.status = status
    else {
      if (books.blockOf(payout))
        assert(!banks.toldAt.has(reference), 'it was sent while it was blocked')
      else assertTrue(banks, { reference, status, nowMs: clock().getTime() })
      books.settle(payout, status, bank)
    }
  }
}

type Verdict = { reference: string; status: string; nowMs: number }

// Asserts that the payout's status agrees with the bank's books, and that a payout that the bank never
// received failed only after the required time.
function assertTrue(banks: PayoutBanks, { reference, status, nowMs }: Verdict): void {
  const entry = banks.book.get(reference)
  const toldMs = banks.toldAt.get(reference)
  if (status === 'cancelled') assert.equal(toldMs, undefined, 'cancelled after it was sent')
  else if (status === 'confirmed') assert(entry?.isPaid && entry.dueMs <= nowMs, 'never paid')
  else if (entry) assert.equal(entry.isPaid, false, `${reference} was paid, and is failed`)
  else assert(toldMs !== undefined && nowMs - toldMs >= OBSERVED_MS_NEEDED, 'failed too soon')
}

// Creates a client with a bank account, subaccounts and splits.
async function openClient(bench: Bench, name: string): Promise<OutClient> {
  const token = name === OPERATOR ? await bench.login() : await bench.newClient(name)
  await setBankAccount(bench, { clientId: name })
  const post = async (url: string, body: object) => {
    const answer = await bench.call({ url, body, token })
    assert.equal(answer.statusCode, 200, answer.body)
  }
  for (const code of ['A', 'B', 'C']) await post(SUBACCOUNTS, subaccountBody(code))
  for (const [code, { type, parts }] of Object.entries(MODEL_SPLITS)) {
    const shares = parts.map(({ to, share, bearsFee }): [string, string, boolean] => [
      to,
      naira(share),
      bearsFee,
    ])
    await post(SPLITS, splitBody(code, type, ...shares))
  }
  const { rows } = await bench.db.query<{ id: bigint; code: string; client: bigint }>(
    `select s.id, s.code, c.id as client
       from subaccounts s join clients c on c.id = s.client_id where c.client_id = $1 order by s.id`,
    [name],
  )
  return {
    name,
    id: rows[0]?.client as bigint,
    collections: [],
    subaccounts: Object.fromEntries(rows.map(({ code, id }) => [code, id])),
    rule: undefined,
    payoutRule: undefined,
    approvalAboveKobo: null,
  }
}

type Person = { call(call: Omit<Call, 'token'>): Promise<LightMyRequestResponse> }

// Clients' tokens and users' sessions, which are renewed before they expire.
function callersOf(bench: Bench) {
  const stored = new Map<string, { value: unknown; atMs: number }>()
  const nowMs = () => bench.clock().getTime()
  // Returns the stored token or session, or a new one if the stored one is older than `lifeMs`.
  const reuseOrRenew = async <T>(
    name: string,
    lifeMs: number,
    renew: () => Promise<T>,
  ): Promise<T> => {
    const known = stored.get(name)
    if (known && nowMs() - known.atMs < lifeMs) return known.value as T
    const value = await renew()
    stored.set(name, { value, atMs: nowMs() })
    return value
  }
  const emails = new Map<string, string>()
  return {
    tokenOf: (client: string) =>
      reuseOrRenew(`token ${client}`, TOKEN_MS, () =>
        client === OPERATOR ? bench.login() : bench.login(client, 's3cret'),
      ),
    personOf: (client: string, role: 'owner' | 'operator', which = 1): Promise<Person> => {
      const name = `${role} ${which} of ${client}`
      return reuseOrRenew(name, SESSION_MS, async () => {
        const email = emails.get(name) ?? (await makeUser(bench, { clientId: client, role }))
        emails.set(name, email)
        return signIn(bench, email)
      })
    },
  }
}
