// The simulated bank answers queries for lost transfers, numbers and names, as each connector sends them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BankCalls, TransferListAnswer, TransferListQuery } from '#banks/connector.ts'
import type { IdentifierKind, IncomingCredit, ParsedItem } from '#banks/notifications.ts'
import { UNKNOWN_NUMBER } from '../../fake-bank/accounts.ts'
import { RAIL_SECRET } from '../../fake-bank/dialects/manilla.ts'
import { findDialect } from '../../fake-bank/dialects.ts'
import type { FakeBank } from '../../fake-bank/fake-bank.ts'
import { callsOf, connectorsThat, control, naira, startLoneBank } from '../support/fake-bank.ts'
import { isNuban } from '../support/nuban.ts'
import { START } from '../support/running-service.ts'

const NUMBER = '1000000001'
const FINDING = await connectorsThat('findTransfer')
const LISTING = await connectorsThat('listTransfers')
const RESERVING = await connectorsThat('reserveAccount')
const BLOCKING = await connectorsThat('blockAccount')
const NAMING = await connectorsThat('enquireName')
const RESERVATION = {
  kind: 'static',
  reference: '019a8a3c-0000-7000-8000-000000000001',
  accountName: 'Ada Obi Shop',
  customer: {
    name: 'Ada Obi',
    email: 'ada@example.com',
    phone: '08012345678',
    bvn: '22212345654',
    nin: null,
  },
} as const
const FEES = { flatKobo: naira(45) } // With 7.5% VAT: 45.00 + 3.37.

// Starts a bank that loses every notification, so that only queries find its transfers.
async function startLosing(connector: string) {
  const bank = await startLoneBank({ connector, faults: { loss: 1 }, fees: FEES })
  return { bank, calls: callsOf(bank), [Symbol.asyncDispose]: bank[Symbol.asyncDispose] }
}

// Simulates a transfer, whose notification is lost.
function receive(bank: FakeBank, accountNumber = NUMBER) {
  const transfer = bank.transfer({ accountNumber, amountKobo: naira(1000), narration: 'Shoes' })
  assert(transfer)
  return transfer
}

// A number that the bank did not reserve is its own reference.
const reservations = {
  numberOf: async (reference: string) => reference,
  referenceOf: async (accountNumber: string) => accountNumber,
}
const numberOf = (bankReference: string) => bankReference.replace(/^.*-/, '')

const isCredit = (value: IncomingCredit | string | undefined): value is IncomingCredit =>
  typeof value === 'object'

// Returns the credit that a query for this identifier finds, or the status of the answer.
async function findTransfer(calls: BankCalls, kind: IdentifierKind, value: string) {
  const answer = await calls.findTransfer?.({ kind, value }, { reservations })
  return answer?.status === 'found' ? creditsOf(answer.items)[0] : answer?.status
}

function creditsOf(items: readonly ParsedItem[]) {
  return items.map((item) => (item.ok ? item.credit : assert.fail(item.code)))
}

const RECEIVED = {
  accountNumber: NUMBER,
  amountKobo: naira(1000),
  currency: 'NGN',
  charges: { feeKobo: 4_500n, vatKobo: 337n, dutyKobo: 0n },
  sourceAccountNumber: '0123456789',
  sourceAccountName: 'Ngozi Okafor',
  sourceBankCode: '058',
  narration: 'Shoes',
}

test('manilla: a lost transfer is found by its session id, as it was sent', async () => {
  await using world = await startLosing('manilla')
  const transfer = receive(world.bank)
  const { sessionId, at } = transfer
  assert.partialDeepStrictEqual(await findTransfer(world.calls, 'session_id', sessionId), {
    sessionId,
    ...RECEIVED,
    transactionTime: at,
  })
  assert.equal(await findTransfer(world.calls, 'session_id', 'nobody-knows-this'), 'not_found')
})

test('providus: a lost transfer is found by its session id or settlement id', async () => {
  await using world = await startLosing('providus')
  const { sessionId, settlementId, at } = receive(world.bank)
  const bySession = await findTransfer(world.calls, 'session_id', sessionId)
  assert.partialDeepStrictEqual(bySession, {
    sessionId,
    otherIdentifiers: [{ kind: 'settlement_id', value: settlementId }],
    ...RECEIVED,
    transactionTime: at,
  })
  assert.deepEqual(await findTransfer(world.calls, 'settlement_id', settlementId), bySession)
  assert.equal(await findTransfer(world.calls, 'settlement_id', sessionId), 'not_found')
  assert.equal(await findTransfer(world.calls, 'session_id', 'nobody-knows-this'), 'not_found')
})

