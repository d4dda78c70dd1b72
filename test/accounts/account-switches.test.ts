// A client switches its accounts off and on, and sets at most one default account per merchant, even with
// many requests at once. Money for an account that is off is taken and suspended.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  actionsOf,
  eventsOf,
  fieldsOf,
  listAccounts,
  patchAccount,
  switchAccount,
} from '../support/account-calls.ts'
import { startTwin } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  assertRefused,
  balanceOf,
  createAccount,
  dataOf,
  readAccount,
} from '../support/fixtures.ts'
import { credit, resolve } from '../support/movements.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
let merchants = 0

const newMerchant = () => `merchant-${merchants++}`
const makeDefault = async (accountNumber: string) =>
  dataOf(await switchAccount(bench, accountNumber, 'default'))

// Returns the numbers of the merchant's default accounts, of which there may be one.
async function defaultsOf(merchantId: string): Promise<string[]> {
  const { data } = (await listAccounts(bench, `?default=true&merchantId=${merchantId}`)).json()
  return data.map((account: { accountNumber: string }) => account.accountNumber)
}

test('money sent to an account that is off is suspended; on again, it is booked', async () => {
  const { accountNumber } = await createAccount(bench)

  const off = dataOf(await switchAccount(bench, accountNumber, 'deactivate'))
  assert.equal(off.isActive, false)
  const suspended = await credit(bench, accountNumber, '20.00')
  assert.equal(suspended.says, '00 suspended account_inactive')
  assert.equal(
    await resolve(bench, suspended.sessionId, 'assign', { accountNumber }),
    'suspense_not_fitting',
  )

  const on = dataOf(await switchAccount(bench, accountNumber, 'activate'))
  assert.equal(on.isActive, true)
  assert.equal((await credit(bench, accountNumber, '5.00')).says, '00 booked')
  assert.equal(await resolve(bench, suspended.sessionId, 'assign', { accountNumber }), 'assigned')

  assert.equal(await balanceOf(bench, accountNumber), 25)
  const events = (await eventsOf(bench, accountNumber)).map(
    ({ type, data }: { type: string; data: { isActive?: boolean } }) => `${type} ${data.isActive}`,
  )
  assert.deepEqual(events.slice(0, 4), [
    'account.created true',
    'account.deactivated false',
    'credit.suspended undefined',
    'account.activated true',
  ])
})

test('the user who switched an account, and the reason, are recorded; a repetition is not', async () => {
  const { accountNumber } = await createAccount(bench)
  const url = `${ACCOUNTS}/${accountNumber}/deactivate`

  await bench.call({ url, body: { note: 'Asked for by the customer' } })
  await bench.call({ url, body: { note: 'Again' } })
  await bench.call({ url, body: {} })
  assert.equal((await bench.call({ method: 'POST', url })).statusCode, 200)

  assert.deepEqual(await actionsOf(bench, accountNumber), [
    {
      actor: 'client:MAN0000001',
      action: 'account.deactivate',
      detail: { changes: ['isActive'], note: 'Asked for by the customer' },
    },
  ])
  for (const [body, field] of [
    [{ note: '' }, 'note'],
    [{ note: 5 }, 'note'],
    [{ note: 'x'.repeat(501) }, 'note'],
    [{ reason: 'x' }, 'reason'],
    [[], 'body'],
    ['"x"', 'body'],
  ] as const) {
    const refused = await bench.call({ url, body })
    assertRefused(refused, { code: 'invalid_request' })
    assert.deepEqual(fieldsOf(refused), [field])
  }
})

test('a merchant has one default: the last that was set', async () => {
  const merchantId = newMerchant()
  const [one, two] = [
    await createAccount(bench, { merchantId }),
    await createAccount(bench, { merchantId }),
  ]
  const elsewhere = await createAccount(bench, { merchantId: newMerchant() })
  assert.equal((await makeDefault(elsewhere.accountNumber)).isDefault, true)

  assert.equal((await makeDefault(one.accountNumber)).isDefault, true)
  assert.equal((await makeDefault(two.accountNumber)).isDefault, true)

  assert.deepEqual(await defaultsOf(merchantId), [two.accountNumber])
  assert.deepEqual(await defaultsOf(elsewhere.merchantId), [elsewhere.accountNumber])
  const listChanges = async ({ accountNumber }: { accountNumber: string }) =>
    (await eventsOf(bench, accountNumber))
      .slice(1)
      .map(
        ({ type, data }: { type: string; data: Record<string, unknown> }) =>
          `${type} ${data.changes} ${data.isDefault}`,
      )
  assert.deepEqual(await listChanges(one), [
    'account.updated isDefault true',
    'account.updated isDefault false',
  ])
  assert.deepEqual(await listChanges(two), ['account.updated isDefault true'])
  assert.equal((await actionsOf(bench, one.accountNumber)).length, 2)
})

