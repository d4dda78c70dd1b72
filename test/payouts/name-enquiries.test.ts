// If a bank does not answer a name enquiry about an account that settlements are paid to, a worker asks
// again. Settlements to the account wait until the bank answers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BankCalls, BankConnections, NameAnswer, NamedAccount } from '#banks/connector.ts'
import { enquireNamesRound } from '#payouts/workers.ts'
import { Sealer } from '#seal.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { credit } from '../support/movements.ts'
import {
  addBankAccount,
  BANK_ACCOUNTS,
  createPayout,
  fund,
  getPayout,
  makeDefault,
  PAYOUTS,
  SANDBOX_PREFIXES,
} from '../support/payouts.ts'
import { newBrowser } from '../support/people.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { closeSettlement, decideOn, settlementOf } from '../support/settlements.ts'
import { createSubaccounts, newAccountBody, payElsewhere } from '../support/splits.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const SILENT: NameAnswer = { status: 'no_answer', reason: 'timeout' }

type Answer = NameAnswer | ((account: NamedAccount) => Promise<NameAnswer>)
const named = (accountName: string): NameAnswer => ({ status: 'found', accountName })

// A worker whose bank gives the answer `answers.now`, which the test may change, or has no API if `answers`
// is missing. `asked` has the account numbers about which the worker asked.
function workerOf(bench: Bench, answers?: { now: Answer }) {
  const { data, hash } = bench.config.secrets
  const numbers: string[] = []
  const enquireName: BankCalls['enquireName'] = async (account) => {
    numbers.push(account.accountNumber)
    const answer = answers?.now ?? SILENT
    return typeof answer === 'function' ? answer(account) : answer
  }
  const calls = answers ? { enquireName } : {}
  const bankConnections = new Map([['035', { calls }]]) as never as BankConnections
  const sealer = new Sealer(data, hash)
  const round = enquireNamesRound({ db: bench.db, clock: bench.clock, sealer, bankConnections })
  return { asked: numbers, run: () => round(new AbortController().signal) }
}

// Starts a service with a default bank account whose bank has not answered the name enquiry.
async function startUnconfirmed() {
  const bench = await startTestService()
  const account = await addBankAccount(bench, { prefix: SANDBOX_PREFIXES.silentAboutNames })
  await makeDefault(bench, account.reference)
  const url = `${BANK_ACCOUNTS}/${account.reference}`
  const read = async () => dataOf(await bench.call({ url }))
  const change = (body: object) => bench.call({ method: 'PATCH', url, body })
  return { bench, account, read, change }
}

// Closes a settlement of a new credit of 100.00.
async function settle(bench: Bench) {
  bench.advance(1_000)
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '100')
  return closeSettlement(bench)
}

test('a bank that answers later confirms the name, and settlements are paid again', async () => {
  const { bench, account, read } = await startUnconfirmed()
  await using _ = bench
  const answers: { now: Answer } = { now: SILENT }
  const worker = workerOf(bench, answers)
  await worker.run()
  const held = await settle(bench)
  assert.deepEqual([held.status, held.heldReason], ['closed', 'bank_account_unconfirmed'])
  assert.equal((await read()).status, 'unconfirmed')

  bench.advance(MINUTE_MS)
  answers.now = named('OBI ADA')
  await worker.run()

  const { status, nameAtBank, enquiredAt } = await read()
  assert.deepEqual([status, nameAtBank, enquiredAt !== null], ['confirmed', 'OBI ADA', true])
  assert.deepEqual(worker.asked, [account.accountNumber, account.accountNumber])
  const log = await bench.call({ url: '/api/v1/audit-log?action=bank_account.enquire' })
  const [{ actor, subject, detail }, ...others] = log.json().data
  assert.deepEqual([actor, detail.status, others], ['bank:058', 'confirmed', []])
  assert.equal(subject, `bank-account/${account.reference}`)
  assert.equal((await settle(bench)).status, 'approved')
  assert.equal((await settlementOf(bench, held.reference)).payees[0].blockedBy, null)
  assert.equal((await decideOn(bench, held.reference, 'approve')).statusCode, 200)
  await worker.run()
  assert.equal(worker.asked.length, 2)
  await assertCleanBooks(bench)
})

