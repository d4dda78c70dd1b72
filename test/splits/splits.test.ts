// Subaccounts and splits over HTTP: refused requests, terms that never change, and that a client sees only
// its own.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patchAccount } from '../support/account-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  ADVICE,
  accountBody,
  adviceBody,
  assertRefused,
  createAccount,
  createAdvice,
  dataOf,
} from '../support/fixtures.ts'
import { SANDBOX_PREFIXES } from '../support/payouts.ts'
import { type Call, startTestService } from '../support/running-service.ts'
import {
  createSubaccounts,
  numberAt058,
  postSplit,
  SPLITS,
  SUBACCOUNTS,
  splitBody,
  subaccountBody,
} from '../support/splits.ts'

const bench = closeAfterTests(await startTestService())
await createSubaccounts(bench, 'A', 'B')
const WHOLE = splitBody('WHOLE', 'percentage', ['A', 80], ['B', '20.00', true])
dataOf(await postSplit(bench, WHOLE))

const errorsOf = (answer: { json(): { errors?: { field: string }[] } }) =>
  answer.json().errors?.map(({ field }) => field)

test('a subaccount shows whom it pays, masked, and what it has', async () => {
  const view = dataOf(await bench.call({ url: `${SUBACCOUNTS}/A` }))

  const { createdAt, updatedAt, bankAccountReference, ...rest } = view
  assert.equal(createdAt, updatedAt)
  assert.match(bankAccountReference, /^BAC\d{15}$/)
  assert.deepEqual(rest, {
    subaccountCode: 'A',
    name: 'Vendor A',
    bankCode: '058',
    accountNumberMasked: `******${numberAt058('02345').slice(-4)}`,
    accountName: 'Ada Vendor',
    accountStatus: 'confirmed',
    isAccountActive: true,
    isActive: true,
    balance: 0,
  })
  const { data } = (await bench.call({ url: `${SUBACCOUNTS}?limit=1` })).json()
  assert.equal(data.length, 1)
})

test('codes are generated where none is given, and taken once', async () => {
  const { subaccountCode: _, ...body } = subaccountBody('')
  const made = dataOf(await bench.call({ url: SUBACCOUNTS, body }))
  assert.match(made.subaccountCode, /^SUB\d{12}$/)
  const again = await bench.call({ url: SUBACCOUNTS, body: subaccountBody('A') })
  assertRefused(again, { status: 409, code: 'subaccount_exists' })

  const { splitCode: __, ...split } = splitBody('', 'flat', ['A', 1])
  assert.match(dataOf(await postSplit(bench, split)).splitCode, /^SPL\d{12}$/)
  assertRefused(await postSplit(bench, WHOLE), { status: 409, code: 'split_exists' })
})

const bankAccountsOf = async (token: string) =>
  (await bench.call({ url: '/api/v1/bank-accounts', token })).json().data as {
    reference: string
    isDefault: boolean
  }[]

test('a subaccount’s bank account is stored once, and is never the client’s default', async () => {
  const token = await bench.newClient('FRESH')
  const create = (code: string) =>
    bench.call({ url: SUBACCOUNTS, body: subaccountBody(code), token })
  const one = dataOf(await create('one'))
  const other = dataOf(await create('other'))

  const [account, ...more] = await bankAccountsOf(token)
  assert.deepEqual(more, [])
  assert.equal(account?.isDefault, false)
  assert.equal(one.bankAccountReference, account?.reference)
  assert.equal(other.bankAccountReference, account?.reference)
  const body = subaccountBody('third', { accountName: 'Somebody Else' })
  const third = await bench.call({ url: SUBACCOUNTS, body, token })
  assertRefused(third, { status: 409, code: 'bank_account_mismatch' })

  const url = `/api/v1/bank-accounts/${account?.reference}`
  await bench.call({ method: 'PATCH', url, body: { isActive: false }, token })
  assertRefused(await create('late'), { status: 409, code: 'bank_account_inactive' })
})

test('the bank is asked whose account it is', async () => {
  const create = (accountNumber: string) =>
    bench.call({ url: SUBACCOUNTS, body: subaccountBody('asked', { accountNumber }) })
  assertRefused(await create(numberAt058(SANDBOX_PREFIXES.unknownAccount)), {
    status: 409,
    code: 'bank_account_unknown',
  })
  assertRefused(await create(numberAt058(SANDBOX_PREFIXES.otherCustomer)), {
    status: 409,
    code: 'bank_account_mismatch',
  })
  const wrong = numberAt058('02345').replace(/.$/, (last) => `${(Number(last) + 1) % 10}`)
  assertRefused(await create(wrong), { code: 'invalid_request' })

  assert.equal(
    dataOf(await create(numberAt058(SANDBOX_PREFIXES.silentAboutNames))).accountStatus,
    'unconfirmed',
  )
})

