// `manilla admin tiers` reports how KYC tiers would change the limits of older accounts. With --apply it
// sets the tiers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf } from '../support/account-calls.ts'
import { operate } from '../support/cli-terminal.ts'
import { closeAfterTests } from '../support/closing.ts'
import { ACCOUNTS, createAccount, databaseText, dataOf } from '../support/fixtures.ts'
import { LIMIT_PROFILES, profileBody } from '../support/limit-profiles.ts'
import { credit } from '../support/movements.ts'
import { startTestService } from '../support/running-service.ts'
import { verifyAll } from '../support/verified.ts'

const bench = closeAfterTests(await startTestService())
const NIN = '33398765432'

// Runs `manilla admin tiers` with these options, in this process.
const runTiersCommand = (...words: string[]) =>
  operate({ db: bench.db, clock: bench.clock }, ['admin', 'tiers', ...words])

// Creates an account without the fields that the earlier release did not have: no identity check and no
// tier in force.
async function createAccountOfOlderRelease(changes: object): Promise<string> {
  const { accountNumber } = await createAccount(bench, { ...changes })
  await bench.db.query(
    `delete from identity_checks
      where account_id = (select id from collection_accounts where account_number = $1)`,
    [accountNumber],
  )
  await bench.db.query(
    'update collection_accounts set tier_in_force = null where account_number = $1',
    [accountNumber],
  )
  return accountNumber
}

// Returns an account's KYC tier (`kycTier`), and the tier that decides its limits (`limitTier`).
async function tiersOf(accountNumber: string) {
  const url = `${ACCOUNTS}/${accountNumber}/details`
  const { kycTier, limitTier } = dataOf(await bench.call({ url }))
  return [kycTier, limitTier]
}

await bench.call({
  url: LIMIT_PROFILES,
  body: profileBody({ perDay: 400, balanceMax: 1_000, tiers: [1] }),
})
const rich = await createAccountOfOlderRelease({ nin: NIN })
const poor = await createAccountOfOlderRelease({ nin: NIN, kycTier: 2 })
const plain = await createAccountOfOlderRelease({})
await credit(bench, rich, '1000.01')

test('an older account states tier 1, and its limits stay as they were', async () => {
  assert.deepEqual(await tiersOf(rich), [1, 3])
  assert.deepEqual(await tiersOf(poor), [1, 2])
  assert.deepEqual(await tiersOf(plain), [1, 1])
  assert.equal((await credit(bench, rich, '1')).says, '00 booked')
})

test('the report counts the accounts over their new limits, names some, and changes nothing', async () => {
  const before = await databaseText(bench)
  const { data, text } = await runTiersCommand()

  const expectedMove = (changes: object) => ({
    ...{ client: 'MAN0000001', to: 1, accounts: 1, unchecked: 1, overBalance: 0, overDay: 0 },
    examples: [],
    ...changes,
  })
  assert.deepEqual(data, {
    moves: [
      expectedMove({ from: 3, overBalance: 1, overDay: 1, examples: [rich] }),
      expectedMove({ from: 2 }),
      expectedMove({ from: 1 }),
    ],
    queued: 0,
    assigned: 0,
  })
  assert.match(text, new RegExp(`Over the limits of tier 1, MAN0000001: ${rich}`))
  assert.match(text, /Nothing was assigned: see --apply/)
  assert.equal(await databaseText(bench), before)
  await assert.rejects(runTiersCommand('--client', 'NOBODY'), /There is no client NOBODY/)
})

test('a verification raises the tier of an older account, and never lowers its limits', async () => {
  const refuted = await createAccountOfOlderRelease({ nin: '99901000001' })
  const { data } = await runTiersCommand('--queue')
  assert.equal(data.queued, 4)
  await verifyAll(bench)

  assert.deepEqual(await tiersOf(poor), [2, 2])
  assert.deepEqual(await tiersOf(plain), [1, 1])
  assert.deepEqual(await tiersOf(rich), [3, 3])
  assert.deepEqual(await tiersOf(refuted), [1, 3])
})

test('with --apply every account has its tier, with an event; a second run does nothing', async () => {
  const other = await createAccountOfOlderRelease({ nin: NIN })
  const { data } = await runTiersCommand('--apply', '--client', 'MAN0000001')

  assert.equal(data.assigned, 2)
  assert.deepEqual(await tiersOf(other), [1, 1])
  const [, event] = await eventsOf(bench, other)
  assert.deepEqual([event.type, event.data.changes], ['account.updated', ['kycTier']])
  const before = await databaseText(bench)
  const again = await runTiersCommand('--apply')
  assert.deepEqual(again.data, { moves: [], queued: 0, assigned: 0 })
  assert.match(again.text, /Every account has its tier/)
  assert.equal(await databaseText(bench), before)
  assert.deepEqual(await tiersOf(poor), [2, 2])
})
