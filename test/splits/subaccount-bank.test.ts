// Changing the bank account of a subaccount: the service asks the bank for the account's name, all fields
// change or none, and the audit log names both accounts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, dataOf } from '../support/fixtures.ts'
import { addBankAccount, BANK_ACCOUNTS, SANDBOX_PREFIXES } from '../support/payouts.ts'
import { newBrowser } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import {
  changeSubaccount,
  createSubaccounts,
  newAccountBody,
  payElsewhere,
  SUBACCOUNTS,
} from '../support/splits.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const bench = closeAfterTests(await startTestService())
await createSubaccounts(bench, 'A')

const read = async () => dataOf(await bench.call({ url: `${SUBACCOUNTS}/A` }))

type Entry = { action: string; detail: { before: string; after: string } }

// The audit log's details about each change of the subaccount's bank account.
async function changes(): Promise<Entry['detail'][]> {
  const { rows } = await bench.db.query<Entry>(
    `select action, detail from audit_log
      where subject = 'subaccount/A' and action = 'subaccount.change_bank_account' order by id`,
  )
  return rows.map(({ detail }) => detail)
}

// The rows that a change could leave behind, compared before and after.
async function traces() {
  const { rows } = await bench.db.query(
    `select (select json_agg(u order by id) from subaccounts u) as subaccounts,
            (select json_agg(b order by id) from bank_accounts b) as accounts,
            (select count(*) from audit_log where action not like 'user.%') as actions`,
  )
  return rows[0]
}

// Asserts that a change is refused and leaves nothing behind.
async function assertChangesNothing(body: object, code: string, status = 409) {
  const before = await traces()
  const answer = await changeSubaccount(bench, 'A', body)
  assertRefused(answer, { status, code })
  assert.deepEqual(await traces(), before)
  return answer
}

test('a subaccount is paid to another bank account, and nothing else of it changes', async () => {
  const before = await read()
  const body = newAccountBody()
  bench.advance(1_000)

  const after = dataOf(await changeSubaccount(bench, 'A', body))

  const { bankAccountReference, accountNumberMasked, updatedAt, ...same } = after
  assert.deepEqual({ ...before, bankAccountReference, accountNumberMasked, updatedAt }, after)
  assert.equal(same.accountStatus, 'confirmed')
  assert.notEqual(bankAccountReference, before.bankAccountReference)
  assert.equal(accountNumberMasked, `******${body.accountNumber.slice(-4)}`)
  assert(updatedAt > before.updatedAt)
  assert.deepEqual(await read(), after)
  const account = await bench.call({ url: `${BANK_ACCOUNTS}/${bankAccountReference}` })
  assert.deepEqual([account.json().data.isDefault, account.json().data.isActive], [false, true])
})

test('the fields of the account are changed together', async () => {
  const { bankCode, accountNumber, accountName } = newAccountBody()
  for (const [body, missing] of [
    [{ bankCode }, ['accountNumber', 'accountName']],
    [{ accountNumber }, ['bankCode', 'accountName']],
    [{ accountName }, ['bankCode', 'accountNumber']],
    [{ bankCode, accountNumber }, ['accountName']],
    [{ bankCode, accountName }, ['accountNumber']],
    [{ accountNumber, accountName, name: 'New' }, ['bankCode']],
  ] as const) {
    const answer = await assertChangesNothing(body, 'invalid_request', 400)
    const errors = answer.json().errors as { field: string; message: string }[]
    assert.deepEqual(
      errors.map(({ field }) => field),
      missing,
    )
    assert.match(errors[0]?.message ?? '', /changed together/)
  }
})

test('a wrong bank account, or another client’s, is refused, and nothing is changed', async () => {
  const good = newAccountBody()
  const wrong = good.accountNumber.replace(/.$/, (last) => `${(Number(last) + 1) % 10}`)
  await assertChangesNothing({ ...good, accountNumber: wrong }, 'invalid_request', 400)
  await assertChangesNothing({ ...good, bankCode: null }, 'invalid_request', 400)
  await assertChangesNothing({ ...good, bankCode: '999' }, 'bank_not_supported', 400)
  await assertChangesNothing(
    { ...newAccountBody(SANDBOX_PREFIXES.unknownAccount), name: 'N' },
    'bank_account_unknown',
  )
  await assertChangesNothing(
    { ...newAccountBody(SANDBOX_PREFIXES.otherCustomer), name: 'N' },
    'bank_account_mismatch',
  )

  const { accountNumber, reference } = await addBankAccount(bench, { accountName: 'Ada Vendor' })
  const others = { ...good, accountNumber, accountName: 'Somebody Else' }
  await assertChangesNothing(others, 'bank_account_mismatch')
  const state = `update bank_accounts set status = $2, name_at_bank = $3 where reference = $1`
  await bench.db.query(state, [reference, 'unconfirmed', null])
  await assertChangesNothing(others, 'bank_account_mismatch')
  await bench.db.query(state, [reference, 'mismatch', others.accountName])
  await assertChangesNothing(others, 'bank_account_mismatch')
  const url = `${BANK_ACCOUNTS}/${reference}`
  await bench.call({ method: 'PATCH', url, body: { isActive: false } })
  await assertChangesNothing({ ...good, accountNumber }, 'bank_account_inactive')
})

