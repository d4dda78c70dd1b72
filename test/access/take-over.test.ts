// I93: the maker of a request is the person who controls the credential. So no owner can approve alone:
// neither through a user whose password they set, nor with a client secret that they created.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused } from '../support/fixtures.ts'
import { addBankAccount, createPayout, fund, PAYOUTS } from '../support/payouts.ts'
import {
  actionsOf,
  type Browser,
  browserOf,
  newBrowser,
  PASSWORD,
  SESSION_URL,
  signIn,
  trySignIn,
  USERS_URL,
} from '../support/people.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

const INVITATION = '/dashboard/api/invitation'
const HOUR_MS = 3_600_000
const OWN_PASSWORD = 'a password of my own, 7 words long'

const env = { MANILLA_APPROVER_WAIT_HOURS: '24' }
const bench = closeAfterTests(await startTestService({ env }))

type Answer = Awaited<ReturnType<Bench['call']>>
type Invited = { id: string; email: string; temporaryPassword: string; token: string }

const assertRefusedWith = (answer: Answer, code: string, status = 409) =>
  assertRefused(answer, { status, code })

let made = 0

// Invites a user, and returns the secrets that the inviting owner sees.
async function invite(owner: Browser, role = 'finance', more: object = {}): Promise<Invited> {
  const email = `invited${++made}@people.example`
  const answer = await owner.call({ url: USERS_URL, body: { email, role, ...more } })
  assert.equal(answer.statusCode, 200, answer.body)
  return toInvited(answer)
}

// Reads the temporary password and the token of the link from the answer to an invitation.
function toInvited(answer: Answer): Invited {
  const { id, email, temporaryPassword, invitationLink } = answer.json().data
  const [address, token] = invitationLink.split('#')
  assert.match(address, /\/dashboard\/invitation$/)
  return { id, email, temporaryPassword, token }
}

// Signs in with the temporary password, which the user who invited knows, and replaces it.
async function signInTemporarily({ email, temporaryPassword }: Invited): Promise<Browser> {
  const answer = await trySignIn(bench, { email, password: temporaryPassword })
  const body = { currentPassword: temporaryPassword, newPassword: OWN_PASSWORD }
  const url = '/dashboard/api/password'
  const changed = await browserOf(bench, answer).call({ method: 'PUT', url, body })
  assert.equal(changed.statusCode, 200, changed.body)
  return signIn(bench, email, { password: OWN_PASSWORD })
}

const acceptInvitation = (token: string, password = OWN_PASSWORD) =>
  bench.call({ url: `${INVITATION}/accept`, body: { token, password }, token: null })

// Accepts an invitation by its link, which also signs the user in.
async function acceptAndEnter({ token, email }: Invited): Promise<Browser> {
  const answer = await acceptInvitation(token)
  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual(answer.json().data, { email, isSignedIn: true })
  const cookie = String(answer.headers['set-cookie']).split(';')[0] as string
  const session = await bench.call({ url: SESSION_URL, token: null, headers: { cookie } })
  const { csrfToken, user } = session.json().data
  return {
    cookie,
    csrfToken,
    user,
    call: (call) =>
      bench.call({
        ...call,
        token: null,
        headers: { cookie, 'x-csrf-token': csrfToken, ...call.headers },
      }),
  }
}

// Adds an authenticator app as the user's second factor, and returns the app's secret.
async function addSecondFactor(user: Browser): Promise<Secret> {
  const begun = await user.call({ url: '/dashboard/api/totp', body: { password: OWN_PASSWORD } })
  const secret = Secret.fromBase32(begun.json().data.secret)
  const code = codeOf(secret)
  const confirmed = await user.call({ url: '/dashboard/api/totp/confirm', body: { code } })
  assert.equal(confirmed.statusCode, 200, confirmed.body)
  return secret
}

const codeOf = (secret: Secret) =>
  new TOTP({ secret }).generate({ timestamp: bench.clock().getTime() })

type Client = { clientId: string; token: string; owner: Browser; other: Browser }

// Creates a client with money, a bank account that an independent user added, and approval of all payouts.
async function newClient(): Promise<Client> {
  const clientId = `TAKEN${++made}`
  const token = await bench.newClient(clientId)
  const owner = await newBrowser(bench, 'owner', clientId)
  const other = await newBrowser(bench, 'owner', clientId)
  await fund(bench, '1000', { token })
  await addBankAccount(await newBrowser(bench, 'finance', clientId))
  const body = { payoutApproval: 'all' }
  const set = await other.call({ method: 'PUT', url: '/api/v1/payout-settings', body })
  assert.equal(set.statusCode, 200, set.body)
  return { clientId, token, owner, other }
}

// Requests a payout that needs approval, and returns its reference.
async function requestPayout(by: Pick<Bench, 'call'>, amount = 1): Promise<string> {
  const { reference, approval } = await createPayout(by, { amount })
  assert.equal(approval, 'needed')
  return reference
}

const approve = (by: Browser, reference: string) =>
  by.call({ url: `${PAYOUTS}/${reference}/approve`, body: {} })

