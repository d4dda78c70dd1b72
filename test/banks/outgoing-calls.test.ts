// Promises of every call to a bank: silence and nonsense are told apart from answers, and nothing throws.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import type { BankCalls, CallOptions } from '#banks/connector.ts'
import { kobo } from '#money.ts'
import { START } from '../support/running-service.ts'
import { FULL_CASES, type FullCase } from './full-cases.ts'
import { type Answer, callsTo, startScriptedBank } from './scripted-bank.ts'

const account = { bankCode: '058', accountNumber: '0123456789', accountName: 'ADA OBI' }
const RESERVATION = '019a8a3c-0000-7000-8000-000000000001'
const CUSTOMER = {
  name: 'ADA OBI',
  email: 'ada@example.com',
  phone: '08012345678',
  bvn: '22212345654',
  nin: null,
}
const window = { from: new Date(START.getTime() - 1_800_000), to: START }

type Call = (calls: Required<BankCalls>, options: CallOptions) => Promise<{ status: string }>

// Returns each call that a connector may offer, with typical arguments.
function callsOf(connectorCase: FullCase): Record<Exclude<keyof BankCalls, 'prepareOrders'>, Call> {
  return {
    findTransfer: (calls, options) =>
      calls.findTransfer({ kind: connectorCase.api.asksBy ?? 'session_id', value: 'x' }, options),
    listTransfers: (calls, options) =>
      calls.listTransfers({ accountNumber: null, cursor: null, ...window }, options),
    resendNotifications: (calls, options) => calls.resendNotifications(window, options),
    enquireName: (calls, options) => calls.enquireName(account, options),
    reserveAccount: (calls, options) =>
      calls.reserveAccount(
        { kind: 'static', reference: RESERVATION, accountName: 'ADA OBI', customer: CUSTOMER },
        options,
      ),
    renameAccount: (calls, options) =>
      calls.renameAccount({ ...account, reference: RESERVATION }, options),
    blockAccount: (calls, options) =>
      calls.blockAccount({ ...account, reference: RESERVATION }, options),
    sendMoney: (calls, options) =>
      calls.sendMoney(
        { reference: 'p-1', amountKobo: kobo(5n), currency: 'NGN', to: account, narration: 'n' },
        options,
      ),
    findPayout: (calls, options) => calls.findPayout('p-1', options),
  }
}

const NO_ANSWERS: Record<string, Answer> = {
  'a server error': { status: 500, body: { message: 'boom', code: '99' } },
  'a gateway error': { status: 502, body: '<html>Bad gateway</html>' },
  'too many requests': { status: 429, body: { message: 'slow down' } },
  'refused credentials': { status: 401, body: { message: 'no', responseCode: '02' } },
  'an error page': { body: '<html>Sorry</html>' },
  'half an answer': { body: '{"code": "00", "data": {' },
  'a list': { body: '[]' },
  'a redirect': { status: 302, body: {} },
  'a field twice': { body: '{"status": "confirmed", "status": "failed"}' },
}

// Answers of gateways and proxies that do not know the route, which are no answers of the bank.
const FOREIGN: unknown[] = [
  '<html>Not found</html>',
  '',
  {},
  { message: 'no Route matched with those values' },
  { message: 'Not Found', code: 404 },
  { status: 404, error: 'Not Found', path: '/payouts/p-1' },
  { statusCode: 404, message: 'Resource not found' },
]

const NOBODYS_WORDS = [
  'Unable to locate account',
  'Unable to locate record',
  'Invalid account details',
  'Invalid Account Number',
  'Account not found',
  'Account number does not exist',
  'No such account',
]
const OURS = 'PYT482910573384112'
const OTHERS = 'PYT482910573384113'

const OTHER_WORDS = [
  'Timeout',
  'Bank is currently unavailable',
  'Name enquiry failed',
  'Merchant account not found',
  'Your account is not enabled for this service',
  'Invalid bank code',
  'No such merchant',
]

