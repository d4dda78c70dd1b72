// The bank's side of the rail: makes up credits and sends signed reports to the service.

import { SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import { loadSecret, sign } from '#standard-webhooks.ts'
import type { Bench } from './running-service.ts'

let counter = 0

// A session id that no test has used yet.
export function newSessionId(): string {
  counter += 1
  return `000013261115090000${String(counter).padStart(12, '0')}`
}

// A bank's report of a credit of 100.00.
export function newCredit(accountNumber: string, more: object = {}) {
  return { sessionId: newSessionId(), accountNumber, amount: '100.00', ...more }
}

export type Signing = {
  secrets?: readonly string[]
  id?: string
  atSeconds?: number
  contentType?: string
}

// The headers of a bank's report, signed by default with the sandbox's secret at the bench's time.
export function signedHeaders(
  bench: Pick<Bench, 'clock'>,
  body: string | Buffer,
  signing: Signing = {},
) {
  const { secrets = [SANDBOX_RAIL_SECRET], id = `msg_${newSessionId()}` } = signing
  const atSeconds = signing.atSeconds ?? Math.floor(bench.clock().getTime() / 1000)
  return {
    'content-type': signing.contentType ?? 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(atSeconds),
    'webhook-signature': sign({
      secrets: secrets.map(loadSecret),
      id,
      timestampSeconds: atSeconds,
      body,
    }),
  }
}

// Sends a signed report, for example to `035/credits`. Sends text and bytes unchanged, any other body as
// JSON.
export function postRail(bench: Bench, path: string, body: unknown, signing: Signing = {}) {
  const raw = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const headers = signedHeaders(bench, raw, signing)
  return bench.call({ method: 'POST', url: `/rails/${path}`, body: raw, headers, token: null })
}

// An acknowledgement in one line: "00 booked", "00 suspended late".
export function wordsOf({ responseCode, outcome, code }: Record<string, string>): string {
  return [responseCode, outcome, code].filter(Boolean).join(' ')
}

// The bank of an account number, which is the one that reports credits to it. For a number that was not
// issued: 035.
export async function bankOf({ db }: Pick<Bench, 'db'>, accountNumber: string): Promise<string> {
  const { rows } = await db.query<{ bank: string }>(
    'select bank_code as bank from numbers where account_number = $1',
    [accountNumber],
  )
  return rows[0]?.bank ?? '035'
}

// Reports a credit as the bank of the account number; returns the acknowledgement.
export async function reportCredit(
  bench: Bench,
  credit: { accountNumber: string; amount: string } & Record<string, unknown>,
  bankCode?: string,
) {
  const bank = bankCode ?? (await bankOf(bench, credit.accountNumber))
  const answer = await postRail(bench, `${bank}/credits`, {
    sessionId: newSessionId(),
    ...credit,
  })
  return answer.json()
}