const signInAgain = (user: Browser) => signIn(bench, user.user.email)
test('an owner does not approve what a user requested whose password they set', async () => {
  const { owner, other } = await newClient()
  const invited = await invite(owner)
  const puppet = await signInTemporarily(invited)
  const reference = await requestPayout(puppet)

  assertRefusedWith(await approve(owner, reference), 'maker_counts_as_you')
  assert.equal((await approve(other, reference)).statusCode, 200)
})

test('nor do they approve requests of users invited by these, nor these each other’s', async () => {
  const { owner } = await newClient()
  const second = await signInTemporarily(await invite(owner, 'owner'))
  const third = await signInTemporarily(await invite(second, 'finance'))
  const fourth = await signInTemporarily(await invite(owner, 'finance'))
  const reference = await requestPayout(third)

  assertRefusedWith(await approve(owner, reference), 'maker_counts_as_you')
  bench.advance(25 * HOUR_MS)
  const later = await signIn(bench, fourth.user.email, { password: OWN_PASSWORD })
  assertRefusedWith(await approve(later, reference), 'approver_not_independent')
})

test('an owner does not approve what a secret requested that they made', async () => {
  const { clientId, owner, other } = await newClient()
  const url = '/dashboard/api/client/rotate-secret'
  const rotated = await owner.call({ url, body: { overlapSeconds: 0 } })
  const { secret: clientSecret } = rotated.json().data
  const login = { clientId, clientSecret }
  const logged = await bench.call({ url: '/api/Account/login', body: login, token: null })
  const token = logged.json().access_token as string
  const reference = await requestPayout({ call: (call) => bench.call({ ...call, token }) })

  assertRefusedWith(await approve(owner, reference), 'maker_counts_as_you')
  assert.equal((await approve(other, reference)).statusCode, 200)
})

test('users who accept by the link, add a second factor and wait count as independent', async () => {
  const { owner } = await newClient()
  const invited = await invite(owner)
  const finance = await acceptAndEnter(invited)
  const [entered] = await bench.db
    .query('select signed_in_at from users where email = $1', [invited.email])
    .then(({ rows }) => rows)
  assert.deepEqual(entered, { signedInAt: bench.clock() })
  const early = await requestPayout(finance)
  assertRefusedWith(await approve(owner, early), 'maker_counts_as_you')

  const secret = await addSecondFactor(finance)
  const fresh = await requestPayout(finance)
  assertRefusedWith(await approve(owner, fresh), 'maker_counts_as_you')

  bench.advance(25 * HOUR_MS)
  const code = codeOf(secret)
  const later = await signIn(bench, invited.email, { password: OWN_PASSWORD, code })
  const boss = await signInAgain(owner)
  const reference = await requestPayout(later)
  assert.equal((await approve(boss, reference)).statusCode, 200)
  // The rule that applied when the payout was requested still decides.
  assertRefusedWith(await approve(boss, early), 'maker_counts_as_you')
  const actions = await actionsOf(bench, `user/${invited.email}`)
  assert(actions.includes('user.accept_invitation') && actions.includes('user.take_over'))

  const reset = await boss.call({ url: `${USERS_URL}/${invited.id}/reset-password`, body: {} })
  assert.equal(reset.json().data.countsFrom, null)
})

test('a second factor without the link does not take an account over', async () => {
  const { owner } = await newClient()
  const puppet = await signInTemporarily(await invite(owner))
  const secret = await addSecondFactor(puppet)
  bench.advance(25 * HOUR_MS)
  const code = codeOf(secret)
  const later = await signIn(bench, puppet.user.email, { password: OWN_PASSWORD, code })
  assertRefusedWith(
    await approve(await signInAgain(owner), await requestPayout(later)),
    'maker_counts_as_you',
  )
})

test('requests from before a user became independent stay those of the owner who invited them', async () => {
  const { clientId, owner } = await newClient()
  const second = await acceptAndEnter(await invite(owner, 'owner'))
  const secret = await addSecondFactor(second)
  const puppet = await signInTemporarily(await invite(second))
  const url = '/dashboard/api/client/rotate-secret'
  const rotated = await second.call({ url, body: { overlapSeconds: 0 } })
  bench.advance(25 * HOUR_MS)
  const code = codeOf(secret)
  const boss = await signIn(bench, second.user.email, { password: OWN_PASSWORD, code })

  const user = await signIn(bench, puppet.user.email, { password: OWN_PASSWORD })
  assertRefusedWith(await approve(boss, await requestPayout(user)), 'maker_counts_as_you')
  const login = { clientId, clientSecret: rotated.json().data.secret }
  const logged = await bench.call({ url: '/api/Account/login', body: login, token: null })
  const token = logged.json().access_token as string
  const reference = await requestPayout({ call: (call) => bench.call({ ...call, token }) })
  assertRefusedWith(await approve(boss, reference), 'maker_counts_as_you')
})