for (const connectorCase of FULL_CASES.filter(({ api }) => api.nameRefusal)) {
  test(`${connectorCase.label}: it says in its own words that an account is nobody’s`, async () => {
    // Returns how the connector reads this answer of the bank.
    const ask = async (status: number, body: unknown) => {
      await using bank = await startScriptedBank(connectorCase, () => ({ status, body }))
      return (await bank.calls.enquireName(account, {})).status
    }
    const refusal = (message: string) => connectorCase.api.nameRefusal?.(message)
    for (const words of NOBODYS_WORDS)
      assert.equal(await ask(400, refusal(words)), 'not_found', words)
    for (const words of OTHER_WORDS) {
      for (const status of [200, 400, 422, 424]) {
        assert.equal(await ask(status, refusal(words)), 'no_answer', `${status} ${words}`)
      }
    }
    assert.equal(await ask(404, refusal('None')), 'not_found')
    for (const body of FOREIGN)
      assert.equal(await ask(404, body), 'no_answer', JSON.stringify(body))
  })
}

for (const connectorCase of FULL_CASES) {
  const every = Object.entries(callsOf(connectorCase)).filter(
    ([name]) => callsTo(connectorCase, 'http://127.0.0.1:9')[name as keyof BankCalls] !== undefined,
  )

  test(`${connectorCase.label}: there is something to ask`, () => {
    assert(every.length > 0)
  })

  for (const [what, answer] of Object.entries(NO_ANSWERS)) {
    test(`${connectorCase.label}: ${what} is no answer`, async () => {
      await using bank = await startScriptedBank(connectorCase, () => answer)
      for (const [name, call] of every) assertNoAnswer(name, await call(bank.calls, {}))
    })
  }

  if (every.some(([name]) => name === 'findPayout')) {
    test(`${connectorCase.label}: only a 404 of its own says that a payout is not known`, async () => {
      // Returns how the connector reads this answer of the bank.
      const ask = async (body: unknown) => {
        await using bank = await startScriptedBank(connectorCase, () => ({ status: 404, body }))
        return (await bank.calls.findPayout('p-1', {})).status
      }
      for (const body of FOREIGN) assert.equal(await ask(body), 'unknown', JSON.stringify(body))
      assert.equal(await ask(connectorCase.api.payoutNotFound), 'not_found')
    })

    test(`${connectorCase.label}: an answer about a payout counts only with our reference`, async () => {
      // Returns how the connector reads the bank's answer about a payout of this reference.
      const find = async (reference: string) => {
        const body = connectorCase.api.payoutPaid?.(reference)
        await using bank = await startScriptedBank(connectorCase, () => ({ status: 200, body }))
        return await bank.calls.findPayout(OURS, {})
      }
      assert.equal((await find(OURS)).status, 'confirmed')
      for (const foreign of [OTHERS, `${OURS}0`, '']) {
        const answer = await find(foreign)
        assert.equal(answer.status, 'unknown', foreign)
        assert(!('isAccepted' in answer))
      }
    })
  }

  if (every.some(([name]) => name === 'sendMoney')) {
    test(`${connectorCase.label}: only naira is sent, and anything else refused unasked`, async () => {
      await using bank = await startScriptedBank(connectorCase, () => ({ body: {} }))
      const order = { reference: 'p-1', amountKobo: kobo(5n), to: account, narration: 'n' }
      const answer = await bank.calls.sendMoney({ ...order, currency: 'USD' }, {})
      assert.deepEqual(answer, { status: 'failed', reason: 'Only NGN can be sent.' })
      assert.deepEqual(bank.asked, [])
    })
  }

  test(`${connectorCase.label}: nothing is sent to the bank when it is too late`, async () => {
    let requests = 0
    await using bank = await startScriptedBank(connectorCase, () => {
      requests += 1
      return { body: {} }
    })
    for (const [name, call] of every)
      assertNoAnswer(name, await call(bank.calls, { isTooLate: () => true }))
    assert.equal(requests, 0)
  })

  test(`${connectorCase.label}: silence is no answer, once the deadline has passed`, async () => {
    await using bank = await startScriptedBank(connectorCase, () => 'silence')
    const hasty = callsTo(connectorCase, bank.baseUrl, 1_000) // Enough for a login on a busy machine.
    const answers = await Promise.all(every.map(([, call]) => call(hasty, {})))
    for (const [at, answer] of answers.entries()) assertNoAnswer(every[at]?.[0] ?? '', answer)
  })

  test(`${connectorCase.label}: a call that is given up is no answer`, async () => {
    await using bank = await startScriptedBank(connectorCase, () => 'silence')
    const signal = AbortSignal.abort()
    for (const [name, call] of every) assertNoAnswer(name, await call(bank.calls, { signal }))
  })

  test(`${connectorCase.label}: a bank that cannot be reached is no answer`, async () => {
    const calls = callsTo(connectorCase, `http://127.0.0.1:${await closedPort()}`)
    for (const [name, call] of every) {
      const answer = await call(calls, {})
      if (name !== 'sendMoney') assertNoAnswer(name, answer)
      else assert.deepEqual(answer, { status: 'unsent', reason: 'Nothing was sent: ECONNREFUSED' })
    }
  })
}

