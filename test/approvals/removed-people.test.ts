// I220 and I221: users who are removed stay people. A maker who is gone makes nothing, a removed user has the
// people that they had, and the first of two approvers is judged by the people kept with the approval.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused } from '../support/fixtures.ts'
import { addBankAccount, createPayout, fund, PAYOUTS } from '../support/payouts.ts'
import { type Browser, newBrowser, USERS_URL } from '../support/people.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
let made = 0

// Creates a client with money and payouts that two approve, and a helper whose password the boss knows.
async function newClient() {
  const clientId = `GONE${++made}`
  const token = await bench.newClient(clientId)
  const boss = await newBrowser(bench, 'owner', clientId)
  const other = await newBrowser(bench, 'owner', clientId)
  await fund(bench, '1000', { token })
  await addBankAccount(await newBrowser(bench, 'finance', clientId))
  const body = { payoutApproval: 'all', twoApproversAbove: 10 }
  const set = await other.call({ method: 'PUT', url: '/api/v1/payout-settings', body })
  assert.equal(set.statusCode, 200, set.body)
  const system = { call: (call: Parameters<Bench['call']>[0]) => bench.call({ ...call, token }) }
  return { clientId, boss, other, system }
}

const approve = (by: Browser, reference: string) =>
  by.call({ url: `${PAYOUTS}/${reference}/approve`, body: {} })

const remove = async (by: Browser, { user }: Browser) =>
  assert.equal(
    (await by.call({ method: 'DELETE', url: `${USERS_URL}/${user.id}` })).statusCode,
    200,
  )

// Makes the boss stand behind the helper, as if the boss had set the helper's password.
const standBehind = (boss: Browser, helper: Browser) =>
  bench.db.query(`update users set own_from = null, password_by = array[$2::uuid] where id = $1`, [
    helper.user.id,
    boss.user.id,
  ])

const peopleOf = async (id: string, at = 'infinity') =>
  (await bench.db.query('select people_of($1, $2) as people', [id, at])).rows[0].people as string[]

const WAYS_TO_LEAVE = [
  ['is removed', (boss: Browser, helper: Browser) => remove(boss, helper)],
  [
    'becomes independent',
    (_boss: Browser, helper: Browser) =>
      bench.db.query(`update users set own_from = '-infinity' where id = $1`, [helper.user.id]),
  ],
] as const

for (const [what, leave] of WAYS_TO_LEAVE) {
  test(`an owner is no second approver after a helper of theirs, who ${what} in between`, async () => {
    const { clientId, boss, other, system } = await newClient()
    const helper = await newBrowser(bench, 'finance', clientId)
    await standBehind(boss, helper)
    const { reference } = await createPayout(system, { amount: 11 })
    assert.equal((await approve(helper, reference)).statusCode, 200)
    await leave(boss, helper)

    assertRefused(await approve(boss, reference), { status: 409, code: 'maker_counts_as_you' })
    await assert.rejects(
      bench.db.query(
        `update payouts set approval = 'approved', decided_by = 'user:' || $2, decided_at = now(),
                            decided_by_user = $3 where reference = $1`,
        [reference, boss.user.email, boss.user.id],
      ),
      { constraint: 'payouts_two_approvers' },
    )
    // Nobody changes the people that were kept.
    await bench.db.query('update payouts set first_approver_people = null where reference = $1', [
      reference,
    ])
    assertRefused(await approve(boss, reference), { status: 409, code: 'maker_counts_as_you' })
    assert.equal((await approve(other, reference)).json().data.approval, 'approved')
  })
}

test('a removed user has the people whom they had, at every time', async () => {
  const { clientId, boss } = await newClient()
  const helper = await newBrowser(bench, 'finance', clientId)
  await standBehind(boss, helper)
  await bench.db.query(`update users set own_from = '2030-01-01' where id = $1`, [helper.user.id])
  const before = await Promise.all([
    peopleOf(helper.user.id),
    peopleOf(helper.user.id, '2029-12-31'),
  ])
  await remove(boss, helper)
  const after = await Promise.all([
    peopleOf(helper.user.id),
    peopleOf(helper.user.id, '2029-12-31'),
  ])
  assert.deepEqual(after, before)
  assert.deepEqual(after, [[helper.user.id], [helper.user.id, boss.user.id]])
})

test('an id that no user ever had is no independent person, and no checker is none', async () => {
  const nobody = '01020304-0506-7708-890a-0b0c0d0e0f10'
  assert.equal((await peopleOf(nobody)).length, 2)
  const { rows } = await bench.db.query(`select is_independent('{}', null) as is_independent`)
  assert.equal(rows[0].isIndependent, false)
})

