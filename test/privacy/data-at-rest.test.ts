// After a busy day, no secret or personal datum that must be sealed, hashed or masked is readable anywhere:
// in no database column, in no log line at the most verbose level, in no webhook and in no list.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import { SANDBOX_USER } from '#sandbox/setup.ts'
import { patchAccount } from '../support/account-calls.ts'
import { registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  accountBody,
  createAccount,
  databaseText,
  readAccount,
  simulate,
  startPayment,
} from '../support/fixtures.ts'
import { newBrowser, PASSWORD } from '../support/people.ts'
import { newSessionId, postRail, reportCredit } from '../support/rail.ts'
import { SECRETS } from '../support/running-service.ts'
import { assign, giveBack, NOBODYS_NUMBER, suspend } from '../support/suspense-desk.ts'
import { listener, startWebhookBench } from '../support/webhook-bench.ts'

const BVN = '22298765432'
const OTHER_BVN = '22298765433'
const PAYER = '3987654321'
const RULED_PAYER = '3987654322'
const payer = { sourceAccountNumber: PAYER, sourceAccountName: 'ADA PAYER', sourceBankCode: '044' }

const bench = closeAfterTests(await startWebhookBench())
const receiver = closeAfterTests(await listener())
const seenByPeople: string[] = []
const forbidden: Record<string, string> = {
  BVN,
  'another BVN': OTHER_BVN,
  'the account of a payer': PAYER,
  'the account of a payer who may pay': RULED_PAYER,
  'the client secret': 'sandbox-secret',
  'a password': PASSWORD,
  'the password of the documentation': SANDBOX_USER.password,
  "a bank's secret": SANDBOX_RAIL_SECRET,
}
for (const [name, text] of Object.entries(SECRETS)) forbidden[name] = text.replace(/^1:/, '')

await goThroughTheDay()
for (const [name, secret] of Object.entries(forbidden)) assert(secret?.length >= 10, name)

test('no column of any table has a secret or personal datum, as text or as bytes', async () => {
  const text = await databaseText(bench)

  for (const table of ['credits', 'suspense_items', 'users', 'sessions', 'stored_responses']) {
    assert(text.includes(`\n${table} (`), `${table} has rows`)
  }
  for (const [name, secret] of Object.entries(forbidden)) {
    for (const [form, written] of formsOf(secret)) {
      const line = text.split('\n').find((each) => each.includes(written)) ?? ''
      assert(!line, `${name} ${form}: ${line.slice(0, 200)}`)
    }
  }
})

test('no line of the log has a secret or personal datum', () => {
  const log = bench.logText()

  assert(log.length > 0)
  for (const [name, secret] of Object.entries(forbidden)) {
    const line = log.split('\n').find((each) => each.includes(secret)) ?? ''
    assert(!line, `${name}: ${line.slice(0, 300)}`)
  }
})

test('no webhook, list or page has a secret or personal datum', async () => {
  const lists = [
    'events',
    'credits',
    'suspense',
    'webhook-endpoints',
    'accounts/static',
    'audit-log',
  ]
  const texts = [...seenByPeople, ...receiver.received.map(({ body }) => body)]
  for (const list of lists) {
    const answer = await bench.call({ url: `/api/v1/${list}?limit=100` })
    assert.equal(answer.statusCode, 200, list)
    texts.push(answer.body)
  }

  assert(receiver.received.length > 5)
  for (const [name, secret] of Object.entries(forbidden)) {
    const body = texts.find((each) => each.includes(secret)) ?? ''
    assert(!body, `${name}: ${body.slice(0, 300)}`)
  }
})

test('a BVN is whole for the client’s programs, as the contract has it, and masked for people', async () => {
  const { accountNumber } = await createAccount(bench, { bvn: BVN })
  const browser = await newBrowser(bench, 'support')

  const forProgram = await readAccount(bench, accountNumber)
  const forPerson = await browser.call({ url: `${ACCOUNTS}/${accountNumber}` })

  assert.equal(forProgram.bvn, BVN)
  assert.equal(forPerson.json().data.bvn, '222*****432')
})

// Uses all parts of the service, and adds each secret that a response shows to `forbidden`. The tests then
// assert that no table, log line or page has one of these secrets.
async function goThroughTheDay(): Promise<void> {
  forbidden['a token'] = await bench.login()
  await useWebhooks()
  await takeMoney()
  await settleSuspense()
  await workAtTheDashboard()
  const register = registerOf(bench)
  const client = await register.make({ clientId: 'REST000001' })
  forbidden["a client's secret"] = client.secret
  forbidden["a client's token"] = await bench.login('REST000001', client.secret)
  forbidden["a client's next secret"] = (await register.act('REST000001', 'rotate-secret')).secret
  await bench.run()
}

