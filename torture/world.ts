// The participants: the banks, the clients of the service with their tokens, endpoints and splits,
// and the objects they know so far: account numbers, payments, credits, payouts.

import { createHmac, randomUUID } from 'node:crypto'
import { nuban } from '#banks/nuban.ts'
import type { WitnessedBank } from './bank.ts'
import type { FileBank } from './file-bank.ts'
import type { Person } from './people.ts'
import type { Random } from './random.ts'
import { HOSTILE, type Receivers } from './receivers.ts'

const LOGIN_MAX_MS = 30_000
const KNOWN_MAX = 400 // Objects kept of each kind, because the load works on recent ones.
const PAYEE = { bankCode: '058', accountNumber: nuban('058', 22_345_678) }
const SPLIT = 'SPLIT-1'
const SHARES = { A: 70, B: 20 } // Per cent.

// A bank whose notifications the service accepts.
export type Notifying = { code: string; railSecret: string }

// Payers pay to the number at `bank`; firstNumber may be another bank's.
export type Account = Destination & { firstNumber: string; client: Client }
export type Destination = { accountNumber: string; bank: Notifying }
export type Payment = Destination & {
  client: Client
  advice: string
  adviceReference: string
  paymentReference: string
  kobo: bigint
}
export type Credit = {
  sessionId: string
  settlementId?: string
  bankReference?: string
  accountNumber: string
  kobo: bigint
  bank: Notifying
  at: Date
}
export type Reference = { client: Client; reference: string }
export type World = Awaited<ReturnType<typeof settleWorld>>

export class Client {
  readonly clientId: string
  readonly #secret: string
  readonly #tokens = new Map<string, string>()

  constructor(clientId: string, secret: string) {
    this.clientId = clientId
    this.#secret = secret
  }

  // Returns undefined if the service issues no token.
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

  async credentials(api: string): Promise<Record<string, string> | undefined> {
    const token = await this.token(api)
    return token ? { authorization: `Bearer ${token}` } : undefined
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

type Setting = {
  apis: readonly string[]
  receivers: Receivers
  bank: WitnessedBank
  fileBank: FileBank
  people: readonly Person[]
  random: Random
}

// Prepares the world before the first fault: creates a second client, and for both clients a payout account,
// a split and endpoints.
export async function settleWorld(setting: Setting) {
  const { apis, receivers, bank, fileBank, people, random } = setting
  const api = apis[0] as string
  const operator = new Client('MAN0000001', 'sandbox-secret')
  const call = async (client: Client, path: string, method: string, body?: object) => {
    const response = await fetch(api + path, {
      method,
      headers: {
        authorization: `Bearer ${await client.token(api)}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path} was answered ${response.status} ${text}`)
    return JSON.parse(text).data as Record<string, string>
  }
  const get = (client: Client, path: string) => call(client, path, 'GET')
  const post = (client: Client, path: string, body: object) => call(client, path, 'POST', body)
  const patch = (client: Client, path: string, body: object) => call(client, path, 'PATCH', body)
  const made = await post(operator, '/api/v1/operator/clients', { name: 'Shop' })
  const clients = [
    operator,
    new Client(made.clientId as string, made.secret ?? made.clientSecret ?? ''),
  ]
  const payees = new Map<Client, string>()
  for (const client of clients) {
    const { clientId } = client
    const account = { ...PAYEE, accountName: bank.nameOf(PAYEE.accountNumber) }
    const payee = await post(client, '/api/v1/bank-accounts', account)
    payees.set(client, payee.reference as string)
    await patch(client, `/api/v1/bank-accounts/${payee.reference}`, { isDefault: true })
    await createSplit((path, body) => post(client, path, body), account)
    const { secret: endpoint } = await post(client, '/api/v1/webhook-endpoints', {
      url: receivers.honest(clientId),
    })
    const { secret: ofClient } = await get(client, '/api/v1/webhook-secret')
    receivers.trust(clientId, { endpoint: endpoint as string, client: ofClient as string })
    for (const kind of HOSTILE) {
      await post(client, '/api/v1/webhook-endpoints', { url: receivers.hostile(kind, clientId) })
    }
  }
  return {
    api: () => random.pick(apis),
    clients,
    operator,
    people,
    bank,
    fileBank,
    banks: [bank, bank, fileBank] as readonly Notifying[],
    receivers,
    payeeOf: (client: Client) => payees.get(client) as string,
    splitCode: SPLIT,
    accounts: new Recent<Account>(),
    payments: new Recent<Payment>(),
    paid: new Recent<Payment>(), // Paid in full, and not refunded yet.
    credits: new Recent<Credit>(),
    refundable: new Recent<Credit & { client: Client }>(),
    payouts: new Recent<Reference>(),
    refunds: new Recent<Reference>(),
    holds: new Recent<string>(), // The references of active holds.
    unstated: [] as Credit[], // Credits that are on no statement yet.
    files: [] as string[], // Payout files that were created and not downloaded yet.
  }
}

async function createSplit(
  post: (path: string, body: object) => Promise<unknown>,
  account: object,
): Promise<void> {
  const parts = Object.entries(SHARES).map(([subaccountCode, share]) => ({ subaccountCode, share }))
  for (const { subaccountCode } of parts) {
    await post('/api/v1/subaccounts', { subaccountCode, name: subaccountCode, ...account })
  }
  await post('/api/v1/splits', { splitCode: SPLIT, name: SPLIT, type: 'percentage', parts })
}

export class Recent<T> {
  readonly items: T[] = []

  add(item: T): void {
    this.items.push(item)
    if (this.items.length > KNOWN_MAX) this.items.shift()
  }

  takeAny(random: Random): T | undefined {
    const item = this.items.length > 0 ? random.pick(this.items) : undefined
    if (item) this.drop(item)
    return item
  }

  drop(item: T): void {
    const at = this.items.indexOf(item)
    if (at >= 0) this.items.splice(at, 1)
  }
}