for (const connector of FINDING) {
  test(`${connector}: a lost transfer is found by what the bank calls it, and in its net`, async () => {
    await using world = await startLosing(connector)
    const { sessionId, bankReference, settledKobo } = receive(world.bank)
    let found = await findTransfer(world.calls, 'session_id', sessionId)
    for (const reference of [bankReference, numberOf(bankReference)]) {
      if (!isCredit(found)) found = await findTransfer(world.calls, 'bank_reference', reference)
    }
    assert(isCredit(found))
    assert.equal(found.accountNumber, NUMBER)
    assert.equal(found.amountKobo, naira(1000))
    if (findDialect(connector)?.hidesCharges) return assert.equal(found.charges, undefined)
    const { feeKobo, vatKobo, dutyKobo } = found.charges ?? {
      feeKobo: 0n,
      vatKobo: 0n,
      dutyKobo: 0n,
    }
    assert.equal(found.amountKobo - feeKobo - vatKobo - dutyKobo, settledKobo)
  })

  test(`${connector}: a caller with other credentials learns nothing and changes nothing`, async () => {
    await using world = await startLosing(connector)
    const { sessionId, bankReference } = receive(world.bank)
    const { credentials } = findDialect(connector) ?? assert.fail()
    const secrets = Object.entries(credentials).filter(([, { variable }]) => variable)
    const others = secrets.map(([name]) => [name, name === 'railSecret' ? RAIL_SECRET : 'another'])
    await using other = await startLoneBank({ connector, credentials: Object.fromEntries(others) })
    const stranger = callsOf(other, { baseUrl: world.bank.url })
    assert(!isCredit(await findTransfer(stranger, 'session_id', sessionId)))
    assert(!isCredit(await findTransfer(stranger, 'bank_reference', bankReference)))
    assert(!isCredit(await findTransfer(stranger, 'bank_reference', numberOf(bankReference))))
    const reserved = await stranger.reserveAccount?.(RESERVATION, {})
    assert.notEqual(reserved?.status, 'reserved')
  })
}

for (const connector of LISTING) {
  test(`${connector}: every transfer is listed once, page by page, of one account or all`, async () => {
    await using world = await startLosing(connector)
    const sent = Array.from({ length: 250 }, (_, at) =>
      receive(world.bank, at % 3 === 0 ? '1000000002' : NUMBER),
    )
    // Returns the session ids on all pages of the list.
    const list = async (accountNumber: string | null, at = START) => {
      const found: string[] = []
      let cursor: string | null = null
      do {
        const query: TransferListQuery = { accountNumber, from: at, to: at, cursor }
        const answer: TransferListAnswer | undefined = await world.calls.listTransfers?.(query, {
          reservations,
        })
        assert(answer?.status === 'listed')
        found.push(...creditsOf(answer.items).map(({ sessionId }) => sessionId))
        cursor = answer.nextCursor
      } while (cursor !== null)
      return found
    }
    const all = await list(null)
    const names = sent.map(({ sessionId, bankReference }) => [
      sessionId,
      bankReference,
      numberOf(bankReference),
    ])
    const kind = names[0]?.indexOf(all[0] ?? '') ?? -1
    const ids = names.map((each) => each[kind])
    assert.deepEqual(all, ids)
    assert.deepEqual(
      await list('1000000002'),
      ids.filter((_, at) => at % 3 === 0),
    )
    assert.deepEqual(await list(null, new Date(START.getTime() - 2 * 86_400_000)), [])
  })
}

for (const connector of RESERVING) {
  test(`${connector}: a reserved number is one of the bank's, and takes money`, async () => {
    await using world = await startLosing(connector)
    const reserved = await world.calls.reserveAccount?.(RESERVATION, {})
    assert(reserved?.status === 'reserved')
    assert.equal(reserved.accountName, 'Ada Obi Shop')
    assert(isNuban('101', reserved.accountNumber))
    assert(receive(world.bank, reserved.accountNumber))
  })
}

for (const connector of BLOCKING) {
  test(`${connector}: a number is renamed, and takes money until it is blocked`, async () => {
    await using world = await startLosing(connector)
    const { bank, calls } = world
    const reserved = await calls.reserveAccount?.(RESERVATION, {})
    assert(reserved?.status === 'reserved')
    const { accountNumber } = reserved
    const account = { accountNumber, reference: RESERVATION.reference }
    const change = { ...account, accountName: 'Ada Eze Shop' }
    assert.deepEqual(await calls.renameAccount?.(change, {}), { status: 'done' })
    assert.equal(bank.bank.accounts.find(accountNumber)?.accountName, 'Ada Eze Shop')
    assert(receive(bank, accountNumber))

    assert.deepEqual(await calls.blockAccount?.(account, {}), { status: 'done' })
    const refused = await control(bank, 'transfers', { accountNumber, amount: '5.00' })
    assert.deepEqual(refused.body, { accountNumber, status: 'account_blocked' })
    const unknown = await calls.blockAccount?.(
      { accountNumber: NUMBER, reference: 'nobody-knows-this' },
      {},
    )
    assert.equal(unknown?.status, 'refused')
  })
}

for (const connector of NAMING) {
  test(`${connector}: a name enquiry names the holder of any account, at any bank`, async () => {
    await using world = await startLosing(connector)
    const nameOf = (accountNumber: string) =>
      world.calls.enquireName?.({ bankCode: '058', accountNumber }, {})
    const found = await nameOf('0123456789')
    assert.equal(found?.status, 'found')
    assert.deepEqual(await nameOf('0123456789'), found)
    const nobody = await nameOf(UNKNOWN_NUMBER)
    const isHidden = findDialect(connector)?.hidesUnknownAccounts
    assert.equal(nobody?.status, isHidden ? 'no_answer' : 'not_found')
  })
}

test('manilla: the same reference reserves the same number, another one another', async () => {
  await using world = await startLosing('manilla')
  // Reserves an account, and returns its number or the refusal.
  const reserve = async (reference: string) => {
    const answer = await world.calls.reserveAccount?.({ ...RESERVATION, reference }, {})
    return answer?.status === 'reserved' ? answer.accountNumber : answer
  }
  const first = await reserve('R-1')
  assert.equal(await reserve('R-1'), first)
  assert.notEqual(await reserve('R-2'), first)
})
