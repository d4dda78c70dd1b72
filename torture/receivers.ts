// Receivers of webhooks. The honest ones verify the signature, have the witness record the webhook, and
// then answer 200; each client has one, and so has each account and payment that names a URL. The hostile
// ones are registered all the time: they hang, fail, reset the connection, drip an endless answer, send a
// huge one, or redirect.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Witness } from './witness.ts'

const HUGE_BYTES = 64 * 1024 ** 2
const DRIP_MS = 1_000

export const HOSTILE = ['hang', 'fail', 'reset', 'drip', 'huge', 'redirect'] as const

const BEHAVIOURS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  hang: () => {},
  fail: (response) => response.writeHead(500).end('no'),
  reset: (response) => response.socket?.resetAndDestroy(),
  drip(response) {
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), DRIP_MS)
    response.once('close', () => clearInterval(timer))
  },
  huge(response) {
    response.writeHead(200, { 'content-length': HUGE_BYTES })
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const writeUntilFull = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', writeUntilFull)
    writeUntilFull()
  },
  redirect: (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
}

type Message = {
  id: string
  sequence: number
  type: string
  data?: { reference?: unknown; status?: unknown }
}
type Secrets = { endpoint: string; client: string }
type Owner = { clientId: string; kind: 'notification' | 'callback'; key: string }

export type Receivers = Awaited<ReturnType<typeof startReceivers>>

// One HTTP server for all receivers. The path says which receiver is meant and for which client or object:
// /honest/<client> is the client's endpoint, and /honest/<client>/<kind>/<key> the URL of one account or
// payment.
export async function startReceivers(witness: Witness) {
  const secrets = new Map<string, Secrets>()

  // Records each webhook to an honest receiver before it answers. A hostile receiver misbehaves instead.
  const server = createServer(async (request, response) => {
    // Without listeners, a connection that the service cuts would end this process.
    request.on('error', () => {})
    response.on('error', () => {})
    const [path = ''] = (request.url ?? '').split('?')
    const [, kind = '', clientId = '', owner] = path.split('/')
    const body = await buffer(request).catch(() => undefined)
    if (!body) return
    const behave = BEHAVIOURS[kind]
    if (behave) return behave(response)
    const { id, sequence, type, data } = JSON.parse(body.toString()) as Message
    // Webhooks to the URL of an account or payment are signed with the client's own secret.
    const secret = secrets.get(clientId)?.[owner ? 'client' : 'endpoint'] ?? ''
    const seconds = Number(request.headers['webhook-timestamp'])
    witness.note({
      kind: 'webhook',
      clientId,
      path,
      at: Date.now(),
      id,
      isGenuine: isGenuine(secret, request.headers, body),
      skewSeconds: Math.round(seconds - Date.now() / 1000),
      sequence,
      type,
      reference: textOf(data?.reference),
      status: textOf(data?.status),
    })
    response.writeHead(200).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    honest: (clientId: string) => `${origin}/honest/${clientId}`,
    of: ({ clientId, kind, key }: Owner) => `${origin}/honest/${clientId}/${kind}/${key}`,
    hostile: (kind: (typeof HOSTILE)[number], clientId: string) => `${origin}/${kind}/${clientId}`,
    // Stores the signing secrets that the service has returned for a client and its endpoint.
    trust: (clientId: string, ownSecrets: Secrets) => void secrets.set(clientId, ownSecrets),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

// Verifies a webhook as docs/webhooks.md says, except for its time, because a sender with a wrong clock is
// one of the faults.
export function isGenuine(secret: string, headers: IncomingHttpHeaders, body: Buffer): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = headers
  if (!secret || !id || !time || typeof signatures !== 'string') return false
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest()
  return signatures.split(' ').some((entry) => {
    const signature = Buffer.from(entry.startsWith('v1,') ? entry.slice(3) : '', 'base64')
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  })
}
