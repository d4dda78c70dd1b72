// A bank's side of the rail: signs bodies as a bank does, and makes up credits.

import { SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import { loadSecret, sign } from '#standard-webhooks.ts'
import type { Bench } from './running-service.ts'

const secret = loadSecret(SANDBOX_RAIL_SECRET)
let counter = 0

// A session id that no test has used yet.
export function newSessionId(): string {
  counter += 1
  return `000013261115090000${String(counter).padStart(12, '0')}`
}

export function railHeaders(
  bench: Pick<Bench, 'clock'>,
  body: string | Buffer,
  contentType: string,
) {
  const id = `msg_${newSessionId()}`
  const timestamp = Math.floor(bench.clock().getTime() / 1000)
  return {
    'content-type': contentType,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign({ secrets: [secret], id, timestampSeconds: timestamp, body }),
  }
}

export function postRail(bench: Bench, path: string, body: unknown) {
  const text = JSON.stringify(body)
  const headers = railHeaders(bench, text, 'application/json')
  return bench.call({ url: `/rails/${path}`, body: text, headers, token: null })
}

// Who reports money for a number: the bank that has it. For one that nobody has, any bank does.
export async function bankOf({ db }: Pick<Bench, 'db'>, accountNumber: string): Promise<string> {
  const { rows } = await db.query<{ bank: string }>(
    'select bank_code as bank from numbers where account_number = $1',
    [accountNumber],
  )
  return rows[0]?.bank ?? '035'
}

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
