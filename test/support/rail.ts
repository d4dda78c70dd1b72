// A bank's side of the rail: signs bodies as a bank does, and makes up credits.

import { SANDBOX_RAIL_SECRET } from '#bank-settings.ts'
import { loadSecret, sign } from '#webhooks/signature.ts'
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
    'webhook-signature': sign([secret], id, timestamp, body),
  }
}

export function postRail(bench: Bench, path: string, body: unknown) {
  const text = JSON.stringify(body)
  const headers = railHeaders(bench, text, 'application/json')
  return bench.call({ url: `/rails/${path}`, body: text, headers, token: null })
}

export async function reportCredit(
  bench: Bench,
  credit: { accountNumber: string; amount: string } & Record<string, unknown>,
  bankCode = '058',
) {
  const answer = await postRail(bench, `${bankCode}/credits`, {
    sessionId: newSessionId(),
    ...credit,
  })
  return answer.json()
}