test('the same account again changes nothing and leaves no trace, also at once', async () => {
  const body = newAccountBody()
  const entries = (await changes()).length
  const [one, other] = await Promise.all([
    payElsewhere(bench, 'A', body),
    payElsewhere(bench, 'A', body),
  ])
  assert.equal(one, other)
  assert.equal((await changes()).length, entries + 1)

  const before = await traces()
  bench.advance(1_000)
  await payElsewhere(bench, 'A', body)
  await payElsewhere(await newBrowser(bench), 'A', body)
  assert.deepEqual(await traces(), before)
})

test('an account that was unconfirmed is confirmed by giving it again', async () => {
  const silent = dataOf(
    await changeSubaccount(bench, 'A', newAccountBody(SANDBOX_PREFIXES.silentAboutNames)),
  )
  assert.equal(silent.accountStatus, 'unconfirmed')
  const body = newAccountBody()
  const reference = await payElsewhere(bench, 'A', body)
  await bench.db.query(
    `update bank_accounts set status = 'unconfirmed', name_at_bank = null where reference = $1`,
    [reference],
  )
  const entries = await changes()

  const again = dataOf(await changeSubaccount(bench, 'A', body))

  assert.deepEqual([again.accountStatus, again.bankAccountReference], ['confirmed', reference])
  assert.deepEqual(await changes(), entries)
})

test('changes at once follow one another, and the audit log names both accounts of each', async () => {
  const entries = (await changes()).length
  const { bankAccountReference: first } = await read()

  const made = await Promise.all([1, 2, 3, 4].map(() => payElsewhere(bench, 'A')))

  const { bankAccountReference: last } = await read()
  const since = (await changes()).slice(entries)
  assert.deepEqual(new Set(since.map(({ after }) => after)), new Set(made))
  assert.deepEqual(
    since.map(({ before }) => before),
    [first, ...since.map(({ after }) => after)].slice(0, -1),
  )
  assert.equal(since.at(-1)?.after, last)
})

test('a new name and a new account, given at once by two, both count', async () => {
  const { changing } = await withTransaction(bench.db, async (tx) => {
    await tx.query(`update subaccounts set name = 'Ada and Daughters' where code = 'A'`)
    const changing = payElsewhere(bench, 'A')
    await untilBlocked(bench.db, 1)
    return { changing }
  })

  const reference = await changing
  const { name, bankAccountReference } = await read()
  assert.deepEqual([name, bankAccountReference], ['Ada and Daughters', reference])
})

test('the user who changed it is in the audit log, without account numbers', async () => {
  const person = await newBrowser(bench, 'finance')
  const { bankAccountReference: before } = await read()
  const body = newAccountBody()
  const after = await payElsewhere(person, 'A', { ...body, name: 'Ada & Sons' })

  const { data } = (await bench.call({ url: '/api/v1/audit-log?subject=subaccount/A' })).json()
  const [change, rename] = data
  const actor = `user:${person.user.email}`
  assert.deepEqual([change.actor, rename.actor], [actor, actor])
  assert.equal(change.action, 'subaccount.change_bank_account')
  assert.deepEqual(change.detail, { before, after })
  assert.equal(rename.action, 'subaccount.update')
  assert.deepEqual(rename.detail, { name: 'Ada & Sons', isActive: true })
  const { rows } = await bench.db.query('select a::text as row from audit_log a')
  assert(!rows.some(({ row }) => row.includes(body.accountNumber)))
})

test('a caller without right, with restrictions or without the subaccount changes nothing', async () => {
  const before = await traces()
  const support = await newBrowser(bench, 'support')
  const looking = await changeSubaccount(support, 'A', newAccountBody())
  assertRefused(looking, { status: 403, code: 'role_not_allowed' })
  const scoped = await callerOf('READER', `scopes = '{payouts:read}'`)
  const reading = await changeSubaccount(scoped, 'A', newAccountBody())
  assertRefused(reading, { status: 403, code: 'scope_missing' })
  const restricted = await callerOf('ONESHOP', `merchant_codes = '{SHOP}'`)
  const ofShop = await changeSubaccount(restricted, 'A', newAccountBody())
  assertRefused(ofShop, { status: 403, code: 'merchants_restricted' })

  const missing = { status: 404, code: 'subaccount_not_found' }
  const stranger = await callerOf('STRANGER')
  // The answer is the same for an account that the bank does not know, so no bank was asked.
  for (const body of [newAccountBody(), newAccountBody(SANDBOX_PREFIXES.unknownAccount)]) {
    assertRefused(await changeSubaccount(stranger, 'A', body), missing)
    assertRefused(await changeSubaccount(bench, 'nobody', body), missing)
    assertRefused(await changeSubaccount(bench, '%00', body), missing)
  }
  assert.deepEqual(await traces(), before)
})

// Creates a client, changes its row with this SQL `set` clause, and signs it in. Returns a `call`
// that sends the client's token.
async function callerOf(
  clientId: string,
  setClause = 'merchant_codes = null',
): Promise<Pick<typeof bench, 'call'>> {
  await bench.newClient(clientId)
  await bench.db.query(`update clients set ${setClause} where client_id = $1`, [clientId])
  bench.advance(10_000)
  const token = await bench.login(clientId, 's3cret')
  return { call: (call) => bench.call({ ...call, token }) }
}