// Creates an endpoint and rotates its signing secrets.
async function useWebhooks(): Promise<void> {
  const body = { url: receiver.url }
  const headers = { 'idempotency-key': 'an-endpoint' }
  const made = await bench.call({ url: '/api/v1/webhook-endpoints', body, headers })
  const { id } = made.json().data
  const secrets = [
    await bench.call({ url: `/api/v1/webhook-endpoints/${id}/rotate-secret`, body: {} }),
    await bench.call({ url: '/api/v1/webhook-secret' }),
    await bench.call({ url: '/api/v1/webhook-secret/rotate', body: {} }),
  ].map((answer) => answer.json().data.secret as string)
  for (const [at, secret] of secrets.entries()) {
    assert.match(secret, /^whsec_/)
    forbidden[`signing secret ${at}`] = secret.slice('whsec_'.length)
  }
}

// Creates accounts with BVNs and payer rules, and gets money from payers, also in malformed reports.
async function takeMoney(): Promise<void> {
  const payerRules = {
    accounts: [{ accountNumber: RULED_PAYER, bankCode: '044' }],
    names: ['Ada Payer'],
  }
  const headers = { 'idempotency-key': 'an-account' }
  const { accountNumber } = await createAccount(bench, { bvn: BVN, payerRules }, { headers })
  await createAccount(bench, { bvn: BVN, payerRules }, { headers })
  await bench.call({
    url: `${ACCOUNTS}/bulk`,
    body: { accounts: [accountBody({ bvn: OTHER_BVN })] },
  })
  await patchAccount(bench, accountNumber, { payerRules, email: 'new@example.com' })
  await bench.call({ url: `${ACCOUNTS}?bvn=${BVN}` })
  await bench.call({ url: `${ACCOUNTS}?bvn=${BVN}x` })
  await reportCredit(bench, { accountNumber, amount: '100', ...payer })
  await reportCredit(bench, {
    accountNumber,
    amount: '100',
    ...payer,
    sourceAccountNumber: RULED_PAYER,
  })
  // Malformed and contradicting reports, because programs tend to log those in full.
  await postRail(bench, '035/credits', { ...payer, accountNumber, amount: 'x', sessionId: '1' })
  const again = { sessionId: newSessionId(), accountNumber, ...payer }
  for (const amount of ['5', '6']) await postRail(bench, '035/credits', { ...again, amount })
  const payment = await startPayment(bench, { payerRules })
  await reportCredit(bench, { accountNumber: payment.bankAccount, amount: '10', ...payer })
  await simulate(bench, payment.bankAccount, '7000')
}

// Suspends money three times: assigns the first, returns the second to its payer, and leaves the third in
// suspense.
async function settleSuspense(): Promise<void> {
  const { accountNumber } = await createAccount(bench, { bvn: OTHER_BVN })
  for (const settle of [
    (id: number) => assign(bench, id, { accountNumber, note: 'Theirs' }),
    (id: number) => giveBack(bench, id),
  ]) {
    const { id } = await suspend(bench, NOBODYS_NUMBER, '10', payer)
    assert.equal((await settle(id)).statusCode, 200)
  }
  await suspend(bench, NOBODYS_NUMBER, '10', payer)
}

// Signs in, begins to set up a second factor, and reads lists.
async function workAtTheDashboard(): Promise<void> {
  const browser = await newBrowser(bench, 'owner')
  forbidden['a session'] = browser.cookie.split('=')[1] as string
  forbidden['a token of forms'] = browser.csrfToken
  const begun = await browser.call({
    method: 'POST',
    url: '/dashboard/api/totp',
    body: { password: PASSWORD },
  })
  forbidden['a second factor'] = begun.json().data.secret
  for (const list of ['accounts/static', 'credits', 'suspense', 'events']) {
    seenByPeople.push((await browser.call({ url: `/api/v1/${list}` })).body)
  }
}

// The forms in which a secret could be written by mistake.
function formsOf(secret: string): [form: string, written: string][] {
  const bytes = Buffer.from(secret)
  return [
    ['as it is', secret],
    ['as bytes', bytes.toString('hex')],
    // Without the last character, because that also depends on the bytes that follow the secret.
    ['in base64', bytes.toString('base64').replace(/=+$/, '').slice(0, -1)],
    ['decoded', Buffer.from(secret, 'base64').toString('hex')],
  ]
}
