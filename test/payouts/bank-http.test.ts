// Payouts to simulated banks over real HTTP. However a bank behaves, it never pays a payout twice.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import type { BankConnection } from '#banks/connector.ts'
import { kobo } from '#money.ts'
import { type FakeBank, startFakeBank } from '../../fake-bank/fake-bank.ts'
import { assertCleanBooks, startWithBanks } from '../support/bank-calls.ts'
import { kill, spawnChild } from '../support/child-service.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  BANK_CODE,
  callsOf,
  connectorsThat,
  control,
  NOBODY,
  startWithFakeBank,
} from '../support/fake-bank.ts'
import { createPayout, fund, getPayout, payoutRounds } from '../support/payouts.ts'
import { SECRETS } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const OPENING_KOBO = kobo(100_000_000n)
const DAY_MS = 86_400_000
const PAYING = await connectorsThat('sendMoney')

// Starts a service with a simulated bank, and the rounds that send payouts to it.
async function startPaying(connector: string) {
  const world = await startWithFakeBank({ connector, openingKobo: OPENING_KOBO })
  const rounds = await payoutRounds(world.bench)
  return {
    bench: world.bench,
    bank: world.bank,
    rounds,
    async [Symbol.asyncDispose]() {
      await rounds[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

type World = Awaited<ReturnType<typeof startPaying>>

// Queues a payout that the bank treats by `behaviour`. `paid` counts what the bank has paid since. `later`
// moves the clock, sends payouts and queries the bank.
async function queuePayout({ bench, bank, rounds }: World, behaviour: string) {
  await fund(bench, '5000')
  await control(bank, 'payout-behaviour', { behaviour, delayMs: 30_000 })
  const paidBefore = await paidAt(bank)
  const { reference } = await createPayout(bench, { amount: 1000 })
  return {
    status: async () => (await getPayout(bench, reference)).status,
    paid: async () => (await paidAt(bank)) - paidBefore,
    async later(ms: number) {
      bench.advance(ms)
      await rounds.send()
      await rounds.query()
    },
  }
}

// How many payouts the bank has paid, by its statement.
async function paidAt(bank: FakeBank): Promise<number> {
  const { lines } = (await control(bank, 'statement')).body
  return lines.filter(({ kind }: { kind: string }) => kind === 'payout').length
}

for (const connector of PAYING) {
  let started: Promise<World> | undefined
  // The service and the bank of this connector, which its four tests share.
  const worldOf = () => {
    started ??= startPaying(connector).then(closeAfterTests)
    return started
  }

  test(`${connector}: confirm`, async () => {
    const world = await worldOf()
    const payout = await queuePayout(world, 'confirm')
    await world.rounds.send()
    await payout.later(60_000) // A bank may at first confirm only that it took the order.

    assert.deepEqual([await payout.status(), await payout.paid()], ['confirmed', 1])
    await assertCleanBooks(world.bench)
  })

  test(`${connector}: reject`, async () => {
    const world = await worldOf()
    const payout = await queuePayout(world, 'reject')
    await world.rounds.send()
    await payout.later(60_000)

    assert.deepEqual([await payout.status(), await payout.paid()], ['failed', 0])
    await assertCleanBooks(world.bench)
  })

  test(`${connector}: delay: unknown until the bank has paid`, async () => {
    const world = await worldOf()
    const payout = await queuePayout(world, 'delay')
    await world.rounds.send()
    assert.deepEqual([await payout.status(), await payout.paid()], ['unknown', 0])
    await payout.later(10_000)
    assert.equal(await payout.status(), 'unknown')
    await payout.later(60_000)

    assert.deepEqual([await payout.status(), await payout.paid()], ['confirmed', 1])
    await assertCleanBooks(world.bench)
  })

  test(`${connector}: drop_answer: asked for, and paid once`, async () => {
    const world = await worldOf()
    const payout = await queuePayout(world, 'drop_answer')
    await world.rounds.send()
    assert.deepEqual([await payout.status(), await payout.paid()], ['unknown', 1])
    await payout.later(10_000)

    assert.deepEqual([await payout.status(), await payout.paid()], ['confirmed', 1])
    await assertCleanBooks(world.bench)
  })
}

test('silent: neither paid nor failed, however often the bank is asked', async () => {
  await using world = await startPaying('manilla')
  const { bench, bank } = world
  const payout = await queuePayout(world, 'silent')
  const calls = callsOf(bank, { timeoutMs: 2_000 })
  const connection = { calls, limits: { ratePerSecond: 5, concurrency: 4 } } as BankConnection
  const connections = new Map([[BANK_CODE, connection]])
  await using rounds = await payoutRounds(bench, { connections })
  await rounds.send()
  for (const ms of [10_000, 3_600_000]) {
    bench.advance(ms)
    await rounds.send()
    await rounds.query()
  }

  assert.deepEqual([await payout.status(), await payout.paid()], ['unknown', 0])
  assert.equal((await control(bank, 'health')).body.unansweredPayoutCalls, 3)
  await assertCleanBooks(bench)
})

// Starts a proxy that forwards everything to the bank, but never passes on the bank's response to a payout
// order. `paid` resolves when the bank has responded to an order.
async function startSilencer(bank: () => string) {
  const paid = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray()
    const answer = await fetch(`${bank()}${request.url}`, {
      method: request.method ?? 'GET',
      headers: {
        authorization: request.headers.authorization ?? '',
        'content-type': 'application/json',
      },
      ...(request.method === 'POST' && { body: Buffer.concat(chunks) }),
    })
    if (request.url === '/payouts') return paid.resolve()
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(await answer.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paid: paid.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

test('a worker killed between payment and answer has paid once, and the next hears of it', async () => {
  using folder = createTempFolder()
  await using bank = await startFakeBank({
    connector: 'manilla',
    bankCode: BANK_CODE,
    notify: NOBODY,
    openingKobo: OPENING_KOBO,
  })
  await using silencer = await startSilencer(() => bank.url)
  const { entry, env } = bank.banksFile
  const settings = { ...entry.settings, baseUrl: silencer.url }
  const configured = { ...entry, name: 'Bank', settings }
  await using bench = await startWithBanks([{ ...configured, railSecrets: undefined }], env)
  await fund(bench, '5000')
  const { reference } = await createPayout(bench, { amount: 1000 })
  const file = join(folder.path, 'banks.json')
  writeFileSync(file, JSON.stringify([configured]))
  const { connectionString: url } = bench.database
  const worker = { ...SECRETS, ...env, MANILLA_BANKS_FILE: file, DATABASE_URL: url }

  await using child = spawnChild({ folder: folder.path, role: 'worker', env: worker })
  await Promise.race([silencer.paid, child.closed.then(() => assert.fail(child.output.err))])
  kill(child.child.pid as number)
  await child.closed
  assert.equal((await getPayout(bench, reference)).status, 'sending')
  await using rounds = await payoutRounds(bench)
  bench.advance(400 * DAY_MS) // Even by the clock of the process that died.
  await rounds.send()
  await rounds.query()

  assert.equal((await getPayout(bench, reference)).status, 'confirmed')
  assert.equal(await paidAt(bank), 1)
  await assertCleanBooks(bench)
})
