// Maker-checker when one person may control several users: a user cannot approve a request of somebody who
// gave them access, or shortly after they got access.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashSecret } from '#access/passwords.ts'
import type { Role } from '#access/permissions.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount } from '../support/fixtures.ts'
import {
  askToDisable,
  decide,
  type Person,
  refused,
  requestResolution,
  setMakerChecker,
} from '../support/maker-checker-desk.ts'
import { confirmWith, PASSKEYS, register, remove, trySignInWith } from '../support/passkey-calls.ts'
import {
  browserOf,
  newBrowser,
  newClientWithOwner,
  PASSWORD,
  signIn,
  takeOver,
  USERS_URL,
} from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { storedId } from '../support/shown-ids.ts'
import { readItem, SUSPENSE, suspend } from '../support/suspense-desk.ts'

const HOUR_MS = 3_600_000
const WAIT_MS = 24 * HOUR_MS
const bench = closeAfterTests(
  await startTestService({ env: { MANILLA_APPROVER_WAIT_HOURS: '24' } }),
)
const ada = await newBrowser(bench, 'owner') // Let in by the operator of the service.
const obi = await newBrowser(bench, 'owner')
const { accountNumber: picky } = await createAccount(bench, { payerRules: { minAmount: 100_000 } })

assert.equal((await setMakerChecker(ada, true)).statusCode, 200)

let invitations = 0

// Signs in again, because sessions expire when a test advances the clock.
const again = (person: Person) => signIn(bench, person.user.email)

// Sets an invited user's password, as the user does at the first sign-in, and signs the user in.
async function enter(email: string): Promise<Person> {
  const hash = await hashSecret(PASSWORD, 1024)
  await bench.db.query(
    'update users set password_hash = $2, is_password_temporary = false where email = $1',
    [email, hash],
  )
  return signIn(bench, email)
}

// Invites a new user, who signs in.
async function invite(by: Person, role: Role = 'owner', more: object = {}): Promise<Person> {
  const email = `invited${++invitations}@people.example`
  const answer = await by.call({ url: USERS_URL, body: { email, role, ...more } })
  assert.equal(answer.statusCode, 200, answer.body)
  return enter(email)
}

// Resets a user's password; the user signs in again.
async function reset(by: Person, whom: Person): Promise<Person> {
  const url = `${USERS_URL}/${whom.user.id}/reset-password`
  const answer = await by.call({ url, body: {} })
  assert.equal(answer.statusCode, 200, answer.body)
  return enter(whom.user.email)
}

// Changes a user's role or access.
async function change(by: Person, whom: Person, body: object): Promise<void> {
  const answer = await by.call({ method: 'PATCH', url: `${USERS_URL}/${whom.user.id}`, body })
  assert.equal(answer.statusCode, 200, answer.body)
}

// One user requests and another tries to approve. Returns 'approved' or the code of the refusal, which the
// request must have shown before.
async function outcomeOf(maker: Person, checker: Person): Promise<string> {
  const { id } = await suspend(bench, picky, '500.00')
  const requestId = await requestResolution(maker, id)
  const listed = await checker.call({ url: `${SUSPENSE}/requests?itemId=${id}` })
  const { cannotApprove } = listed.json().data[0]
  const answer = await decide(checker, requestId, 'approve')
  assert.equal(cannotApprove?.code, answer.json().code, answer.body)
  if (cannotApprove) assert.equal(cannotApprove.message, answer.json().message)
  const { state } = await readItem(bench, id)
  assert.equal(state === 'open', answer.statusCode !== 200)
  return answer.json().code ?? 'approved'
}

test('two users who got access from the operator of the service approve for one another', async () => {
  assert.equal(await outcomeOf(ada, obi), 'approved')
  assert.equal(await outcomeOf(obi, ada), 'approved')
})

test('a new user, or one with a new password, role or access, waits a day', async () => {
  const [tobi, uche, ife] = [await invite(obi), await invite(obi), await invite(obi)]
  assert.equal(await outcomeOf(ada, tobi), 'approver_too_new')
  bench.advance(WAIT_MS)
  const [maker, owner] = [await again(ada), await again(obi)]
  assert.equal(await outcomeOf(maker, await again(tobi)), 'approved')

  const late = await reset(owner, tobi)
  await change(owner, uche, { role: 'support' })
  await change(owner, uche, { role: 'owner' })
  await change(owner, ife, { isActive: false })
  await change(owner, ife, { isActive: true })
  for (const who of [late, await again(uche), await again(ife)]) {
    assert.equal(await outcomeOf(maker, who), 'approver_too_new')
  }
  bench.advance(WAIT_MS)
  const later = await again(ada)
  for (const who of [late, uche, ife]) {
    assert.equal(await outcomeOf(later, await again(who)), 'approved')
  }
})

