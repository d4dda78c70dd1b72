// Limit profiles: limits that accounts share by name or by tier. A change applies to every account of
// the profile from the next credit on, and an account's own limits come first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patchAccount, setLimits } from '../support/account-calls.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { CLIENTS, registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { LIMIT_PROFILES, PROFILE_TERMS, profileBody } from '../support/limit-profiles.ts'
import { credit, resolve, reverse } from '../support/movements.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { verifyAll } from '../support/verified.ts'

const bench = closeAfterTests(await startTestService())

const DAY_MS = 86_400_000

const create = (body: object, more = {}) => bench.call({ url: LIMIT_PROFILES, body, ...more })
const putProfile = (code: string, body: object, more = {}) =>
  bench.call({
    method: 'PUT',
    url: `${LIMIT_PROFILES}/${code}`,
    body: { ...PROFILE_TERMS, ...body },
    ...more,
  })
const deleteProfile = (code: string, more = {}) =>
  bench.call({ method: 'DELETE', url: `${LIMIT_PROFILES}/${code}`, ...more })

async function newProfile(code: string, terms: object = {}) {
  return dataOf(await create({ code, name: code, ...terms }))
}

// Creates a limit profile, and an account that uses it.
async function accountWith(code: string, terms: object, on: Bench = bench) {
  await newProfile(code, terms)
  const { accountNumber } = await createAccount(on)
  await patchAccount(on, accountNumber, { limitProfile: code })
  return accountNumber
}

// Reports a credit. Returns the answer to the bank, such as "00 booked" or "00 suspended
// over_credit_limit".
const outcomeOfCredit = async (accountNumber: string, amount: string) =>
  (await credit(bench, accountNumber, amount)).says

// Returns the limits in force, the account's own limits, and its profile.
const limitsOf = async (accountNumber: string) => {
  const url = `/api/v1/accounts/static/${accountNumber}/details`
  const { limits, ownLimits, limitProfile } = dataOf(await bench.call({ url }))
  return { limits: Object.values(limits), own: Object.values(ownLimits), limitProfile }
}

test('a profile limits the accounts that name it, and a change of it does so at once', async () => {
  const accountNumber = await accountWith('named', { perCredit: 100 })

  assert.equal(await outcomeOfCredit(accountNumber, '100.01'), '00 suspended over_credit_limit')
  await putProfile('named', { perCredit: '200.50' })
  assert.equal(await outcomeOfCredit(accountNumber, '200.50'), '00 booked')
  assert.equal(await outcomeOfCredit(accountNumber, '200.51'), '00 suspended over_credit_limit')
  await patchAccount(bench, accountNumber, { limitProfile: null })
  assert.equal(await outcomeOfCredit(accountNumber, '5000'), '00 booked')
})

test('above a balance limit a credit is suspended, and money that leaves makes room', async () => {
  const accountNumber = await accountWith('balance', { balanceMax: 100 })

  const first = await credit(bench, accountNumber, '60.00')
  const over = await credit(bench, accountNumber, '40.01')
  assert.deepEqual([first.says, over.says], ['00 booked', '00 suspended over_balance_limit'])
  assert.equal(await outcomeOfCredit(accountNumber, '40.00'), '00 booked')
  assert.equal(await outcomeOfCredit(accountNumber, '0.01'), '00 suspended over_balance_limit')
  await reverse(bench, first.sessionId, '60.00')
  assert.equal(await outcomeOfCredit(accountNumber, '60.00'), '00 booked')
  // An assignment by hand may exceed the limit.
  assert.equal(await resolve(bench, over.sessionId, 'assign', { accountNumber }), 'assigned')
})

test('the limits per credit and per day are reported before that of the balance', async () => {
  const accountNumber = await accountWith('order', { perCredit: 50, perDay: 60, balanceMax: 10 })

  assert.equal(await outcomeOfCredit(accountNumber, '50.01'), '00 suspended over_credit_limit')
  assert.equal(await outcomeOfCredit(accountNumber, '10.01'), '00 suspended over_balance_limit')
  await putProfile('order', { perDay: 5, balanceMax: 5 })
  assert.equal(await outcomeOfCredit(accountNumber, '5.01'), '00 suspended over_daily_limit')
})