test('a link works once, for 72 hours, until it is replaced or the password is changed', async () => {
  const { owner } = await newClient()
  const used = await invite(owner)
  const [one, two] = await Promise.all([acceptInvitation(used.token), acceptInvitation(used.token)])
  assert.deepEqual([one.statusCode, two.statusCode].sort(), [200, 401])
  assertRefusedWith(await acceptInvitation(used.token), 'invitation_invalid', 401)

  const replaced = await invite(owner)
  const url = `${USERS_URL}/${replaced.id}/reset-password`
  const next = toInvited(await owner.call({ url, body: {} }))
  assertRefusedWith(await acceptInvitation(replaced.token), 'invitation_invalid', 401)
  assertRefusedWith(await acceptInvitation(next.token, 'short'), 'invalid_request', 400)
  assert.equal((await acceptInvitation(next.token)).statusCode, 200)

  const changed = await invite(owner)
  await signInTemporarily(changed)
  assertRefusedWith(await acceptInvitation(changed.token), 'invitation_invalid', 401)

  const expired = await invite(owner)
  bench.advance(72 * HOUR_MS)
  const look = await bench.call({ url: INVITATION, body: { token: expired.token }, token: null })
  assertRefusedWith(look, 'invitation_invalid', 401)
  assertRefusedWith(await acceptInvitation(expired.token), 'invitation_invalid', 401)
})

test('a link of a user with a second factor signs nobody in', async () => {
  const { owner } = await newClient()
  const invited = await invite(owner)
  const secret = await addSecondFactor(await acceptAndEnter(invited))
  const url = `${USERS_URL}/${invited.id}/reset-password`
  const reset = toInvited(await owner.call({ url, body: {} }))
  const answer = await acceptInvitation(reset.token, PASSWORD)
  assert.deepEqual(answer.json().data, { email: invited.email, isSignedIn: false })
  assert.equal(answer.headers['set-cookie'], undefined)
  bench.advance(60_000)
  await signIn(bench, invited.email, { code: codeOf(secret) })
})

test('an operator vouches for a person, but not for one whose password they set', async () => {
  const { clientId, owner } = await newClient()
  const operator = await newBrowser(bench, 'operator')
  const invited = await invite(owner)
  const vouch = (by: Browser, { id }: Invited, note = 'I met her at the branch.') =>
    by.call({ url: `${USERS_URL}/${id}/vouch`, body: { note } })

  assertRefusedWith(await vouch(owner, invited), 'role_not_allowed', 403)
  assertRefusedWith(await vouch(operator, invited), 'user_password_temporary')
  const finance = await acceptAndEnter(invited)
  assert.equal((await vouch(operator, invited)).statusCode, 200)
  assert.equal((await approve(owner, await requestPayout(finance))).statusCode, 200)
  assert((await actionsOf(bench, `user/${invited.email}`)).includes('user.vouch'))

  const own = await invite(operator, 'finance', { clientId })
  await acceptAndEnter(own)
  assertRefusedWith(await vouch(operator, own), 'voucher_not_independent')
})

test('a bank account that a dependent user chose counts as chosen by the owner behind them', async () => {
  const { owner, other } = await newClient()
  const puppet = await signInTemporarily(await invite(owner))
  const { reference: bankAccount } = await addBankAccount(puppet)
  const { reference } = await createPayout(other, { amount: 1, bankAccount })
  assertRefusedWith(await approve(owner, reference), 'approver_chose_account')
})

test('above an amount, what client credentials request takes two approvers', async () => {
  const { token, owner, other } = await newClient()
  const body = { payoutApproval: 'all', twoApproversAbove: 10 }
  await owner.call({ method: 'PUT', url: '/api/v1/payout-settings', body })
  const looser = { ...body, twoApproversAbove: 20 }
  const answer = await owner.call({ method: 'PUT', url: '/api/v1/payout-settings', body: looser })
  assertRefusedWith(answer, 'payout_approval_kept')
  const system = { call: (call: Parameters<Bench['call']>[0]) => bench.call({ ...call, token }) }
  const [small, large] = [await requestPayout(system, 10), await requestPayout(system, 11)]

  assert.equal((await approve(owner, small)).json().data.approval, 'approved')
  assert.equal((await approve(owner, large)).json().data.approval, 'needed')
  assert.equal((await approve(owner, large)).json().data.approval, 'needed')
  const seen = await owner.call({ url: `${PAYOUTS}/${large}` })
  assert.equal(seen.json().data.cannotApprove.code, 'second_approver_needed')
  assert.equal((await approve(other, large)).json().data.approval, 'approved')
  await assert.rejects(
    bench.db.query(
      `update payouts set approval = 'approved', decided_by = 'user:x', decided_at = now(),
                          decided_by_user = $2 where reference = $1`,
      [await requestPayout(system, 12), other.user.id],
    ),
    { constraint: 'payouts_two_approvers' },
  )
})

test('the database refuses such an approval too', async () => {
  const { owner } = await newClient()
  const puppet = await signInTemporarily(await invite(owner))
  await assert.rejects(
    bench.db.query(
      `update payouts set approval = 'approved', decided_by = 'user:' || $2, decided_at = now(),
                          decided_by_user = $3 where reference = $1`,
      [await requestPayout(puppet), owner.user.email, owner.user.id],
    ),
    { constraint: 'payouts_another_person' },
  )
})
