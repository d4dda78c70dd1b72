// No secret is ever written in the clear: no secret, token or BVN is in the log of a whole journey, with
// successes and mistakes, at the most verbose level; and no BVN or secret is in the database.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  ADVICE,
  accountBody,
  adviceBody,
  createAccount,
  databaseText,
  INITIATE,
  readAccount,
  readAdvice,
  SIMULATE,
  simulate,
  startPayment,
  verify,
} from '../support/fixtures.ts'
import { SECRETS, startTestService } from '../support/running-service.ts'

const LOGIN = '/api/Account/login'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const BVN = '22298765432'
const WRONG_SECRET = 'not-the-secret-7731'
const BASIC = btoa('MAN0000001:sandbox-secret')

const bench = closeAfterTests(await startTestService())
const tokens: string[] = [await bench.login(), await bench.newClient('OTHER00001')]

await makeValidRequests()
await makeInvalidRequests()

test('the log of a whole journey holds no secret, no token and no BVN', () => {
  const forbidden: Record<string, string> = {
    BVN,
    'client secret': 'sandbox-secret',
    "another client's secret": 's3cret',
    'wrong secret': WRONG_SECRET,
    'Basic credentials': BASIC,
  }
  for (const [name, secret] of Object.entries(SECRETS)) {
    const encoded = secret.split(':').at(-1) as string
    forbidden[name] = encoded
    forbidden[`${name}, decoded`] = Buffer.from(encoded, 'base64').toString()
  }
  for (const [at, token] of tokens.entries()) {
    forbidden[`token ${at}`] = token
    forbidden[`signature of token ${at}`] = token.split('.')[2] as string
  }
  const log = bench.logText()

  const found = Object.entries(forbidden).filter(([, secret]) => log.includes(secret))
  assert.deepEqual(
    found.map(([name, secret]) => `${name}: ${lineWith(log, secret)}`),
    [],
  )
})

test('the log is structured, and a refusal can be found in it by its request id', async () => {
  const answer = await bench.call({ url: `${ACCOUNTS}/0000000000` })

  const lines = bench.logText().trim().split('\n')
  for (const line of lines) assert.equal(typeof JSON.parse(line).level, 'string', line)
  assert(bench.logText().includes(answer.json().requestId))
})

test('the database holds no BVN, no token and no client secret in the clear', async () => {
  const text = await databaseText(bench)

  assert(text.includes('OTHER00001')) // Proves that the test sees the stored data.
  for (const secret of [BVN, 'sandbox-secret', 's3cret', BASIC, ...tokens]) {
    assert(!text.includes(secret), secret)
    assert(!text.includes(Buffer.from(secret).toString('hex')), `${secret} in bytes`)
  }
})

// Uses the API as a client does, successfully, with a BVN and secrets in the requests.
async function makeValidRequests(): Promise<void> {
  const form = 'grant_type=client_credentials&client_id=MAN0000001&client_secret=sandbox-secret'
  const byForm = await bench.call({ url: '/oauth/token', body: form, headers: FORM, token: null })
  const basic = { ...FORM, authorization: `Basic ${BASIC}` }
  const grant = 'grant_type=client_credentials'
  const byBasic = await bench.call({
    url: '/oauth/token',
    body: grant,
    headers: basic,
    token: null,
  })
  tokens.push(byForm.json().access_token, byBasic.json().access_token)

  const headers = { 'idempotency-key': 'journey' }
  const account = await createAccount(bench, { bvn: BVN }, { headers })
  await createAccount(bench, { bvn: BVN }, { headers })
  await readAccount(bench, account.accountNumber)
  await simulate(bench, account.accountNumber, '10')
  const payment = await startPayment(bench, { bvn: BVN })
  await simulate(bench, payment.bankAccount, '7000')
  await verify(bench, payment.paymentReference)
  await readAdvice(bench, payment.adviceReference)
}

// Makes every kind of mistake with a BVN, secret or token in the request, because servers tend to log
// faulty requests in full.
async function makeInvalidRequests(): Promise<void> {
  const [token = '', other = ''] = tokens
  const wrong = { clientId: 'MAN0000001', clientSecret: WRONG_SECRET }
  const json = JSON.stringify(accountBody({ bvn: BVN }))
  const mistakes = [
    { url: LOGIN, body: wrong, token: null },
    { url: LOGIN, body: { ...wrong, clientId: 5 }, token: null },
    { url: LOGIN, body: `{"clientSecret":"${WRONG_SECRET}"`, token: null },
    { url: '/oauth/token', body: `client_secret=${WRONG_SECRET}`, headers: FORM, token: null },
    { url: ACCOUNTS, body: accountBody({ bvn: BVN, email: 'x' }) },
    { url: ACCOUNTS, body: accountBody({ bvn: `${BVN}0` }) },
    { url: ACCOUNTS, body: accountBody({ bvn: Number(BVN) }) },
    { url: ACCOUNTS, body: json.slice(0, -1) },
    { url: ACCOUNTS, body: json, headers: { 'content-type': 'text/plain' } },
    { url: ACCOUNTS, body: json + ' '.repeat(2 ** 20) },
    { url: ACCOUNTS, body: accountBody({ bvn: BVN }), token: `${token}x` },
    { url: ACCOUNTS, body: json, headers: { 'idempotency-key': 'journey' } },
    { url: ACCOUNTS, body: accountBody(), headers: { 'idempotency-key': 'journey' } },
    { url: `${ACCOUNTS}/${BVN}` },
    { url: `${ACCOUNTS}?access_token=${token}` },
    { url: `/nowhere?access_token=${token}&bvn=${BVN}`, token },
    { url: `/nowhere/${token}`, token: null },
    { url: `${INITIATE}/x`, body: { bankCode: BVN }, token: `${other}x` },
    { url: SIMULATE, body: { virtualAccountNumber: BVN, amount: '1' } },
    { url: ADVICE, body: adviceBody({ customer: { bvn: BVN } }) },
  ]

  for (const mistake of mistakes) {
    const { statusCode, body } = await bench.call(mistake)
    // Each call is refused, except the repeated request, which is valid.
    assert(statusCode >= 400 || body.includes('accountNumber'), `${mistake.url}: ${body}`)
    assert(statusCode < 500, `${mistake.url}: ${body}`)
  }
  bench.advance(3_601_000)
  await bench.call({ url: ACCOUNTS, body: accountBody({ bvn: BVN }), token })
}

function lineWith(log: string, secret: string): string {
  return (log.split('\n').find((line) => line.includes(secret)) ?? '').slice(0, 300)
}
