// Calls to a bank whose tokens expire. A payout order is sent only with a token that is valid for at least
// five more minutes. If the bank refuses the token, a query is repeated once with a new one, an order
// never.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BankHttp, BankRequest } from '#banks/bank-http.ts'
import { askingWithToken } from '#banks/json-calls.ts'

const MINUTE_MS = 60_000
const LIFETIME_MS = 30 * MINUTE_MS
const ORDER: BankRequest = { method: 'POST', path: '/pay', body: {}, isOrder: true }
const QUESTION: BankRequest = { method: 'GET', path: '/status' }

// Returns a fake bank that counts logins and records the tokens, and functions that call it.
function startBank() {
  const bank = { nowMs: 0, logins: 0, tokens: [] as string[], httpStatus: 200 }
  // Records the token of each call, and answers with the HTTP status that the test has set.
  const http: BankHttp = async ({ headers }) => {
    bank.tokens.push(headers?.authorization ?? '')
    return {
      status: 'answered',
      httpStatus: bank.httpStatus,
      headers: {},
      rawBody: Buffer.from('{}'),
    }
  }
  // Returns another token at each login: token-1, token-2 and so on.
  const logIn = async () => {
    const authorization = `token-${++bank.logins}`
    return { status: 'logged_in', headers: { authorization }, lifetimeMs: LIFETIME_MS } as const
  }
  return { bank, ...askingWithToken(http, logIn, () => bank.nowMs) }
}

test('an order whose token expires soon logs in first; a query does not', async () => {
  const { bank, ask } = startBank()
  await ask(ORDER, {})
  bank.nowMs = LIFETIME_MS - 5 * MINUTE_MS
  await ask(ORDER, {})
  bank.nowMs += 1
  await ask(QUESTION, {})
  await Promise.all([ask(ORDER, {}), ask(ORDER, {})]) // Both orders share one login.
  await ask(QUESTION, {})

  assert.deepEqual(
    bank.tokens,
    [1, 1, 1, 2, 2, 2].map((login) => `token-${login}`),
  )
})

test('the order goes out under the prepared reference', async () => {
  const { bank, ask, prepareOrders } = startBank()
  await ask(QUESTION, {})
  bank.nowMs = LIFETIME_MS
  assert.deepEqual(await prepareOrders(), { status: 'ready' })
  await ask(ORDER, {})
  assert.deepEqual([bank.logins, bank.tokens.at(-1)], [2, 'token-2'])
})

for (const httpStatus of [401, 403]) {
  test(`an order that is answered ${httpStatus} is sent once, a question twice`, async () => {
    const { bank, ask } = startBank()
    bank.httpStatus = httpStatus
    assert.equal((await ask(ORDER, {})).status, 'no_answer')
    assert.deepEqual(bank.tokens, ['token-1'])
    await ask(QUESTION, {})
    assert.deepEqual(bank.tokens, ['token-1', 'token-2', 'token-3'])
  })
}