test('the same merchantId of another client has a default of its own', async () => {
  const merchantId = newMerchant()
  const token = await bench.newClient('OTHER00001')
  const mine = await createAccount(bench, { merchantId })
  const theirs = await createAccount(bench, { merchantId }, { token })

  await makeDefault(mine.accountNumber)
  assert.equal(
    (await switchAccount(bench, theirs.accountNumber, 'default', { token })).statusCode,
    200,
  )

  assert.deepEqual(await defaultsOf(merchantId), [mine.accountNumber])
})

test('an account that is off is no default, and cannot be made one', async () => {
  const merchantId = newMerchant()
  const { accountNumber } = await createAccount(bench, { merchantId })
  await makeDefault(accountNumber)

  const off = dataOf(await switchAccount(bench, accountNumber, 'deactivate'))

  assert.deepEqual([off.isActive, off.isDefault], [false, false])
  const refused = await switchAccount(bench, accountNumber, 'default')
  assertRefused(refused, { status: 409, code: 'account_inactive' })
  assert.deepEqual(await defaultsOf(merchantId), [])
})

test('of many accounts set as default at once, through two processes, exactly one is it', async () => {
  await using twin = await startTwin(bench)
  const token = await bench.login()
  const merchantId = newMerchant()
  const accounts = await Promise.all(
    Array.from({ length: 12 }, () => createAccount(bench, { merchantId })),
  )

  const answers = await Promise.all(
    [...accounts, ...accounts].map(({ accountNumber }, at) =>
      switchAccount(at % 2 ? twin : bench, accountNumber, 'default', { token }),
    ),
  )

  assert(answers.every((answer) => answer.statusCode === 200))
  const defaults = await defaultsOf(merchantId)
  assert.equal(defaults.length, 1)
  const read = await Promise.all(accounts.map((each) => readAccount(bench, each.accountNumber)))
  assert.deepEqual(
    read.filter((each) => each.isDefault).map((each) => each.accountNumber),
    defaults,
  )
})

test('an account set as default and switched off at the same moment is never both', async () => {
  const merchantId = newMerchant()
  for (let round = 0; round < 5; round++) {
    const { accountNumber } = await createAccount(bench, { merchantId })
    const [set, off] = await Promise.all([
      switchAccount(bench, accountNumber, 'default'),
      switchAccount(bench, accountNumber, 'deactivate'),
    ])
    assert.equal(off.statusCode, 200)
    if (set.statusCode !== 200) assertRefused(set, { status: 409, code: 'account_inactive' })
    assert.equal((await readAccount(bench, accountNumber)).isDefault, false)
  }
})

test('an erased account cannot be changed', async () => {
  const { accountNumber } = await createAccount(bench)
  const url = `${ACCOUNTS}/${accountNumber}`
  await bench.call({ url: `${url}/erase`, body: { reason: 'Asked for by the customer' } })

  for (const to of ['activate', 'default', 'deactivate'] as const) {
    const refused = await switchAccount(bench, accountNumber, to)
    assertRefused(refused, { status: 409, code: 'account_erased' })
  }
  const patched = await patchAccount(bench, accountNumber, { accountName: 'Somebody' })
  assertRefused(patched, { status: 409, code: 'account_erased' })
  const { accountName, isActive } = await readAccount(bench, accountNumber)
  assert.deepEqual([accountName, isActive], ['Erased', false])
})

test('the database itself refuses a second default, and one that is off', async () => {
  const merchantId = newMerchant()
  const [one, two] = [
    await createAccount(bench, { merchantId }),
    await createAccount(bench, { merchantId }),
  ]
  await makeDefault(one.accountNumber)
  const set = 'update collection_accounts set is_default = true where account_number = $1'
  await assert.rejects(bench.db.query(set, [two.accountNumber]), /collection_accounts_one_default/)
  const off = 'update collection_accounts set is_active = false where account_number = $1'
  await assert.rejects(
    bench.db.query(off, [one.accountNumber]),
    /collection_accounts_default_is_active/,
  )
})

test('a switch sent again with its Idempotency-Key gets the first answer', async () => {
  const { accountNumber } = await createAccount(bench)
  const headers = { 'idempotency-key': 'switch-1' }
  const first = await switchAccount(bench, accountNumber, 'deactivate', { headers })
  await switchAccount(bench, accountNumber, 'activate')

  const again = await switchAccount(bench, accountNumber, 'deactivate', { headers })

  assert.equal(first.headers['idempotent-replayed'], undefined)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(again.body, first.body)
  assert.equal(again.headers.etag, first.headers.etag)
  assert.equal((await readAccount(bench, accountNumber)).isActive, true)
  const other = await switchAccount(bench, accountNumber, 'activate', { headers })
  assertRefused(other, { status: 409, code: 'idempotency_key_reused' })
})
