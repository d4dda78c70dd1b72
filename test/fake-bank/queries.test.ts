// What the simulated bank answers when a connector asks: lost transfers, numbers, names.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BankCalls, TransferListAnswer, TransferListQuery } from '#banks/connector.ts'
import type { ParsedItem } from '#banks/notifications.ts'
import { UNKNOWN_NUMBER } from '../../fake-bank/accounts.ts'
import type { FakeBank } from '../../fake-bank/fake-bank.ts'
import { callsOf, control, naira, startLoneBank } from '../support/fake-bank.ts'
import { isNuban } from '../support/nuban.ts'
import { START } from '../support/running-service.ts'

const NUMBER = '1000000001'
const FEES = { flatKobo: naira(45) } // With 7.5% VAT: 45.00 + 3.37.

async function startLosing(connector: string) {
  const bank = await startLoneBank({ connector, faults: { loss: 1 }, fees: FEES })
  return { bank, calls: callsOf(bank), [Symbol.asyncDispose]: bank[Symbol.asyncDispose] }
}

function receive(bank: FakeBank, accountNumber = NUMBER) {
  const transfer = bank.transfer({ accountNumber, amountKobo: naira(1000), narration: 'Shoes' })
  assert(transfer)
  return transfer
}

async function find(calls: BankCalls, kind: 'session_id' | 'settlement_id', value: string) {
  const answer = await calls.findTransfer?.({ kind, value }, {})
  return answer?.status === 'found' ? creditsOf(answer.items)[0] : answer?.status
}

function creditsOf(items: readonly ParsedItem[]) {
  return items.map((item) => (item.ok ? item.credit : assert.fail(item.code)))
}

test('manilla: a lost transfer is found by its session id, as it was sent', async () => {
  await using world = await startLosing('manilla')
  const transfer = receive(world.bank)
  const { sessionId, at } = transfer
  assert.deepEqual(await find(world.calls, 'session_id', sessionId), {
    sessionId,
    accountNumber: NUMBER,
    amountKobo: naira(1000),
    currency: 'NGN',
    charges: { feeKobo: 4_500n, vatKobo: 337n, dutyKobo: 0n },
    sourceAccountNumber: '0123456789',
    sourceAccountName: 'Ngozi Okafor',
    sourceBankCode: '058',
    narration: 'Shoes',
    transactionTime: at,
  })
  assert.equal(await find(world.calls, 'session_id', 'nobody-knows-this'), 'not_found')
})

test('providus: a lost transfer is found by its session id or settlement id', async () => {
  await using world = await startLosing('providus')
  const { sessionId, settlementId, at } = receive(world.bank)
  const bySession = await find(world.calls, 'session_id', sessionId)
  assert.deepEqual(bySession, {
    sessionId,
    otherIdentifiers: [{ kind: 'settlement_id', value: settlementId }],
    accountNumber: NUMBER,
    amountKobo: naira(1000),
    currency: 'NGN',
    charges: { feeKobo: 4_500n, vatKobo: 337n, dutyKobo: 0n },
    sourceAccountNumber: '0123456789',
    sourceAccountName: 'Ngozi Okafor',
    sourceBankCode: '058',
    narration: 'Shoes',
    transactionTime: at,
  })
  assert.deepEqual(await find(world.calls, 'settlement_id', settlementId), bySession)
  assert.equal(await find(world.calls, 'settlement_id', sessionId), 'not_found')
  assert.equal(await find(world.calls, 'session_id', 'nobody-knows-this'), 'not_found')
})

test('manilla: every transfer is listed once, page by page, of one account or of all', async () => {
  await using world = await startLosing('manilla')
  const sent = Array.from({ length: 450 }, (_, at) =>
    receive(world.bank, at % 3 === 0 ? '1000000002' : NUMBER),
  )
  const list = async (accountNumber: string | null, to = START) => {
    const found: string[] = []
    let cursor: string | null = null
    do {
      const query: TransferListQuery = { accountNumber, from: START, to, cursor }
      const answer: TransferListAnswer | undefined = await world.calls.listTransfers?.(query, {})
      assert(answer?.status === 'listed')
      found.push(...creditsOf(answer.items).map(({ sessionId }) => sessionId))
      cursor = answer.nextCursor
    } while (cursor !== null)
    return found
  }
  const ids = sent.map(({ sessionId }) => sessionId)
  assert.deepEqual(await list(null), ids)
  assert.deepEqual(
    await list('1000000002'),
    ids.filter((_, at) => at % 3 === 0),
  )
  assert.deepEqual(await list(null, new Date(START.getTime() - 1)), [])
})

for (const connector of ['manilla', 'providus']) {
  test(`${connector}: a reserved number takes money until it is blocked`, async () => {
    await using world = await startLosing(connector)
    const { bank, calls } = world
    const request = { kind: 'static', reference: 'R-1', accountName: 'Ada Obi', bvn: null } as const
    const reserved = await calls.reserveAccount?.(request, {})
    assert(reserved?.status === 'reserved')
    const { accountNumber } = reserved
    assert.equal(reserved.accountName, 'Ada Obi')
    assert(isNuban('101', accountNumber))
    const change = { accountNumber, accountName: 'Ada Eze' }
    assert.deepEqual(await calls.renameAccount?.(change, {}), { status: 'done' })
    assert.equal(bank.bank.accounts.find(accountNumber)?.accountName, 'Ada Eze')
    assert(receive(bank, accountNumber))

    assert.deepEqual(await calls.blockAccount?.({ accountNumber }, {}), { status: 'done' })
    const refused = await control(bank, 'transfers', { accountNumber, amount: '5.00' })
    assert.deepEqual(refused.body, { accountNumber, status: 'account_blocked' })
    const unknown = await calls.blockAccount?.({ accountNumber: NUMBER }, {})
    assert.equal(unknown?.status, 'refused')
  })

  test(`${connector}: who has other credentials learns nothing and changes nothing`, async () => {
    await using world = await startLosing(connector)
    const { sessionId } = receive(world.bank)
    const secret = connector === 'manilla' ? 'apiKey' : 'clientSecret'
    await using other = await startLoneBank({ connector, credentials: { [secret]: 'another' } })
    const stranger = callsOf(other, { baseUrl: world.bank.url })
    assert.notEqual(typeof (await find(stranger, 'session_id', sessionId)), 'object')
    const request = { kind: 'static', reference: 'R-1', accountName: 'A', bvn: null } as const
    assert.notEqual((await stranger.reserveAccount?.(request, {}))?.status, 'reserved')
  })
}

test('manilla: the same reference reserves the same number, another one another', async () => {
  await using world = await startLosing('manilla')
  const reserve = async (reference: string) => {
    const request = { kind: 'dynamic', reference, accountName: 'Ada', bvn: null } as const
    const answer = await world.calls.reserveAccount?.(request, {})
    return answer?.status === 'reserved' ? answer.accountNumber : answer
  }
  const first = await reserve('R-1')
  assert.equal(await reserve('R-1'), first)
  assert.notEqual(await reserve('R-2'), first)
})

test('manilla: a name enquiry names the holder of any account, at any bank', async () => {
  await using world = await startLosing('manilla')
  const nameOf = (accountNumber: string) =>
    world.calls.enquireName?.({ bankCode: '058', accountNumber }, {})
  const found = await nameOf('0123456789')
  assert.equal(found?.status, 'found')
  assert.deepEqual(await nameOf('0123456789'), found)
  assert.deepEqual(await nameOf(UNKNOWN_NUMBER), { status: 'not_found' })
})
