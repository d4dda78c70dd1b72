// A secret that the operator or the command line made was handed to somebody of the client, and nobody knows
// to whom. Until a user of the client rotates it, it counts as everybody there who may manage secrets (I231).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENTS } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, dataOf } from '../support/fixtures.ts'
import { addBankAccount, createPayout, fund, PAYOUTS } from '../support/payouts.ts'
import { type Browser, makeUser, newBrowser, signIn, USERS_URL } from '../support/people.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const operator = await newBrowser(bench, 'operator')
const COUNTS_AS_YOU = { status: 409, code: 'maker_counts_as_you' }

let made = 0

// Creates a client with money, whose payouts need approval, with two owners and a finance user, who added the
// bank account. The command line made its secret.
async function newClient() {
  const clientId = `HANDED${++made}`
  const token = await bench.newClient(clientId)
  const [owner, other] = [
    await newBrowser(bench, 'owner', clientId),
    await newBrowser(bench, 'owner', clientId),
  ]
  const finance = await newBrowser(bench, 'finance', clientId)
  await fund(bench, '1000', { token })
  await addBankAccount(await newBrowser(bench, 'finance', clientId))
  const body = { payoutApproval: 'all' }
  dataOf(await other.call({ method: 'PUT', url: '/api/v1/payout-settings', body }))
  return { clientId, token, owner, other, finance }
}

// Returns a caller with the client's new secret, which `rotation` makes. The old one is gone at once.
async function withSecretOf(clientId: string, rotation: ReturnType<Browser['call']>) {
  const { secret } = dataOf(await rotation)
  const token = await bench.login(clientId, secret)
  return { call: (call: Parameters<Bench['call']>[0]) => bench.call({ ...call, token }) }
}

const AT_ONCE = { overlapSeconds: 0 }
const rotateAsOperator = (clientId: string) =>
  operator.call({ url: `${CLIENTS}/${clientId}/rotate-secret`, body: AT_ONCE })

const request = async (by: Pick<Bench, 'call'>) =>
  (await createPayout(by, { amount: 1 })).reference as string

const approve = (by: Browser, reference: string) =>
  by.call({ url: `${PAYOUTS}/${reference}/approve`, body: {} })

test('no owner approves what a secret requested that the operator made, until one rotates it', async () => {
  const { clientId, owner, other, finance } = await newClient()
  const handedOver = await withSecretOf(clientId, rotateAsOperator(clientId))

  const reference = await request(handedOver)
  assertRefused(await approve(owner, reference), COUNTS_AS_YOU)
  assertRefused(await approve(other, reference), COUNTS_AS_YOU)
  const early = await request(handedOver)
  assert.equal((await approve(finance, reference)).statusCode, 200)

  const url = '/dashboard/api/client/rotate-secret'
  const own = await withSecretOf(clientId, owner.call({ url, body: AT_ONCE }))
  const next = await request(own)
  assertRefused(await approve(owner, next), COUNTS_AS_YOU)
  assert.equal((await approve(other, next)).statusCode, 200)
  assertRefused(await approve(other, early), COUNTS_AS_YOU) // It is judged by its own time.
})

test('an owner who was removed, and is back in another role, may still have it', async () => {
  const { clientId, owner } = await newClient()
  const gone = await newBrowser(bench, 'owner', clientId)
  const handedOver = await withSecretOf(clientId, rotateAsOperator(clientId))
  const url = `${USERS_URL}/${gone.user.id}`
  assert.equal((await owner.call({ method: 'DELETE', url })).statusCode, 200)

  const reference = await request(handedOver)

  const { email } = gone.user
  const back = await signIn(bench, await makeUser(bench, { clientId, role: 'finance', email }))
  assertRefused(await approve(back, reference), COUNTS_AS_YOU)
})

test('an owner who may have the secret counts as having chosen the account that it added', async () => {
  const { clientId, owner, finance } = await newClient()
  const handedOver = await withSecretOf(clientId, rotateAsOperator(clientId))
  const { reference: bankAccount } = await addBankAccount(handedOver)

  const { reference } = await createPayout(finance, { amount: 1, bankAccount })

  assertRefused(await approve(owner, reference), { status: 409, code: 'approver_chose_account' })
})

test('in live mode the same is true of a secret from the command line', async () => {
  const { token, owner, finance } = await newClient()
  const handedOver = {
    call: (call: Parameters<Bench['call']>[0]) => bench.call({ ...call, token }),
  }
  const inSandbox = await request(handedOver)
  assert.equal((await approve(owner, inSandbox)).statusCode, 200)

  await bench.db.query(`update database_mode set mode = 'live'`)
  const reference = await request(handedOver)
  await bench.db.query(`update database_mode set mode = 'sandbox'`)

  assertRefused(await approve(owner, reference), COUNTS_AS_YOU)
  assert.equal((await approve(finance, reference)).statusCode, 200)
})