test('each limit is the first that is set of: own, named profile, tier’s profile, default', async () => {
  const env = { MANILLA_LIMIT_PER_CREDIT: '10', MANILLA_LIMIT_PER_DAY: '20' }
  await using own = await startTestService({ env })
  // Changes the account, and returns the limits then in force.
  const limitsAfter = async (accountNumber: string, body: object) => {
    const { limits } = dataOf(await patchAccount(own, accountNumber, body))
    return Object.values(limits)
  }
  const { accountNumber } = await createAccount(own, { kycTier: 1, nin: '33398765432' })
  await verifyAll(own)
  const limitsAfterPatch = (body: object) => limitsAfter(accountNumber, body)
  const createProfile = (body: object) => own.call({ url: LIMIT_PROFILES, body })

  assert.deepEqual(await limitsAfterPatch({ verifiedName: 'A' }), [10, 20, null])
  await createProfile({ code: 'tier', name: 'Tier 1', perCredit: 30, balanceMax: 300, tiers: [1] })
  assert.deepEqual(await limitsAfterPatch({ verifiedName: 'B' }), [30, 20, 300])
  assert.deepEqual(await limitsAfterPatch({ kycTier: 2 }), [10, 20, null])
  assert.deepEqual(await limitsAfterPatch({ kycTier: 1 }), [30, 20, 300])
  await createProfile({ code: 'named', name: 'Named', perCredit: 40, perDay: 500 })
  assert.deepEqual(await limitsAfterPatch({ limitProfile: 'named' }), [40, 500, 300])
  assert.deepEqual(await limitsAfterPatch({ limits: { perDay: 7 } }), [40, 7, 300])
  // A default removed by hand does not come back; the limits of profiles do.
  assert.deepEqual(await limitsAfterPatch({ limits: null }), [40, 500, 300])
  assert.deepEqual(await limitsAfterPatch({ limitProfile: null, kycTier: 3 }), [null, null, null])
  const { says: outcome } = await credit(own, accountNumber, '1000')
  assert.equal(outcome, '00 booked')
})

test('until BVN and NIN are verified, the limits are those of tier 1, whatever tier was set', async () => {
  await using own = await startTestService()
  const { accountNumber } = await createAccount(own, { kycTier: 3 })
  for (const [tier, perCredit] of [
    [1, 10],
    [3, 30],
  ] as const) {
    const body = { code: `tier-${tier}`, name: `Tier ${tier}`, perCredit, tiers: [tier] }
    await own.call({ url: LIMIT_PROFILES, body })
  }

  const outcome = async () => (await credit(own, accountNumber, '20')).says

  assert.equal(await outcome(), '00 suspended over_credit_limit')
  await patchAccount(own, accountNumber, { nin: '33398765432' })
  assert.equal(await outcome(), '00 suspended over_credit_limit')
  await verifyAll(own)
  assert.equal(await outcome(), '00 booked')
  await patchAccount(own, accountNumber, { nin: null })
  assert.equal(await outcome(), '00 suspended over_credit_limit')
})

test('the limits shown are those that a credit meets, and say which are the account’s own', async () => {
  const accountNumber = await accountWith('shown', { perCredit: 5, perDay: 100 })
  await setLimits(bench, accountNumber, { perDay: 9.5 })

  assert.deepEqual(await limitsOf(accountNumber), {
    limits: [5, 9.5, null],
    own: [null, 9.5, null],
    limitProfile: 'shown',
  })
  assert.equal(await outcomeOfCredit(accountNumber, '5.01'), '00 suspended over_credit_limit')
  assert.equal(await outcomeOfCredit(accountNumber, '5'), '00 booked')
  assert.equal(await outcomeOfCredit(accountNumber, '4.51'), '00 suspended over_daily_limit')
})

test('a daily limit that a profile gets in the course of a day counts what came before', async () => {
  const accountNumber = await accountWith('midday', {})
  await credit(bench, accountNumber, '500.00')
  bench.advance(DAY_MS)
  await credit(bench, accountNumber, '60.00')

  await putProfile('midday', { perDay: 100 })

  assert.equal(await outcomeOfCredit(accountNumber, '40.01'), '00 suspended over_daily_limit')
  assert.equal(await outcomeOfCredit(accountNumber, '40.00'), '00 booked')
  assert.equal(await outcomeOfCredit(accountNumber, '0.01'), '00 suspended over_daily_limit')
  bench.advance(DAY_MS)
  assert.equal(await outcomeOfCredit(accountNumber, '100'), '00 booked')
})

test('a tier has one profile: another is refused until the first gives it up, also at once', async () => {
  const token = await bench.newClient('TIERS00001')
  const createProfileOfTier1 = (code: string) =>
    create(profileBody({ code, tiers: [1] }), { token })

  const answers = await Promise.all(['a', 'b', 'c', 'd'].map(createProfileOfTier1))

  const made = answers.filter(({ statusCode }) => statusCode === 200)
  assert.equal(made.length, 1)
  for (const answer of answers.filter((each) => !made.includes(each))) {
    assertRefused(answer, { status: 409, code: 'tier_taken' })
  }
  const { code } = dataOf(made[0] as (typeof made)[0])
  dataOf(await create(profileBody({ code: 'e', tiers: [2, 3] }), { token }))
  assertRefused(await putProfile('e', { tiers: [1, 2] }, { token }), {
    status: 409,
    code: 'tier_taken',
  })
  dataOf(await putProfile(code, { tiers: [] }, { token }))
  assert.deepEqual(dataOf(await putProfile('e', { tiers: [2, 1] }, { token })).tiers, [1, 2])
})