test('no user approves a request of the user who gave them access, however long the chain', async () => {
  const first = await again(ada)
  const [one, two] = [await invite(first), await invite(first)]
  const three = await invite(one)
  const four = await invite(three)
  bench.advance(WAIT_MS)
  const [a, b, c, d, e] = [
    await again(ada),
    await again(one),
    await again(two),
    await again(three),
    await again(four),
  ] as const
  for (const [maker, checker] of [
    [a, b], // `a`, who makes the request, invited `b`.
    [a, e], // `a` invited `b`, who invited `d`, who invited `e`.
    [b, e],
  ] as const) {
    assert.equal(await outcomeOf(maker, checker), 'approver_not_independent')
  }
  assert.equal(await outcomeOf(b, c), 'approver_not_independent') // `a` invited both.
  assert.equal(await outcomeOf(e, a), 'maker_counts_as_you')
  await takeOver(bench, b, c, d, e)
  assert.equal(await outcomeOf(b, c), 'approved') // After takeOver(), both count as persons of their own.
  assert.equal(await outcomeOf(e, a), 'approved')
  const gone = await a.call({ method: 'DELETE', url: `${USERS_URL}/${d.user.id}` })
  assert.equal(gone.statusCode, 200)
  // Removing `d` from the chain changes nothing.
  assert.equal(await outcomeOf(a, e), 'approver_not_independent')
  assert.equal(await outcomeOf(e, await again(obi)), 'approved')
})

test('a user who resets a password, enables or gives a role stands behind that user', async () => {
  const changes: ((by: Person, whom: Person) => Promise<unknown>)[] = [
    reset,
    async (by, whom) => {
      await change(by, whom, { role: 'support' })
      await change(by, whom, { role: 'owner' })
    },
    async (by, whom) => {
      await change(by, whom, { isActive: false })
      await change(by, whom, { isActive: true })
    },
  ]
  for (const touch of changes) {
    const [maker, other] = [await newBrowser(bench, 'owner'), await newBrowser(bench, 'owner')]
    const before = await outcomeOf(maker, other)
    await touch(maker, other)
    bench.advance(WAIT_MS)
    const outcome = await outcomeOf(await again(maker), await again(other))
    assert.deepEqual([before, outcome], ['approved', 'approver_not_independent'])
  }
})

test('an operator of the service lets in, and resets, without standing behind anybody', async () => {
  const operator = await newBrowser(bench, 'operator')
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const theirs = await invite(owner)
  const second = await invite(operator, 'owner', { clientId })
  bench.advance(WAIT_MS)
  const fresh = await again(operator)
  assert.equal((await setMakerChecker(await again(owner), true)).statusCode, 200)
  // One user requests to turn maker-checker off and another tries to approve. Returns 'approved' or the code
  // of the refusal.
  const disable = async (maker: Person, checker: Person) => {
    const { id } = (await askToDisable(maker)).json().data
    const answer = await decide(checker, id, 'approve')
    if (answer.statusCode !== 200) await decide(maker, id, 'withdraw')
    return answer.json().code ?? 'approved'
  }

  const [o, t] = [await again(owner), await again(theirs)]
  assert.equal(await disable(o, t), 'approver_not_independent')
  assert.equal(await disable(o, await again(second)), 'approved')

  await setMakerChecker(o, true)
  await reset(fresh, theirs) // The person behind them no longer knows their password.
  bench.advance(WAIT_MS)
  assert.equal(await disable(await again(owner), await again(theirs)), 'approved')
})

test('the database itself refuses an approval by somebody who is not independent', async () => {
  const [maker, other] = [await again(ada), await invite(await again(ada))]
  const { id } = await suspend(bench, picky, '500.00')
  const requestId = await requestResolution(maker, id)
  const approve = (userId: string | null) =>
    bench.db.query(
      `update suspense_requests set state = 'approved', decided_by = 'user:x',
              decided_by_user = $2, decided_at = now() where id = $1`,
      [storedId('request', requestId), userId],
    )

  const constraint = 'suspense_requests_independent_checker'
  await assert.rejects(approve(other.user.id), { constraint })
  await assert.rejects(approve(null), { constraint })
})

test('a user who may not approve may still reject; a wait of zero is no wait', async () => {
  const maker = await again(ada)
  const puppet = await invite(maker)
  const { id } = await suspend(bench, picky, '500.00')
  const requestId = await requestResolution(maker, id)
  refused(await decide(puppet, requestId, 'approve'), 'approver_too_new')
  assert.equal((await decide(puppet, requestId, 'reject', { reason: 'No.' })).statusCode, 200)

  await using sandbox = await startTestService()
  assert.equal(sandbox.config.policy.approverWaitHours, 0)
})

test('a user who adds a passkey waits a day; renaming and removing one starts no wait', async () => {
  const tobi = await newBrowser(bench, 'owner')
  const { held, passkey } = await register(tobi)

  assert.equal(await outcomeOf(await again(ada), tobi), 'approver_too_new')
  bench.advance(WAIT_MS)
  const late = browserOf(bench, await trySignInWith(bench, held))
  assert.equal(await outcomeOf(await again(ada), late), 'approved')
  const url = `${PASSKEYS}/${passkey.id}`
  await late.call({ method: 'PATCH', url, body: { name: 'Old' } })
  await remove(late, passkey.id, await confirmWith(late, held))
  assert.equal(await outcomeOf(await again(ada), late), 'approved')
})
