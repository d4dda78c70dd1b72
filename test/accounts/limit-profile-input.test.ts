// Tests valid and invalid limit profiles: codes, amounts, tiers, and which users may change them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldsOf } from '../support/account-calls.ts'
import { registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused } from '../support/fixtures.ts'
import { LIMIT_PROFILES, PROFILE_TERMS, profileBody } from '../support/limit-profiles.ts'
import { newBrowser } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())

const create = (body: object, more = {}) => bench.call({ url: LIMIT_PROFILES, body, ...more })
const putProfile = (code: string, body: object) =>
  bench.call({
    method: 'PUT',
    url: `${LIMIT_PROFILES}/${code}`,
    body: { ...PROFILE_TERMS, ...body },
  })

test('a code is used once per client, and there are at most a hundred profiles', async () => {
  const token = await bench.newClient('MANYPROF01')
  const answers = await Promise.all(
    Array.from({ length: 3 }, () => create(profileBody({ code: 'twice' }), { token })),
  )
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 409, 409])
  for (let at = 1; at < 100; at++) await create(profileBody({ code: `p-${at}` }), { token })

  assertRefused(await create(profileBody({ code: 'one-more' }), { token }), {
    status: 409,
    code: 'too_many_limit_profiles',
  })
  assertRefused(await create(profileBody({ code: 'twice' }), { token }), {
    status: 409,
    code: 'limit_profile_exists',
  })
})

const WRONG: readonly [unknown, string[]][] = [
  [{}, ['code', 'name']],
  [{ code: '' }, ['code']],
  [{ code: 'Upper' }, ['code']],
  [{ code: 'é' }, ['code']],
  [{ code: 'a b' }, ['code']],
  [{ code: '-a' }, ['code']],
  [{ code: 'x'.repeat(41) }, ['code']],
  [{ code: 5 }, ['code']],
  [{ name: '' }, ['name']],
  [{ name: 'x'.repeat(61) }, ['name']],
  [{ name: 'a\u0000' }, ['name']],
  [{ perCredit: 0 }, ['perCredit']],
  [{ perDay: -1 }, ['perDay']],
  [{ perDay: '1e5' }, ['perDay']],
  [{ perDay: 1.001 }, ['perDay']],
  [{ balanceMax: 10_000_000_000_000.01 }, ['balanceMax']],
  [{ balanceMax: {} }, ['balanceMax']],
  [{ tiers: 1 }, ['tiers']],
  [{ tiers: [0] }, ['tiers.0']],
  [{ tiers: [1, 4] }, ['tiers.1']],
  [{ tiers: ['1'] }, ['tiers.0']],
  [{ tiers: [1, 1] }, ['tiers']],
  [{ perWeek: 1 }, ['perWeek']],
]

test('a wrong profile is refused with the name of the wrong field, to create and to replace', async () => {
  await create(profileBody({ code: 'wrong' }))
  for (const [body, fields] of WRONG) {
    const isEmpty = Object.keys(body as object).length === 0
    const whole = isEmpty ? {} : { code: 'wrong-1', name: 'Wrong', ...(body as object) }
    const answer = await create(whole)
    assertRefused(answer, { code: 'invalid_request' })
    assert.deepEqual(fieldsOf(answer), fields, JSON.stringify(body))
    if (isEmpty || 'code' in (body as object)) continue
    assert.deepEqual(
      fieldsOf(await putProfile('wrong', body as object)),
      fields,
      JSON.stringify(body),
    )
  }
  // PUT replaces the whole profile: an omitted limit would be lost silently.
  for (const field of Object.keys(PROFILE_TERMS)) {
    const missing = await putProfile('wrong', { [field]: undefined })
    assert.deepEqual(fieldsOf(missing), [field])
  }
  assertRefused(await putProfile('Nö!', {}), {
    status: 404,
    code: 'limit_profile_not_found',
  })
})

test('a client with only some merchants reads the profiles of all, and changes none', async () => {
  const { secret } = await registerOf(bench).make({ clientId: 'SOME000001', merchantCodes: ['A'] })
  const token = await bench.login('SOME000001', secret)
  const url = `${LIMIT_PROFILES}/tier-1`

  for (const call of [
    { url: LIMIT_PROFILES, body: profileBody() },
    { method: 'PUT' as const, url, body: PROFILE_TERMS },
    { method: 'DELETE' as const, url },
  ]) {
    const answer = await bench.call({ ...call, token })
    assertRefused(answer, { status: 403, code: 'merchants_restricted' })
  }
  assert.equal((await bench.call({ url: LIMIT_PROFILES, token })).statusCode, 200)
})

test('owners and developers change profiles; finance and support read them', async () => {
  for (const [role, status] of [
    ['owner', 200],
    ['developer', 200],
    ['finance', 403],
    ['support', 403],
  ] as const) {
    const browser = await newBrowser(bench, role)
    const made = await browser.call({ url: LIMIT_PROFILES, body: profileBody({ code: role }) })
    assert.equal(made.statusCode, status, role)
    assert.equal((await browser.call({ url: LIMIT_PROFILES })).statusCode, 200, role)
  }
})
