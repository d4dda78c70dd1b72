// One change of a profile applies to a hundred thousand accounts: nothing is rewritten, and the next
// credit to any of them is judged by the new limit.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { LIMIT_PROFILES, profileBody } from '../support/limit-profiles.ts'
import { credit } from '../support/movements.ts'
import { patience } from '../support/patience.ts'
import { startTestService } from '../support/running-service.ts'

const ACCOUNTS_OF_TIER = 100_000
const STATEMENT_MS_MAX = 1_000

const bench = closeAfterTests(await startTestService())

test('a change of one profile is the limit of 100,000 accounts, in less than a second', async () => {
  const { accountNumber } = await createAccount(bench, { kycTier: 1 })
  await insertCopiesOf(accountNumber, ACCOUNTS_OF_TIER - 1)
  dataOf(await bench.call({ url: LIMIT_PROFILES, body: profileBody({ perDay: 100, tiers: [1] }) }))
  const numbers = await someNumbers()
  for (const number of numbers) assert.equal(await outcomeOfCredit(number, '100.00'), '00 booked')
  const before = await rowVersions()

  // Raises the limit per day of the profile from 100 to 150 naira.
  const ms = await measureMs(async () => {
    const body = { name: 'Tier 1', perCredit: null, perDay: 150, balanceMax: null, tiers: [1] }
    const answer = await bench.call({ method: 'PUT', url: `${LIMIT_PROFILES}/tier-1`, body })
    assert.equal(answer.statusCode, 200, answer.body)
  })

  assert(ms < patience(STATEMENT_MS_MAX), `${ms} ms`)
  assert.equal(await rowVersions(), before)
  for (const number of numbers) {
    assert.equal(await outcomeOfCredit(number, '50.01'), '00 suspended over_daily_limit')
    assert.equal(await outcomeOfCredit(number, '50.00'), '00 booked')
  }
})

// Reports a credit. Returns the answer to the bank, such as "00 booked" or "00 suspended
// over_credit_limit".
const outcomeOfCredit = async (accountNumber: string, amount: string) =>
  (await credit(bench, accountNumber, amount)).says

// Returns how many milliseconds the work takes.
async function measureMs(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

// Inserts `count` copies of an account, directly into the tables.
async function insertCopiesOf(accountNumber: string, count: number): Promise<void> {
  await bench.db.query(
    `with ids as (
       insert into ledger_accounts (kind) select 'collection' from generate_series(1, $2)
       returning id
     ), accounts as (
       insert into collection_accounts (id, client_id, account_number, bank_code, account_name,
         bvn_sealed, bvn_hash, email, merchant_id, merchant_code, notification_url, phone_number,
         channel, created_at, updated_at, kyc_tier)
       select ids.id, a.client_id, '9' || lpad(ids.id::text, 9, '0'), a.bank_code, a.account_name,
              a.bvn_sealed, a.bvn_hash, a.email, a.merchant_id, a.merchant_code,
              a.notification_url, a.phone_number, a.channel, a.created_at, a.updated_at, 1
         from ids, collection_accounts a where a.account_number = $1
       returning id, client_id, account_number, bank_code
     )
     insert into numbers (account_number, bank_code, client_id, collection_account_id)
     select account_number, bank_code, client_id, id from accounts`,
    [accountNumber, count],
  )
  await bench.db.query('analyze collection_accounts, ledger_accounts, numbers')
}

// Returns the account numbers of a few copies: every 33,333rd row of the table.
async function someNumbers(): Promise<string[]> {
  const { rows } = await bench.db.query<{ number: string }>(
    `select account_number as number from collection_accounts
      where kyc_tier = 1 and id % 33333 = 7 order by id`,
  )
  assert(rows.length >= 3)
  return rows.map(({ number }) => number)
}

// Returns a sum over the versions (xmin) of all account rows. If it stays the same, no row was written.
async function rowVersions(): Promise<string> {
  const { rows } = await bench.db.query<{ sum: string }>(
    'select count(*) || $1 || sum(xmin::text::bigint) as sum from collection_accounts',
    ['/'],
  )
  return rows[0]?.sum ?? ''
}