test('a silent bank is asked after a minute, then at doubling intervals up to six hours', async () => {
  const { bench } = await startUnconfirmed()
  await using _ = bench
  const worker = workerOf(bench, { now: SILENT })
  await worker.run()

  const waits = [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]
  for (const [at, minutes] of waits.entries()) {
    bench.advance(minutes * MINUTE_MS - 1)
    await worker.run()
    assert.equal(worker.asked.length, at + 1, `${minutes} minutes`)
    bench.advance(1)
    await worker.run()
    assert.equal(worker.asked.length, at + 2, `${minutes} minutes`)
  }
})

test('a bank that has another name, or no such account, keeps settlements from being paid', async () => {
  for (const answer of [named('Somebody Else'), { status: 'not_found' }] as const) {
    const { bench, read } = await startUnconfirmed()
    await using _ = bench
    const held = await settle(bench)
    const worker = workerOf(bench, { now: answer })
    await worker.run()
    await worker.run()

    const { status, nameAtBank } = await read()
    const name = answer.status === 'found' ? 'Somebody Else' : null
    assert.deepEqual([status, nameAtBank, worker.asked.length], ['mismatch', name, 1])
    const refused = await decideOn(await newBrowser(bench), held.reference, 'approve')
    assertRefused(refused, { status: 409, code: 'bank_account_mismatch' })
    assert.equal((await settle(bench)).heldReason, 'bank_account_mismatch')
    bench.advance(HOUR_MS)
    await workerOf(bench, { now: named('Ada Obi') }).run()
    // A bank that did not know the account may have been wrong, so the worker asks it again.
    assert.equal((await read()).status, answer.status === 'found' ? 'mismatch' : 'confirmed')
  }
})

test('a payout approved meanwhile is not sent to an account that the bank does not know', async () => {
  const { bench, account } = await startUnconfirmed()
  await using _ = bench
  await fund(bench, '10')
  const { reference } = await createPayout(bench, { amount: 10, bankAccount: account.reference })
  const url = `${PAYOUTS}/${reference}/approve`
  const approved = await (await newBrowser(bench)).call({ url, body: {} })
  assert.equal(approved.statusCode, 200, approved.body)

  await workerOf(bench, { now: { status: 'not_found' } }).run()

  assert.equal((await getPayout(bench, reference)).blockedBy, 'bank_account_mismatch')
})

test('the bank’s last answer counts while it is silent, under any name that is sent', async () => {
  const { bench, account, read } = await startUnconfirmed()
  await using _ = bench
  const { bankCode, accountNumber } = account
  const give = (accountName: string) =>
    bench.call({ url: BANK_ACCOUNTS, body: { bankCode, accountNumber, accountName } })
  await workerOf(bench, { now: named('ADA EZE OBI') }).run()
  const { enquiredAt } = await read()
  bench.advance(HOUR_MS)

  for (const name of ['Ada Obi', 'Ada Obi Ltd']) {
    assert.equal(dataOf(await give(name)).status, 'mismatch', name)
  }
  const right = dataOf(await give('Ada Eze Obi'))
  assert.deepEqual([right.status, right.enquiredAt], ['confirmed', enquiredAt])
})

test('several workers ask once, and hold no lock meanwhile', async () => {
  const { bench, account, read } = await startUnconfirmed()
  await using _ = bench
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const worker = workerOf(bench, {
    now: async () => {
      begun.resolve()
      await end.promise
      return named('Ada Obi')
    },
  })
  const rounds = [worker.run(), worker.run()]
  await begun.promise
  const third = workerOf(bench, { now: named('Ada Obi') })
  await third.run()
  const lock = 'select from bank_accounts where reference = $1 for update nowait'
  assert.equal((await bench.db.query(lock, [account.reference])).rowCount, 1)
  end.resolve()
  await Promise.all(rounds)

  assert.deepEqual([worker.asked.length, third.asked.length], [1, 0])
  assert.equal((await read()).status, 'confirmed')
})