test('a profile is deleted when no account names it; its tiers are free again', async () => {
  const accountNumber = await accountWith('doomed', { perCredit: 1, tiers: [2] })
  const { accountNumber: tiered } = await createAccount(bench, { kycTier: 2, nin: '33398765432' })
  await verifyAll(bench)
  assert.equal(await outcomeOfCredit(tiered, '1.01'), '00 suspended over_credit_limit')

  assertRefused(await deleteProfile('doomed'), {
    status: 409,
    code: 'limit_profile_in_use',
  })
  await patchAccount(bench, accountNumber, { limitProfile: null })
  assert.deepEqual(dataOf(await deleteProfile('doomed')), { code: 'doomed' })

  assert.equal(await outcomeOfCredit(tiered, '1.01'), '00 booked')
  assertRefused(await deleteProfile('doomed'), {
    status: 404,
    code: 'limit_profile_not_found',
  })
  dataOf(await create(profileBody({ code: 'doomed', tiers: [2] })))
  await deleteProfile('doomed')
})

test('when a profile is deleted while accounts take it, they have it or the profile is deleted', async () => {
  const numbers = await Promise.all(
    Array.from({ length: 6 }, async () => (await createAccount(bench)).accountNumber),
  )
  for (const [at, number] of numbers.entries()) {
    const code = `race-${at}`
    await newProfile(code)
    const [assigned, removed] = await Promise.all([
      patchAccount(bench, number, { limitProfile: code }),
      deleteProfile(code),
    ])
    const isGiven = assigned.statusCode === 200
    assert.equal(removed.statusCode, isGiven ? 409 : 200, removed.body)
    assert.equal((await limitsOf(number)).limitProfile, isGiven ? code : null)
    if (!isGiven) assertRefused(assigned, { code: 'invalid_request' })
  }
})

test('a change is in the audit log with its amounts, and a repetition is not', async () => {
  await newProfile('audited', { perDay: '50000', tiers: [] })
  await putProfile('audited', { name: 'audited', perDay: 60000, balanceMax: 300000 })
  await putProfile('audited', { name: 'audited', perDay: '60000.00', balanceMax: 300000 })
  await deleteProfile('audited')

  const { rows } = await bench.db.query(
    `select actor, action, detail from audit_log where subject = 'limit-profile/audited' order by id`,
  )
  const terms = (perDayKobo: string, balanceMaxKobo: string | null) => {
    return { name: 'audited', perCreditKobo: null, perDayKobo, balanceMaxKobo, tiers: [] }
  }
  const [first, second] = [terms('5000000', null), terms('6000000', '30000000')]
  const actor = 'client:MAN0000001'
  assert.deepEqual(rows, [
    { actor, action: 'limit_profile.create', detail: { before: null, after: first } },
    { actor, action: 'limit_profile.update', detail: { before: first, after: second } },
    { actor, action: 'limit_profile.delete', detail: { before: second, after: null } },
  ])
})

test('profiles are listed newest first, page by page, and are their client’s alone', async () => {
  const token = await bench.newClient('LISTPROF01')
  const other = await bench.newClient('LISTPROF02')
  for (const code of ['one', 'two', 'three']) await create(profileBody({ code }), { token })

  const page = async (query: string) =>
    (await bench.call({ url: LIMIT_PROFILES + query, token })).json()
  const first = await page('?limit=2')
  const second = await page(`?limit=2&cursor=${first.nextCursor}`)
  const codes = [...first.data, ...second.data].map(({ code }: { code: string }) => code)

  assert.deepEqual([codes, second.hasMore], [['three', 'two', 'one'], false])
  for (const answer of [
    await bench.call({ url: `${LIMIT_PROFILES}/one`, token: other }),
    await putProfile('one', {}, { token: other }),
    await deleteProfile('one', { token: other }),
  ]) {
    assertRefused(answer, { status: 404, code: 'limit_profile_not_found' })
  }
  const { accountNumber } = await createAccount(bench, {}, { token: other })
  const refusal = await patchAccount(
    bench,
    accountNumber,
    { limitProfile: 'one' },
    { token: other },
  )
  assertRefused(refusal, { code: 'invalid_request' })
})

test('a profile says how many accounts name it, and counts only those that the caller may see', async () => {
  const { clientId, secret } = await registerOf(bench).make()
  const token = await bench.login(clientId, secret)
  const url = `${LIMIT_PROFILES}/counted`
  const count = async () => dataOf(await bench.call({ url, token })).accounts
  const made = await create(profileBody({ code: 'counted', tiers: [1] }), { token })
  assert.equal(dataOf(made).accounts, 0)

  for (const merchantCode of ['OURS', 'THEIRS', 'THEIRS']) {
    const { accountNumber } = await createAccount(bench, { merchantCode }, { token })
    await patchAccount(bench, accountNumber, { limitProfile: 'counted' }, { token })
  }
  await createAccount(bench, { kycTier: 1 }, { token }) // This account has the profile by its tier.
  assert.equal(await count(), 3)

  const body = { merchantCodes: ['OURS'] }
  const restricted = await bench.call({ method: 'PATCH', url: `${CLIENTS}/${clientId}`, body })
  assert.equal(restricted.statusCode, 200, restricted.body)
  assert.equal(await count(), 1)
  const { data } = (await bench.call({ url: LIMIT_PROFILES, token })).json()
  assert.deepEqual(
    data.map(({ accounts }: { accounts: number }) => accounts),
    [1],
  )
})

test('the books agree with all of it', () => assertCleanBooks(bench))
