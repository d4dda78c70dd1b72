// Adding a user, and resetting their access, mails the link in the same transaction.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { presentInvited } from '#access/views.ts'
import { closeAfterTests } from '../support/closing.ts'
import { newBrowser, newClientWithOwner, USERS_URL } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { sealingOf } from '../support/sealing.ts'
import { mailsTo, tokenMailedTo } from '../support/user-mails.ts'

const bench = closeAfterTests(await startTestService())
const ACCEPT = '/dashboard/api/invitation/accept'
const password = 'seven words that nobody else would choose'

test('an invited user gets the link by mail, chooses a password, and is signed in', async () => {
  const { browser: owner } = await newClientWithOwner(bench)
  const email = 'ada@invited.example'
  const answer = await owner.call({ url: USERS_URL, body: { email, role: 'finance' } })
  assert.equal(answer.statusCode, 200, answer.body)

  const [mail, ...others] = await mailsTo(bench, email)
  assert.deepEqual([mail?.kind, others.length], ['user.invitation', 0])
  assert.equal(mail?.facts.invitedBy, owner.user.email)
  const token = await tokenMailedTo(bench, email)
  const accepted = await bench.call({ url: ACCEPT, body: { token, password }, token: null })
  assert.deepEqual(accepted.json().data, { email, isSignedIn: true })
})

test('a reset by an administrator has words of its own, and its link works too', async () => {
  const { browser: owner } = await newClientWithOwner(bench)
  const email = 'bea@invited.example'
  const made = await owner.call({ url: USERS_URL, body: { email, role: 'support' } })
  const { id } = made.json().data
  bench.advance(1_000)
  const reset = await owner.call({ url: `${USERS_URL}/${id}/reset-password`, body: {} })
  assert.equal(reset.statusCode, 200, reset.body)

  const kinds = (await mailsTo(bench, email)).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['user.invitation', 'user.account_reset'])
  const token = await tokenMailedTo(bench, email)
  const accepted = await bench.call({ url: ACCEPT, body: { token, password }, token: null })
  assert.equal(accepted.statusCode, 200, accepted.body)
})

test('an operator’s name is not shown to another client', async () => {
  const { clientId } = await newClientWithOwner(bench)
  await bench.db.query(
    `update clients set is_operator = true, scopes = scopes || '{operator}' where client_id = 'MAN0000001'`,
  )
  const operator = await newBrowser(bench, 'operator')
  const email = 'cleo@invited.example'
  const answer = await operator.call({ url: USERS_URL, body: { email, role: 'owner', clientId } })
  assert.equal(answer.statusCode, 200, answer.body)

  const [mail] = await mailsTo(bench, email)
  assert.equal(mail?.facts.invitedBy, 'Your operator')
})

test('a refused invitation mails nothing, and a repeated one mails once', async () => {
  const { browser: owner } = await newClientWithOwner(bench)
  const email = 'dora@invited.example'
  const call = { url: USERS_URL, body: { email, role: 'support' } }
  const headers = { 'idempotency-key': 'invite-dora' }
  for (let attempt = 0; attempt < 2; attempt++) {
    assert.equal((await owner.call({ ...call, headers })).statusCode, 200)
  }
  assert.equal((await owner.call(call)).json().code, 'user_exists')
  assert.equal((await mailsTo(bench, email)).length, 1)
})

test('in live mode a mailed link is not shown; without a mail server it is shown', () => {
  const { sealer } = sealingOf(bench)
  const invitation = { token: 't'.repeat(43), expiresAt: bench.clock() }
  const user = { createdAt: bench.clock(), ownFrom: null, signedInAt: null }
  // Returns three flags of an invitation: the operator sees the link, the operator sees the temporary
  // password, and the link is mailed to the user.
  const visibleSecrets = (mailsUsers: boolean, mode: 'live' | 'sandbox') => {
    const { invitationLink, temporaryPassword, isMailed } = presentInvited(
      { user, invitation } as never,
      {
        ...{ publicUrl: 'https://pay.example', request: { server: { server: {} } } as never },
        ...{ mode, mailsUsers, sealer, password: 'temporary' },
      },
    )
    return [invitationLink !== null, temporaryPassword !== null, isMailed]
  }

  assert.deepEqual(visibleSecrets(true, 'live'), [false, false, true])
  assert.deepEqual(visibleSecrets(false, 'live'), [true, true, false])
  assert.deepEqual(visibleSecrets(true, 'sandbox'), [true, true, true])
})