for (const connectorCase of FULL_CASES.filter(({ api }) => api.login)) {
  test(`${connectorCase.label}: an order is not repeated when its token is refused`, async () => {
    let logins = 0
    await using bank = await startScriptedBank(
      connectorCase,
      () => ({ status: 401, body: {} }),
      () => {
        logins += 1
        return { body: connectorCase.api.login?.answer('token-1') }
      },
    )
    const { sendMoney, findPayout } = callsOf(connectorCase)
    const orders = () => bank.asked.filter(({ body }) => 'amount' in body).length

    assertNoAnswer('sendMoney', await sendMoney(bank.calls, {}))
    assert.deepEqual([orders(), logins], [1, 1])
    assertNoAnswer('sendMoney', await sendMoney(bank.calls, {})) // The next order logs in again.
    assert.deepEqual([orders(), logins], [2, 2])
    assertNoAnswer('findPayout', await findPayout(bank.calls, {}))
    assert.equal(logins, 4, 'questions are repeated')
  })

  test(`${connectorCase.label}: without a login no order is prepared, nor sent`, async () => {
    let isUp = false
    await using bank = await startScriptedBank(
      connectorCase,
      () => ({ body: {} }),
      () =>
        isUp ? { body: connectorCase.api.login?.answer('token-1') } : { status: 503, body: {} },
    )
    assert.equal((await bank.calls.prepareOrders()).status, 'no_answer')
    assert.equal((await callsOf(connectorCase).sendMoney(bank.calls, {})).status, 'unsent')
    assert(bank.asked.every(({ line }) => line === connectorCase.api.login?.line))
    isUp = true
    assert.deepEqual(await bank.calls.prepareOrders(), { status: 'ready' })
  })

  test(`${connectorCase.label}: a token that is refused is renewed once, and shared`, async () => {
    let logins = 0
    await using bank = await startScriptedBank(
      connectorCase,
      ({ headers }) => ({
        status: headers.authorization === 'Bearer token-2' ? 404 : 401,
        body: {},
      }),
      () => {
        logins += 1
        return { body: connectorCase.api.login?.answer(`token-${logins}`) }
      },
    )
    const ask = callsOf(connectorCase).findTransfer

    const answers = await Promise.all([1, 2, 3].map(() => ask(bank.calls, {})))

    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set(['not_found']))
    assert.equal(logins, 2)
    assert.equal((await ask(bank.calls, {})).status, 'not_found')
    assert.equal(logins, 2)
  })

  test(`${connectorCase.label}: a login that fails is tried again by the next call`, async () => {
    let isUp = false
    await using bank = await startScriptedBank(
      connectorCase,
      () => ({ status: 404, body: {} }),
      () =>
        isUp ? { body: connectorCase.api.login?.answer('token-1') } : { status: 503, body: {} },
    )
    const ask = callsOf(connectorCase).findTransfer
    assert.equal((await ask(bank.calls, {})).status, 'no_answer')
    isUp = true
    assert.equal((await ask(bank.calls, {})).status, 'not_found')
  })
}

// Asserts that the call got no usable answer. A payout without a known result is `unknown`: the service
// queries it, and does not send it again.
function assertNoAnswer(name: string, answer: { status: string; reason?: string }): void {
  const isPayout = name === 'sendMoney' || name === 'findPayout'
  assert.equal(answer.status, isPayout ? 'unknown' : 'no_answer', `${name}: ${answer.status}`)
  assert.match(answer.reason ?? '', /\S/)
}

// Returns a port on which nothing listens.
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