test('an account chosen by an owner is not freed by a helper who was theirs', async () => {
  const { clientId, boss, other, system } = await newClient()
  const helper = await newBrowser(bench, 'finance', clientId)
  await standBehind(boss, helper)
  const { reference: bankAccount } = await addBankAccount(boss, { accountName: 'Ada Obi' })
  const first = await createPayout(system, { amount: 1, bankAccount })
  await bench.db.query(
    `update payouts set approval = 'approved', decided_by = 'user:' || $2, decided_at = now(),
                        decided_by_user = $3 where reference = $1`,
    [first.reference, helper.user.email, helper.user.id],
  )
  await remove(boss, helper)
  const { reference } = await createPayout(system, { amount: 1, bankAccount })
  assertRefused(await approve(boss, reference), { status: 409, code: 'approver_chose_account' })
  assert.equal((await approve(other, reference)).statusCode, 200)
})

// Every table that keeps the people behind a maker, with the columns of the maker.
const { rows: KEEPING } = await bench.db.query<{ table: string; definition: string }>(
  `select tgrelid::regclass::text as table, pg_get_triggerdef(oid) as definition from pg_trigger
    where tgfoid in ('keep_maker_people'::regproc, 'keep_account_people'::regproc,
                     'keep_subaccount_people'::regproc)`,
)

test('every workflow keeps the people behind its maker', () => {
  const tables = KEEPING.map(({ table }) => table).sort()
  assert.deepEqual(tables, [
    'adjusting_entries',
    'adjustments',
    'bank_accounts',
    'differences',
    'hold_requests',
    'month_reopenings',
    'payout_failures',
    'payouts',
    'screening_requests',
    'settlements',
    'subaccounts',
    'suspense_requests',
  ])
})

for (const { table, definition } of KEEPING) {
  test(`${table}: nobody makes a request who is gone, by name or by id`, async () => {
    const { clientId } = await newClient()
    const gone = await newBrowser(bench, 'finance', clientId)
    const boss = await newBrowser(bench, 'owner', clientId)
    await remove(boss, gone)
    const fn = /EXECUTE FUNCTION (\w+)/.exec(definition)?.[1] as string
    // The function of the table's trigger, on a table with the same columns and no other rule.
    await using copy = await copyOf(table, fn, definition)
    const [actor] = copy.makerColumns
    const at = '2026-11-14'
    const identities: [string, string | null][] = [
      [`user:${gone.user.email}`, gone.user.id],
      [`user:${gone.user.email}`, null],
      ['client:X', gone.user.id],
    ]
    for (const [name, id] of identities) {
      if (actor === null && id === null) continue // A chooser without a name is a client's credentials.
      await assert.rejects(
        copy.make({ name, id, at }),
        { constraint: 'makers_are_users' },
        `${name} ${id}`,
      )
    }
    await copy.make({ name: `user:${boss.user.email}`, id: boss.user.id, at })
  })
}

// Creates an empty table with the columns of another, and its trigger that keeps people.
async function copyOf(table: string, fn: string, definition: string) {
  const name = `copy_of_${table}`
  await bench.db.query(`create table ${name} (like ${table})`)
  const { rows } = await bench.db.query<{ column: string }>(
    `select attname as column from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and attnotnull`,
    [name],
  )
  for (const { column } of rows) {
    await bench.db.query(`alter table ${name} alter ${column} drop not null`)
  }
  const named = /EXECUTE FUNCTION keep_maker_people\('(\w+)', '(\w+)', '(\w+)'\)/.exec(definition)
  const columns = {
    keep_maker_people: named?.slice(1) ?? [],
    keep_account_people: ['created_by', 'added_by_user', 'created_at'],
    keep_subaccount_people: [null, 'account_chosen_by_user', 'account_chosen_at'],
  }[fn] as [string | null, string, string]
  const triggerArguments = fn === 'keep_maker_people' ? `'${named?.slice(1).join("', '")}'` : ''
  await bench.db.query(
    `create trigger t before insert on ${name} for each row execute function ${fn}(${triggerArguments})`,
  )
  return {
    makerColumns: columns,
    make: ({ name: actor, id, at }: { name: string | null; id: string | null; at: string }) => {
      const values = {
        [columns[1]]: id,
        [columns[2]]: at,
        ...(columns[0] && { [columns[0]]: actor }),
      }
      const names = Object.keys(values)
      return bench.db.query(
        `insert into ${name} (${names}) values (${names.map((_, index) => `$${index + 1}`)})`,
        Object.values(values),
      )
    },
    [Symbol.asyncDispose]: async () => {
      await bench.db.query(`drop table ${name}`)
    },
  }
}
