// Valid request bodies, the steps of a payment, and checks of responses. Routes belong to one of two families
// (`account`, `payment`), whose JSON envelopes differ.

import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import type { Bench, Call } from './running-service.ts'

export const ACCOUNTS = '/api/v1/accounts/static'
export const ADVICE = '/Payment/advice'
export const INITIATE = '/Payment/process/banktransfer'
export const SIMULATE = '/Payment/process/banktransfer/simulate/payment'
export const BANKS = '/Payment/banktransfer/supportedbank'
export const BY_PAYMENT = '/api/Transaction/bypaymentreference'
export const BY_ADVICE = '/api/Transaction/byadvicereference'

export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+01:00$/
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const UNKNOWN_REFERENCE = '6f1c2f0e-3f53-4d0e-9c43-9a4a3c1b2d10'
export const MINUTE_MS = 60_000
const FAULT_CHARACTERS_MAX = 200

// Words of libraries, SQL and source code, which no response may reveal.
const LEAKS = [
  /fastify|typebox|\bajv\b|scrypt|\bjose\b|FST_|ERR_/i,
  /postgres|\bpg_|\bselect\b|\binsert into\b|syntax error|relation "|constraint|violat/i,
  /node_modules|\n\s+at |\.[jt]s:\d|unexpected token|at position \d|\[object|undefined/i,
]

// The JSON envelopes of the two families of endpoints: `account` is the envelope of nearly all calls,
// `payment` that of the first payment calls. `optionalFields` may be present in a refusal.
const ENVELOPES = {
  account: {
    flagField: 'isSuccessful',
    payloadField: 'data',
    optionalFields: ['errors'],
    hasResponseCode: false,
  },
  payment: {
    flagField: 'requestSuccessful',
    payloadField: 'responseData',
    optionalFields: ['errors'],
    hasResponseCode: true,
  },
} as const

export type Family = keyof typeof ENVELOPES
type Body = Record<string, unknown>
// Headers and token that replace those of the sandbox's client.
type With = Pick<Call, 'headers' | 'token'>

// The body that creates a collection account.
export function accountBody(changes: Body = {}): Body {
  return {
    accountName: 'Ada Obi',
    bvn: '22212345654',
    email: 'ada@example.com',
    merchantId: 'M-0001',
    merchantCode: 'Nai0000319',
    notificationUrl: 'https://shop.example.com/hook',
    phoneNumber: '+2348012345678',
    channel: 'API',
    ...changes,
  }
}

// The body that creates a payment request of 6,000 naira.
export function adviceBody(changes: Body = {}): Body {
  return {
    amount: 6000,
    currency: 'NGN',
    narration: 'A pair of shoes',
    callBackUrl: 'https://shop.example.com/done',
    customer: {
      customerId: 'C-1',
      customerFirstName: 'Ada',
      customerLastName: 'Obi',
      customerEmail: 'ada@example.com',
      customerPhoneNumber: '08012345678',
    },
    ...changes,
  }
}

// Creates a collection account, which must succeed; returns it.
export async function createAccount(bench: Bench, changes: Body = {}, more: With = {}) {
  const answer = await bench.call({ url: ACCOUNTS, body: accountBody(changes), ...more })
  return dataOf(answer)
}

export async function readAccount(bench: Bench, accountNumber: string) {
  return dataOf(await bench.call({ url: `${ACCOUNTS}/${accountNumber}` }))
}

export async function balanceOf(bench: Bench, accountNumber: string): Promise<number> {
  return (await readAccount(bench, accountNumber)).accountBalance
}

// Creates an advice, which must succeed; returns it.
export async function createAdvice(bench: Bench, changes: Body = {}, more: With = {}) {
  const answer = await bench.call({ url: ADVICE, body: adviceBody(changes), ...more })
  return dataOf(answer, 'payment')
}

export async function readAdvice(bench: Bench, reference: string) {
  return dataOf(await bench.call({ url: `${ADVICE}/${reference}` }), 'payment')
}

// Leases an account number for an advice at a bank, as the payer does, who needs no token.
export async function initiate(bench: Bench, reference: string, bankCode = '035', token?: string) {
  const url = `${INITIATE}/${reference}`
  const answer = await bench.call({ url, body: { bankCode }, token: token ?? null })
  return dataOf(answer, 'payment')
}

// Lets the sandbox's bank report a transfer to the number.
export async function simulate(bench: Bench, virtualAccountNumber: string, amount: string) {
  const answer = await bench.call({ url: SIMULATE, body: { virtualAccountNumber, amount } })
  return dataOf(answer, 'payment')
}

export async function verify(bench: Bench, reference: string, url = BY_PAYMENT) {
  return dataOf(await bench.call({ url: `${url}/${reference}` }), 'payment')
}

// Creates an advice and leases its number at a bank: the payment waits for money.
export async function startPayment(bench: Bench, changes: Body = {}, bankCode = '035') {
  const advice = await createAdvice(bench, changes)
  const payment = await initiate(bench, advice.adviceReference, bankCode)
  return { ...payment, adviceReference: advice.adviceReference as string }
}

// Asserts that the response is a success with a complete envelope; returns the payload. Each family of
// endpoints has its own envelope (ENVELOPES); nearly all calls have the default one, `account`.
export function dataOf(answer: LightMyRequestResponse, family: Family = 'account') {
  assert.equal(answer.statusCode, 200, answer.body)
  assert.match(String(answer.headers['content-type']), /^application\/json\b/)
  const { flagField, payloadField, hasResponseCode } = ENVELOPES[family]
  const body = answer.json()
  const responseCode = hasResponseCode ? ['responseCode'] : []
  const { warnings: _, ...documented } = body // Present only if the request had unknown fields.
  const keys = [flagField, 'message', payloadField, ...responseCode]
  assert.deepEqual(Object.keys(documented).sort(), keys.sort())
  assert.equal(body[flagField], true)
  assert.equal(typeof body.message, 'string')
  if (hasResponseCode) assert.equal(body.responseCode, '00')
  return body[payloadField]
}

// Asserts that the response is a refusal with a complete envelope and, if named, this code.
export function assertRefused(
  answer: LightMyRequestResponse,
  { status = 400, code }: { status?: number; code?: string } = {},
  family: Family = 'account',
): void {
  assert.deepEqual(refusalFaults(answer, family, [status]), [], answer.body)
  if (code) assert.equal(answer.json().code, code)
}

// The faults of a refusal's envelope, wording and status. A list instead of an assertion, so that a test
// with a table of cases can report all faults at once.
export function refusalFaults(
  answer: LightMyRequestResponse,
  family: Family,
  statuses: readonly number[],
): string[] {
  const seen = `${answer.statusCode} ${answer.body.slice(0, FAULT_CHARACTERS_MAX)}`
  if (!statuses.includes(answer.statusCode)) return [`status ${seen}`]
  const faults: string[] = []
  const expect = (holds: boolean, fault: string) => void (holds || faults.push(fault))
  const type = String(answer.headers['content-type'])
  expect(/^application\/json\b/.test(type), `content type ${type}`)
  const leak = LEAKS.find((pattern) => pattern.test(answer.body))
  expect(!leak, `reveals ${leak}: ${seen}`)
  const { flagField, payloadField, optionalFields, hasResponseCode } = ENVELOPES[family]
  const body = jsonOf(answer)
  const responseCode = hasResponseCode ? ['responseCode'] : []
  const needed = [flagField, 'message', 'code', payloadField, 'requestId', ...responseCode]
  expect(!needed.some((key) => !(key in body)), `lacks one of ${needed}: ${seen}`)
  const extra = Object.keys(body).filter((key) => ![...needed, ...optionalFields].includes(key))
  expect(extra.length === 0, `unexpected ${extra}`)
  expect(body[flagField] === false && body[payloadField] === null, `flag or payload: ${seen}`)
  expect(/^[a-z]+(_[a-z]+)*$/.test(String(body.code)), `code ${body.code}`)
  expect(/^[A-Z].*[.]$/.test(String(body.message)), `not a sentence: ${body.message}`)
  if (hasResponseCode) expect(/^(?!00)\d\d$/.test(String(body.responseCode)), 'responseCode')
  if (body.code === 'invalid_request') expect(areFieldErrors(body.errors), 'errors')
  return faults
}

// Whether these are the errors of an `invalid_request`: fields, each with a message.
function areFieldErrors(errors: unknown): boolean {
  if (!Array.isArray(errors) || errors.length === 0) return false
  return errors.every((error) => {
    const keys = Object.keys(error).sort().join()
    return keys === 'field,message' && typeof error.field === 'string' && error.message.length > 0
  })
}

// The body as an object, empty if it is not JSON.
function jsonOf(answer: LightMyRequestResponse): Body {
  try {
    return answer.json()
  } catch {
    return {}
  }
}

// Asserts that two refusals differ only in the request id, so that a caller cannot tell their causes apart.
export function assertAlike(one: LightMyRequestResponse, other: LightMyRequestResponse): void {
  assert.equal(one.statusCode, other.statusCode)
  assert.equal(withoutRequestId(one), withoutRequestId(other))
  assert.notEqual(one.json().requestId, other.json().requestId)
}

function withoutRequestId(answer: LightMyRequestResponse): string {
  return answer.body.replace(answer.json().requestId, '')
}

// The whole database as text, which a test compares before and after to show that nothing was written. Leaves
// out logins, process registrations and bank health, which change without a request.
export async function databaseText(bench: Bench): Promise<string> {
  const { rows } = await bench.db.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
     where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
       and relname not in ('key_holders', 'login_attempts', 'client_secrets', 'bank_health',
                           'bank_measures')
     order by relname`,
  )
  const tables = rows.map(
    ({ name }) => `select '${name}' as name, t::text as line from ${name} as t`,
  )
  const dump = await bench.db.query<{ name: string; line: string }>(
    `${tables.join(' union all ')} order by 1, 2`,
  )
  return dump.rows.map(({ name, line }) => `${name} ${line}`).join('\n')
}

// Asserts that the sum of all debits equals the sum of all credits, and that each account's balance is the
// sum of its transfers.
export async function assertBooksBalance(bench: Bench): Promise<void> {
  const { rows } = await bench.db.query<{ adrift: string; whole: string }>(
    `with moved as (
       select a.debits_kobo, a.credits_kobo,
              (select coalesce(sum(amount_kobo), 0) from transfers
                where debit_account_id = a.id) as debited,
              (select coalesce(sum(amount_kobo), 0) from transfers
                where credit_account_id = a.id) as credited
         from ledger_accounts as a)
     select count(*) filter (
              where debited <> debits_kobo or credited <> credits_kobo)::text as adrift,
            coalesce(sum(debits_kobo - credits_kobo), 0)::text as whole
       from moved`,
  )
  assert.deepEqual(rows, [{ adrift: '0', whole: '0' }])
}

// The balance of all accounts of a kind, in naira.
export async function ledgerNaira(bench: Bench, kind: string): Promise<number> {
  const { rows } = await bench.db.query<{ naira: string }>(
    `select (coalesce(abs(sum(credits_kobo - debits_kobo)), 0) / 100.0)::text as naira
     from ledger_accounts where kind = $1`,
    [kind],
  )
  return Number(rows[0]?.naira)
}
