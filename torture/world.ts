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
export type NotifyingBank = { code: string; railSecret: string }

// A collection account. Payers pay to its number at `bank`. The API names the account by its `firstNumber`,
// which may be another bank's number.
export type Account = Destination & { firstNumber: string; client: Client }
export type Destination = { accountNumber: string; bank: NotifyingBank }
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
  bank: NotifyingBank
  at: Date
}
export type Reference = { client: Client; reference: string }
export type World = Awaited<ReturnType<typeof createWorld>>

export class Client {
  readonly clientId: string
  readonly #secret: string
  readonly #tokens = new Map<string, string>()

  constructor(clientId: string, secret: string) {
    this.clientId = clientId
    this.#secret = secret
  }

  // Logs in once at each API process and keeps the token. Returns undefined if the service issues none.
  async token(api: string): Promise<string | undefined> {
    const cachedToken = this.#tokens.get(api)
    if (cachedToken) return cachedToken
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

  // Drops the token, which the service no longer accepts.
  forget(api: string): void {
    this.#tokens.delete(api)
  }
}

// Signs a bank's call to the service, as Standard Webhooks does.
export function railHeaders(secret: string, body: string): Record<string, string> {
  const id = `msg_${randomUUID()}`
  const seconds = `${Math.floor(Date.now() / 1000)}`
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` }
}

type WorldSetting = {
  apis: readonly string[]
  receivers: Receivers
  bank: WitnessedBank
  fileBank: FileBank
  people: readonly Person[]
  random: Random
}

// Prepares everything that the actions use, before the first fault: a second client, and for both clients
// an account for payouts, a split, and endpoints, one honest and several hostile.
export async function createWorld(worldSetting: WorldSetting) {
  const { apis, receivers, bank, fileBank, people, random } = worldSetting
  const api = apis[0] as string
  const operator = new Client('MAN0000001', 'sandbox-secret')
  // Calls the API as the client, and returns the `data` of the answer. A refusal ends the run.
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
  const createdClient = await post(operator, '/api/v1/operator/clients', { name: 'Shop' })
  const clients = [
    operator,
    new Client(
      createdClient.clientId as string,
      createdClient.secret ?? createdClient.clientSecret ?? '',
    ),
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
    const { secret: clientSecret } = await get(client, '/api/v1/webhook-secret')
    receivers.trust(clientId, { endpoint: endpoint as string, client: clientSecret as string })
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
    banks: [bank, bank, fileBank] as readonly NotifyingBank[],
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

// Creates two subaccounts, and a split that shares money between them by percentage.
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

// The most recent objects of one kind, from which actions pick at random.
export class Recent<T> {
  readonly items: T[] = []

  add(item: T): void {
    this.items.push(item)
    if (this.items.length > KNOWN_MAX) this.items.shift()
  }

  // Picks an item and removes it, so that no other action uses it.
  takeAny(random: Random): T | undefined {
    const item = this.items.length > 0 ? random.pick(this.items) : undefined
    if (item) this.drop(item)
    return item
  }

  drop(item: T): void {
    const index = this.items.indexOf(item)
    if (index >= 0) this.items.splice(index, 1)
  }
}
