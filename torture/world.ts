// Who takes part: the clients of the service with their tokens and endpoints, and what they know so
// far: account numbers, payments, credits.

import { createHmac, randomUUID } from 'node:crypto'
import { nuban } from '#banks/nuban.ts'
import { BANK_CODE, type WitnessedBank } from './bank.ts'
import { HOSTILE, type Receivers } from './receivers.ts'

const LOGIN_MAX_MS = 30_000
const KNOWN_MAX = 400 // Of each: the load stays among recent ones.
const PAYEE = { bankCode: '058', accountNumber: nuban('058', 22_345_678) }

export type Account = { accountNumber: string; client: Client }
export type Payment = {
  paymentReference: string
  accountNumber: string
  kobo: bigint
  client: Client
}
export type Credit = { sessionId: string; accountNumber: string; kobo: bigint }
export type World = Awaited<ReturnType<typeof settleWorld>>

export class Client {
  readonly clientId: string
  readonly #secret: string
  readonly #tokens = new Map<string, string>()

  constructor(clientId: string, secret: string) {
    this.clientId = clientId
    this.#secret = secret
  }

  // Undefined when nobody gives us one.
  async token(api: string): Promise<string | undefined> {
    const known = this.#tokens.get(api)
    if (known) return known
    const response = await fetch(`${api}/api/Account/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId: this.clientId, clientSecret: this.#secret }),
      signal: AbortSignal.timeout(LOGIN_MAX_MS),
    })
    const { access_token: token } = (await response.json()) as { access_token?: string }
    if (token) this.#tokens.set(api, token)
    return token
  }

  forget(api: string): void {
    this.#tokens.delete(api)
  }
}

export function railHeaders(secret: string, body: string): Record<string, string> {
  const id = `msg_${randomUUID()}`
  const seconds = `${Math.floor(Date.now() / 1000)}`
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` }
}

type Setting = { api: string; receivers: Receivers; bank: WitnessedBank }

// Before the first fault: a second client, an account to pay out to and endpoints for both.
export async function settleWorld({ api, receivers, bank }: Setting) {
  const operator = new Client('MAN0000001', 'sandbox-secret')
  const post = async (client: Client, path: string, body: object) => {
    const response = await fetch(api + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${await client.token(api)}`,
      },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path} was answered ${response.status} ${text}`)
    return JSON.parse(text).data as Record<string, string>
  }
  const made = await post(operator, '/api/v1/operator/clients', { name: 'Shop' })
  const clients = [
    operator,
    new Client(made.clientId as string, made.secret ?? made.clientSecret ?? ''),
  ]
  const payees = new Map<Client, string>()
  for (const client of clients) {
    const { clientId } = client
    const accountName = bank.nameOf(PAYEE.accountNumber)
    const payee = await post(client, '/api/v1/bank-accounts', { ...PAYEE, accountName })
    payees.set(client, payee.reference as string)
    const { secret } = await post(client, '/api/v1/webhook-endpoints', {
      url: receivers.honest(clientId),
    })
    receivers.trust(clientId, secret as string)
    for (const kind of HOSTILE) {
      await post(client, '/api/v1/webhook-endpoints', { url: receivers.hostile(kind, clientId) })
    }
  }
  return {
    clients,
    bank,
    receivers,
    bankCode: BANK_CODE,
    payeeOf: (client: Client) => payees.get(client) as string,
    accounts: new Recent<Account>(),
    payments: new Recent<Payment>(),
    credits: new Recent<Credit>(),
  }
}

export class Recent<T> {
  readonly items: T[] = []

  add(item: T): void {
    this.items.push(item)
    if (this.items.length > KNOWN_MAX) this.items.shift()
  }

  drop(item: T): void {
    const at = this.items.indexOf(item)
    if (at >= 0) this.items.splice(at, 1)
  }
}