test('a malformed split is refused, and nothing is made', async () => {
  const before = (await bench.call({ url: SPLITS })).json().data.length
  const eleven = Array.from({ length: 11 }, (): [string, number] => ['A', 1])
  const bad: [object, string][] = [
    [splitBody('x', 'percentage', ['A', 80], ['B', 20.01]), 'parts'],
    [splitBody('x', 'percentage', ['A', 100.01]), 'parts.0.share'],
    [splitBody('x', 'percentage', ['A', 0]), 'parts.0.share'],
    [splitBody('x', 'percentage', ['A', -1]), 'parts.0.share'],
    [splitBody('x', 'percentage', ['A', '33.333']), 'parts.0.share'],
    [splitBody('x', 'flat', ['A', '1e3']), 'parts.0.share'],
    [splitBody('x', 'flat', ['A', 1], ['A', 2]), 'parts.1.subaccountCode'],
    [splitBody('x', 'flat', ['nobody', 1]), 'parts.0.subaccountCode'],
    [splitBody('x', 'flat'), 'parts'],
    [splitBody('x', 'flat', ...eleven), 'parts'],
    [{ ...WHOLE, splitCode: 'no code' }, 'splitCode'],
    [{ ...WHOLE, splitCode: 'y', type: 'half' }, 'type'],
    [{ ...WHOLE, splitCode: 'y', name: ' ' }, 'name'],
    [{ ...WHOLE, splitCode: 'y', extra: 1 }, 'extra'],
  ]
  for (const [body, field] of bad) {
    const answer = await postSplit(bench, body)
    assertRefused(answer, { code: 'invalid_request' })
    assert.deepEqual(errorsOf(answer), [field], JSON.stringify(body))
  }
  assert.equal((await bench.call({ url: SPLITS })).json().data.length, before)
})

test('a malformed subaccount is refused', async () => {
  const bad: [object, string][] = [
    [{ accountNumber: '12345' }, 'accountNumber'],
    [{ bankCode: 'GTB' }, 'bankCode'],
    [{ accountName: '' }, 'accountName'],
    [{ name: '\u0000' }, 'name'],
    [{ subaccountCode: '-x' }, 'subaccountCode'],
  ]
  for (const [changes, field] of bad) {
    const body = subaccountBody('bad', changes)
    const answer = await bench.call({ url: SUBACCOUNTS, body })
    assertRefused(answer, { code: 'invalid_request' })
    assert.deepEqual(errorsOf(answer), [field])
  }
  const patch = (body: unknown, code = 'A') =>
    bench.call({ method: 'PATCH', url: `${SUBACCOUNTS}/${code}`, body })
  assertRefused(await patch({}), { code: 'invalid_request' })
  assertRefused(await patch({ bankCode: '035' }), { code: 'invalid_request' })
  assertRefused(await patch({ name: 'X' }, 'nobody'), {
    status: 404,
    code: 'subaccount_not_found',
  })
  assertRefused(await bench.call({ url: `${SPLITS}/%00` }), {
    status: 404,
    code: 'split_not_found',
  })
})

test('advices and accounts take active splits of their own client that fit', async () => {
  dataOf(await postSplit(bench, splitBody('FLAT', 'flat', ['A', 60], ['B', 40])))
  const token = await bench.newClient('SPLITTER')
  await assertRefusedEverywhere('NONE')
  await assertRefusedEverywhere('WHOLE', { token })
  const over = await bench.call({
    url: ADVICE,
    body: adviceBody({ splitCode: 'FLAT', amount: 99 }),
  })
  assertRefused(over, { code: 'invalid_request' }, 'payment')
  assert.deepEqual(errorsOf(over), ['splitCode'])

  assert.equal((await createAdvice(bench, { splitCode: 'FLAT', amount: 100 })).splitCode, 'FLAT')
  assert.equal((await createAdvice(bench, { splitCode: '' })).splitCode, null)
  await createAccount(bench, { splitCode: 'FLAT' })
})

// Asserts that advices and accounts, created or changed, refuse this split.
async function assertRefusedEverywhere(splitCode: string, by: Partial<Call> = {}): Promise<void> {
  const advice = await bench.call({ url: ADVICE, body: adviceBody({ splitCode }), ...by })
  assertRefused(advice, { code: 'invalid_request' }, 'payment')
  assert.deepEqual(errorsOf(advice), ['splitCode'])
  const account = await bench.call({ url: ACCOUNTS, body: accountBody({ splitCode }), ...by })
  assertRefused(account, { code: 'invalid_request' })
  assert.deepEqual(errorsOf(account), ['splitCode'])
  const { accountNumber } = await createAccount(bench, {}, by)
  const patched = await patchAccount(bench, accountNumber, { splitCode }, by)
  assertRefused(patched, { code: 'invalid_request' })
  const items = { accounts: [accountBody(), accountBody({ splitCode })] }
  const { data } = (await bench.call({ url: `${ACCOUNTS}/bulk`, body: items, ...by })).json()
  assert.equal(data.results[0].isSuccessful ?? data.results[0].code, true)
  assert.equal(data.results[1].code, 'invalid_request')
}

