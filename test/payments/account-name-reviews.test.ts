// In live mode, account names show a client's chosen name only after an operator has approved it (I102).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWN_RAIL_SECRET, startLiveService } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, dataOf, startPayment } from '../support/fixtures.ts'
import { postRail } from '../support/rail.ts'
import { addClient, type Call, startTestService } from '../support/running-service.ts'

const BRANDING = '/api/v1/branding'
const SIGNING = { secrets: [OWN_RAIL_SECRET] }
const CLIENTS = '/api/v1/operator/clients'
const live = closeAfterTests(await startLiveService())
await addClient(live.db, live.clock(), { clientId: 'OPERATOR1', isOperator: true })
const operator = await live.login('OPERATOR1', 's3cret')

// Creates a client. `choose` sets the account name and colour of its branding, and `read` returns the
// branding.
async function newShop(clientId: string) {
  const token = await live.newClient(clientId)
  const call = (call: Call) => live.call({ ...call, token })
  return {
    clientId,
    token,
    call,
    choose: async (accountName: string | null, colour: string | null = null) =>
      dataOf(
        await call({ method: 'PUT', url: BRANDING, body: { name: null, colour, accountName } }),
      ),
    read: async () => dataOf(await call({ url: BRANDING })),
  }
}

const decide = (clientId: string, decision: 'approve' | 'reject', body: object) =>
  live.call({
    url: `${CLIENTS}/${clientId}/account-name/${decision}`,
    method: 'POST',
    body,
    token: operator,
  })
const alertsOf = async (clientId: string) =>
  (
    await live.db.query(
      `select detail ->> 'accountName' as name, cleared_at is null as "isOpen" from alerts
        where kind = 'account_name_review' and subject = $1 order by id`,
      [`client/${clientId}`],
    )
  ).rows

test('banks and payers see the reviewed name until an operator approves the new one', async () => {
  const shop = await newShop('SHOP1')
  const { name } = dataOf(await live.call({ url: `${CLIENTS}/SHOP1`, token: operator }))
  const payment = await startPayment({ ...live, call: shop.call })
  const enquire = async () =>
    (
      await postRail(live, '035/name-enquiry', { accountNumber: payment.bankAccount }, SIGNING)
    ).json().accountName
  const chosen = await shop.choose('Zenith Bank Plc')

  assert.deepEqual(
    [chosen.accountName, chosen.isOwnAccountName, chosen.pendingAccountName],
    [name, false, 'Zenith Bank Plc'],
  )
  assert.equal(await enquire(), `${name}/Ada Obi`)
  const next = await startPayment({ ...live, call: shop.call })
  assert.equal(next.accountName, `${name}/Ada Obi`)
  assert.deepEqual(await alertsOf('SHOP1'), [{ name: 'Zenith Bank Plc', isOpen: true }])
  const client = dataOf(
    await decide('SHOP1', 'approve', { accountName: 'Zenith Bank Plc', reason: 'Letter seen' }),
  )
  assert.deepEqual([client.accountName, client.pendingAccountName], ['Zenith Bank Plc', null])
  assert.equal(await enquire(), 'Zenith Bank Plc/Ada Obi')
  assert.deepEqual(await alertsOf('SHOP1'), [{ name: 'Zenith Bank Plc', isOpen: false }])
  const { rows } = await live.db.query(
    `select action, detail from audit_log where subject = 'client/SHOP1' and action like '%account_name'`,
  )
  const detail = { accountName: 'Zenith Bank Plc', reason: 'Letter seen' }
  assert.deepEqual(rows, [{ action: 'client.approve_account_name', detail }])
})

test('a rejected name is gone, and the reviewed one stays', async () => {
  const shop = await newShop('SHOP2')
  await shop.choose('First')
  await decide('SHOP2', 'approve', { accountName: 'First' })
  await shop.choose('Central Bank')
  const rejected = await decide('SHOP2', 'reject', { accountName: 'Central Bank' })

  assert.equal(rejected.statusCode, 200)
  const { accountName, pendingAccountName } = await shop.read()
  assert.deepEqual([accountName, pendingAccountName], ['First', null])
})

test('an operator decides once on a name, and only on the name that the operator saw', async () => {
  const shop = await newShop('SHOP3')
  await shop.choose('Harmless')
  await shop.choose('Central Bank')
  const conflict = { status: 409, code: 'account_name_not_pending' }
  assertRefused(await decide('SHOP3', 'approve', { accountName: 'Harmless' }), conflict)
  assert.equal((await shop.read()).pendingAccountName, 'Central Bank')
  assert.deepEqual(await alertsOf('SHOP3'), [
    { name: 'Harmless', isOpen: false },
    { name: 'Central Bank', isOpen: true },
  ])
  const both = await Promise.all([
    decide('SHOP3', 'approve', { accountName: 'Central Bank' }),
    decide('SHOP3', 'reject', { accountName: 'Central Bank' }),
  ])
  assert.deepEqual(both.map(({ statusCode }) => statusCode).sort(), [200, 409])
  for (const body of [{}, { accountName: null }, { accountName: 1 }, { accountName: ' ' }]) {
    assertRefused(await decide('SHOP3', 'approve', body), { code: 'invalid_request' })
  }
  const unknown = await decide('NOBODY1', 'approve', { accountName: 'X' })
  assertRefused(unknown, { status: 404, code: 'client_not_found' })
})

test('a client withdraws a name by null or the reviewed name; other changes leave it waiting', async () => {
  const shop = await newShop('SHOP4')
  await shop.choose('One')
  const body = { name: 'Shop', colour: '#c2185b' }
  await shop.call({ method: 'PUT', url: BRANDING, body })
  assert.equal((await shop.read()).pendingAccountName, 'One')
  assert.equal((await shop.choose(null)).pendingAccountName, null)
  await shop.choose('One')
  await decide('SHOP4', 'approve', { accountName: 'One' })
  await shop.choose('Two')
  const back = await shop.choose('One')

  assert.deepEqual([back.accountName, back.pendingAccountName], ['One', null])
  assert.deepEqual(
    (await alertsOf('SHOP4')).filter(({ isOpen }) => isOpen),
    [],
  )
  assert.equal((await shop.choose(null)).isOwnAccountName, false)
})

test('a client cannot approve its own name', async () => {
  const shop = await newShop('SHOP5')
  await shop.choose('Central Bank')
  const url = `${CLIENTS}/SHOP5/account-name/approve`
  const answer = await shop.call({ method: 'POST', url, body: { accountName: 'Central Bank' } })
  assert.equal(answer.statusCode, 403)
  assert.equal((await shop.read()).pendingAccountName, 'Central Bank')
})

test('in the sandbox a name takes effect at once', async () => {
  await using sandbox = await startTestService()
  const body = { name: null, colour: null, accountName: 'Adas Shoes' }
  const answer = dataOf(await sandbox.call({ method: 'PUT', url: BRANDING, body }))
  assert.deepEqual([answer.accountName, answer.pendingAccountName], ['Adas Shoes', null])
})
