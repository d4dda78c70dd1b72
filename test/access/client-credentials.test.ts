// Owners and developers of a client manage its credentials, and see its rate limits.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROLES, type Role } from '#access/permissions.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, dataOf } from '../support/fixtures.ts'
import { newBrowser, newClientWithOwner } from '../support/people.ts'
import { addClient, startTestService } from '../support/running-service.ts'

const OWN = '/dashboard/api/client'
const ROTATE = `${OWN}/rotate-secret`
const bench = closeAfterTests(await startTestService())

const canLogIn = async (clientId: string, secret: string) =>
  (await bench.tryLogin(clientId, secret)).statusCode === 200

test('an owner rotates the secret: both log in until the overlap is over', async () => {
  const { clientId, browser } = await newClientWithOwner(bench)

  const { secret, secrets, ...rest } = dataOf(
    await browser.call({ url: ROTATE, body: { overlapSeconds: 60 } }),
  )

  assert.equal(rest.clientId, clientId)
  assert.deepEqual(
    secrets.map(({ keyId, retiresAt }: { keyId: string; retiresAt: unknown }) => [
      keyId,
      retiresAt === null,
    ]),
    [
      [secret.split('.')[0], true],
      ['', false],
    ],
  )
  assert(await canLogIn(clientId, secret))
  assert(await canLogIn(clientId, 's3cret'))
  bench.advance(61_000)
  assert(!(await canLogIn(clientId, 's3cret')))
  assert(await canLogIn(clientId, secret))
  const view = await browser.call({ url: OWN })
  assert.equal(dataOf(view).secrets.length, 1)
  assert(!view.body.includes(secret))
})

test('without an overlap the old secret and all tokens are dead at once', async () => {
  const { clientId, browser } = await newClientWithOwner(bench)
  const token = await bench.login(clientId, 's3cret')

  await browser.call({ url: ROTATE, body: { overlapSeconds: 0 } })

  assert(!(await canLogIn(clientId, 's3cret')))
  const refused = await bench.call({ url: '/api/v1/credits', token })
  assertRefused(refused, { status: 401, code: 'unauthorized' })
})

test('the rotation is in the client’s audit log, with the name of the user', async () => {
  const { clientId, browser } = await newClientWithOwner(bench)
  await browser.call({ url: ROTATE, body: {} })

  const actions = await browser.call({ url: '/api/v1/audit-log?action=secret.rotate' })

  const [{ actor, subject, detail }, ...others] = actions.json().data
  assert.deepEqual(others, [])
  assert.equal(actor, `user:${browser.user.email}`)
  assert.equal(subject, `client/${clientId}`)
  assert.equal(detail.overlapSeconds, 86_400)
})

const WHO_MAY = [
  { of: 'a merchant', roles: ['owner', 'developer'] },
  { of: 'an operator', roles: ['operator'] },
]

for (const { of, roles } of WHO_MAY) {
  test(`${roles.join(', ')} may see the ${of}; other roles do not even learn which exist`, async () => {
    const clientId = of.replaceAll(' ', '-')
    await addClient(bench.db, bench.clock(), { clientId, isOperator: of === 'an operator' })
    for (const role of ROLES) await assertMayManageSecret(clientId, role, roles.includes(role))
  })
}

// Reads and rotates the client's secret as a user with this role, which must succeed only if it is allowed.
async function assertMayManageSecret(
  clientId: string,
  role: Role,
  isAllowed: boolean,
): Promise<void> {
  const browser = await newBrowser(bench, role, clientId)
  const view = await browser.call({ url: OWN })
  const rotation = await browser.call({ url: ROTATE, body: {} })
  if (isAllowed) {
    assert.deepEqual([view.statusCode, rotation.statusCode], [200, 200], role)
  } else {
    assertRefused(view, { status: 403, code: 'role_not_allowed' })
    assertRefused(rotation, { status: 403, code: 'role_not_allowed' })
  }
}

test('the client’s own token opens none of it, nor does a session without its token', async () => {
  const browser = await newBrowser(bench)
  const refused = { status: 401, code: 'session_needed' }

  assertRefused(await bench.call({ url: OWN }), refused)
  assertRefused(await bench.call({ url: ROTATE, body: {} }), refused)
  const forged = await browser.call({ url: ROTATE, body: {}, headers: { 'x-csrf-token': 'x' } })
  assertRefused(forged, { status: 403, code: 'csrf_token_wrong' })
})

test('asked again with the same key, the same secret comes back and no other is made', async () => {
  const { browser } = await newClientWithOwner(bench)
  const headers = { 'idempotency-key': 'rotate-once' }

  const first = await browser.call({ url: ROTATE, body: {}, headers })
  const again = await browser.call({ url: ROTATE, body: {}, headers })
  const other = await browser.call({ url: ROTATE, body: { overlapSeconds: 5 }, headers })

  assert.equal(again.body, first.body)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(other.json().code, 'idempotency_key_reused')
  assert.equal(dataOf(await browser.call({ url: OWN })).secrets.length, 2)
})

test('unknown fields and wrong types are refused', async () => {
  const { browser } = await newClientWithOwner(bench)
  for (const body of [{ overlap: 1 }, { overlapSeconds: '1' }, { overlapSeconds: 2_592_001 }, []]) {
    const answer = await browser.call({ url: ROTATE, body })
    assertRefused(answer, { status: 400, code: 'invalid_request' })
  }
})

test('the limits are those that the service was set up with', async () => {
  const env = {
    MANILLA_RATE_LIMITS: 'login=30,simulate=0',
    MANILLA_LIMIT_PER_CREDIT: '5000000.50',
  }
  await using other = await startTestService({ env })

  const limits = dataOf(await other.call({ url: '/api/v1/limits' }))

  const { login, simulate, client } = limits.requestsPerMinute
  assert.deepEqual([login, simulate, client], [30, null, 6_000_000])
  assert.deepEqual(limits.newAccounts, { perCredit: 5_000_000.5, perDay: null })
  assert.equal(limits.webhookEndpoints, 20)
  assert.deepEqual([limits.expirySeconds, limits.graceSeconds], [1800, 300])
})