test('an account keeps its split when the split is deactivated, and nothing new gets it', async () => {
  dataOf(await postSplit(bench, splitBody('OLD', 'percentage', ['A', 1])))
  const merchantRef = 'before'
  const before = await createAdvice(bench, { splitCode: 'OLD', merchantRef })
  const { accountNumber } = await createAccount(bench, { splitCode: 'OLD' })
  const deactivate = () => bench.call({ method: 'POST', url: `${SPLITS}/OLD/deactivate` })

  assert.equal(dataOf(await deactivate()).isActive, false)
  assert.equal(dataOf(await deactivate()).isActive, false)

  await assertRefusedEverywhere('OLD')
  const again = await createAdvice(bench, { splitCode: 'OLD', merchantRef })
  assert.equal(again.adviceReference, before.adviceReference)
  const answer = await patchAccount(bench, accountNumber, {
    splitCode: 'OLD',
    email: 'a@b.example',
  })
  assert.equal(dataOf(answer).splitCode, 'OLD')
  const other = await bench.call({
    url: ADVICE,
    body: adviceBody({ merchantRef, splitCode: 'WHOLE' }),
  })
  assertRefused(other, { status: 400, code: 'merchant_ref_reused' }, 'payment')
})

test('an inactive subaccount is in no new split, and no split with it is given to anything', async () => {
  await createSubaccounts(bench, 'GONE')
  dataOf(await postSplit(bench, splitBody('WITH', 'percentage', ['GONE', 1])))
  const change = (body: object) => bench.call({ method: 'PATCH', url: `${SUBACCOUNTS}/GONE`, body })
  const renamed = dataOf(await change({ isActive: false, name: 'Gone Ltd' }))
  assert.deepEqual([renamed.isActive, renamed.name], [false, 'Gone Ltd'])

  const split = await postSplit(bench, splitBody('NEW', 'percentage', ['GONE', 1]))
  assertRefused(split, { code: 'invalid_request' })
  await assertRefusedEverywhere('WITH')

  dataOf(await change({ isActive: true }))
  await createAdvice(bench, { splitCode: 'WITH' })
})

test('the terms of a split never change, and its parts are at most the whole', async () => {
  for (const statement of [
    `update splits set type = 'flat'`,
    `update splits set deactivated_at = null where deactivated_at is not null`,
    'delete from splits',
    'update split_parts set share = 1',
    'delete from split_parts',
    'truncate split_parts',
    `insert into split_parts (client_id, split_id, position, subaccount_id, share, bears_fee)
     select s.client_id, s.id, 3, u.id, 1, false from splits s, subaccounts u
      where s.code = 'WHOLE' and u.code not in ('A', 'B') and u.client_id = s.client_id limit 1`,
  ]) {
    await assert.rejects(bench.db.query(statement), /only be|append|whole|change/, statement)
  }
})

test('another client sees no splits of the client, and may use the same codes', async () => {
  const token = await bench.newClient('OTHER')
  for (const [url, code] of [
    [`${SUBACCOUNTS}/A`, 'subaccount_not_found'],
    [`${SPLITS}/WHOLE`, 'split_not_found'],
  ] as const) {
    assertRefused(await bench.call({ url, token }), { status: 404, code })
  }
  for (const url of [SUBACCOUNTS, SPLITS]) {
    assert.deepEqual((await bench.call({ url, token })).json().data, [])
  }
  const stranger = await postSplit(bench, splitBody('MINE', 'flat', ['A', 1]), { token })
  assertRefused(stranger, { code: 'invalid_request' })

  dataOf(await bench.call({ url: SUBACCOUNTS, body: subaccountBody('A'), token }))
  dataOf(await postSplit(bench, splitBody('WHOLE', 'flat', ['A', 1]), { token }))
})

test('the actor is in the audit log', async () => {
  const { data } = (await bench.call({ url: '/api/v1/audit-log?limit=100' })).json()
  const actions = new Set(data.map(({ action }: { action: string }) => action))
  for (const action of ['subaccount.create', 'subaccount.update', 'split.create']) {
    assert(actions.has(action), action)
  }
  assert(actions.has('split.deactivate'))
})
