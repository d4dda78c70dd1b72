// Sends one SMS or WhatsApp message over the HTTP gateway, signed as Standard Webhooks. A 2xx answer means
// that the gateway has accepted the message; any other answer means that it has not. The gateway recognises a
// repeated message by its webhook-id. Without an answer, the outcome is unknown (I150).

import { buildConnector, Client, request } from 'undici'
import type { GatewaySettings } from '#config/message-settings.ts'
import { sign, signatureHeaders, toUnixSeconds } from '#standard-webhooks.ts'
import type { SendResult } from './transports.ts'

const ANSWER_BYTES_MAX = 4_096
const CHECK_MAX_MS = 10_000
const TRY_AGAIN = [401, 403, 404, 408, 425, 429] // About the set-up or the load, not the message.

export type ShortMessage = {
  reference: string
  channel: 'sms' | 'whatsapp'
  to: string
  kind: string
  language: string
  text: string
}

type Sending = { begin: () => Promise<boolean>; signal: AbortSignal; signedAt: Date }

export async function sendShort(
  { url, secret }: GatewaySettings,
  message: ShortMessage,
  { begin, signal, signedAt }: Sending,
): Promise<SendResult> {
  const { reference: id, channel, to, kind, language, text } = message
  const body = JSON.stringify({ id, channel, to, kind, language, text })
  const timestampSeconds = toUnixSeconds(signedAt)
  const signature = sign({ secrets: [secret], id, timestampSeconds, body })
  if (!(await begin())) return { outcome: 'withdrawn' }
  const { origin, pathname, search } = new URL(url)
  const { connect, connection } = observedConnector()
  // A connection of its own: a kept-open one may close, and leave the next outcome unknown.
  const client = new Client(origin, { connect })
  try {
    const answer = await client.request({
      method: 'POST',
      path: `${pathname}${search}`,
      headers: {
        ...signatureHeaders(id, signedAt, signature),
        'content-type': 'application/json',
        'user-agent': 'Manilla-Messages/1',
      },
      body,
      signal,
      reset: true,
    })
    await answer.body.dump({ limit: ANSWER_BYTES_MAX }).catch(() => {})
    return judge(answer.statusCode)
  } catch {
    if (connection.isOpen) return { outcome: 'unknown', problem: 'the gateway did not answer' }
    const reason = connection.problem ? `: ${connection.problem}` : ''
    const problem = `the gateway could not be reached${reason}`
    return { outcome: 'deferred', problem, isOutage: true }
  } finally {
    client.destroy().catch(() => {})
  }
}

// Returns why the gateway cannot be reached, or null. Sends no message: any answer to HEAD proves
// the name, the connection and the certificate.
export async function checkGateway({ url }: GatewaySettings): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(CHECK_MAX_MS)
    const answer = await request(url, { method: 'HEAD', signal, reset: true })
    await answer.body.dump()
    return null
  } catch (error) {
    const { code, name } = error as { code?: string; name: string }
    return `the gateway could not be reached (${code ?? name})`
  }
}

// Records whether there was a connection. Until then, and through the whole TLS handshake, no byte of the
// message is transmitted, whatever the error.
function observedConnector() {
  const connection = { isOpen: false, problem: '' }
  const open = buildConnector({})
  const connect: buildConnector.connector = (options, callback) =>
    open(options, (...outcome) => {
      const [error] = outcome
      if (error) connection.problem = (error as { code?: string }).code ?? ''
      else connection.isOpen = true
      callback(...outcome)
    })
  return { connect, connection }
}

function judge(status: number): SendResult {
  if (status >= 200 && status < 300) return { outcome: 'accepted' }
  const problem = `the gateway answered ${status}`
  if (status < 400 || status >= 500 || TRY_AGAIN.includes(status)) {
    return { outcome: 'deferred', problem, isOutage: true }
  }
  return { outcome: 'refused', problem, isBounce: status === 410 }
}