test('an answer about an account that was changed meanwhile is ignored', async () => {
  for (const meanwhile of ['deactivated', 'renamed'] as const) {
    const { bench, account, read, change } = await startUnconfirmed()
    await using _ = bench
    const { bankCode, accountNumber } = account
    const body = { bankCode, accountNumber, accountName: 'Bola Ade' }
    const worker = workerOf(bench, {
      now: async ({ expectedName }) => {
        if (expectedName !== 'Ada Obi') return SILENT // The new name is enquired at once.
        if (meanwhile === 'deactivated') await change({ isActive: false })
        else await bench.call({ url: BANK_ACCOUNTS, body })
        return named('Ada Obi')
      },
    })

    await worker.run()

    assert.equal((await read()).status, 'unconfirmed', meanwhile)
    assert.equal((await read()).isActive, meanwhile === 'renamed')
    bench.advance(HOUR_MS)
    const later = workerOf(bench, { now: named('Bola Ade') })
    await later.run()
    assert.equal(later.asked.length, meanwhile === 'renamed' ? 1 : 0)
  }
})

test('banks are asked about accounts that settlements are paid to, few at a time', async () => {
  await using bench = await startTestService()
  await addBankAccount(bench, { prefix: SANDBOX_PREFIXES.silentAboutNames }) // Used for payouts only.
  const codes = Array.from({ length: 13 }, (_each, at) => `S${at}`)
  await createSubaccounts(bench, ...codes)
  const bodies = codes.map(() => newAccountBody(SANDBOX_PREFIXES.silentAboutNames))
  for (const [at, body] of bodies.entries()) await payElsewhere(bench, codes[at] as string, body)
  const reference = await payElsewhere(
    bench,
    'S0',
    newAccountBody(SANDBOX_PREFIXES.silentAboutNames),
  )
  await bench.call({
    method: 'PATCH',
    url: `${BANK_ACCOUNTS}/${reference}`,
    body: { isActive: false },
  })
  const numbers = bodies.slice(1).map(({ accountNumber }) => accountNumber)

  const silent = workerOf(bench, { now: SILENT })
  await silent.run()
  assert.deepEqual(silent.asked, numbers.slice(0, 1)) // The bank is silent: the worker stops asking.
  const up = workerOf(bench, { now: { ...SILENT, isUp: true } })
  await up.run()
  assert.deepEqual(up.asked, numbers.slice(1, 11))
  await up.run()
  assert.deepEqual(up.asked, numbers.slice(1))

  bench.advance(HOUR_MS)
  const answering = workerOf(bench, { now: named('Ada Vendor') })
  await answering.run()
  await answering.run()
  await answering.run()
  assert.deepEqual(answering.asked.toSorted(), numbers.toSorted())
})

test('where no bank can be asked, nothing is counted as asked', async () => {
  const { bench, account } = await startUnconfirmed()
  await using _ = bench
  await workerOf(bench).run()

  const { rows } = await bench.db.query(
    'select enquiries, next_enquiry_at from bank_accounts where reference = $1',
    [account.reference],
  )
  assert.deepEqual(rows, [{ enquiries: 0, nextEnquiryAt: null }])
})

test('accounts are asked about at the time of the test clock', async () => {
  const { bench, account } = await startUnconfirmed()
  await using _ = bench
  const clock = '/sandbox/clock'
  const set = await bench.call({ url: `${clock}/advance`, body: { seconds: 1 } })
  assert.equal(set.statusCode, 200, set.body)

  const moved = await bench.call({ url: `${clock}/advance`, body: { seconds: 3 * 60 + 10 } })

  const ran: { kind: string; count: number }[] = moved.json().data.ran
  assert.deepEqual(
    ran.flatMap(({ kind, count }) => (kind === 'enquire_names' ? count : [])),
    [1, 1],
  )
  assert.equal(account.status, 'unconfirmed')
})
