// A small run with the entries that the witness of `npm run torture` would record about it
// (torture/witness.ts), for tests of the checker. The run has an account with credits and a reversal, a
// payment with a refund, suspended money, a hold, a settlement, payouts (one refused), and the delivery of
// all events.

import assert from 'node:assert/strict'
import { isGenuine } from '../../torture/receivers.ts'
import type { Entry, Operation, Terms } from '../../torture/witness.ts'
import { accountBody, adviceBody, dataOf } from './fixtures.ts'
import { payoutRounds } from './payouts.ts'
import { newBrowser } from './people.ts'
import { postRail } from './rail.ts'
import { listener, startWebhookBench, type WebhookBench } from './webhook-bench.ts'

const BANK = '035'
const CLIENT = 'MAN0000001'

export async function witnessSmallWorld() {
  const bench = await startWebhookBench()
  const receiver = await listener()
  const rounds = await payoutRounds(bench)
  const { id } = await bench.addEndpoint(`${receiver.url}/honest/${CLIENT}`)
  const client = new WitnessedClient(bench)
  const { entries } = client

  const notificationUrl = `${receiver.url}/honest/${CLIENT}/notification/account`
  const { account, accountNumber } = await client.createAccount(notificationUrl)
  const credit = await client.report(accountNumber, 5_000)
  const reversal = await client.reverse(credit)
  const { advice, payment, bankAccount } = await client.startPayment()
  await client.report(bankAccount, 600)
  await client.report('9999999999', 70)
  const { payout, reference } = await client.payOut()
  const refund = await client.refund(payment.paymentReference)
  const hold = await client.hold(accountNumber)
  await client.releaseHold(accountNumber)
  const settlement = await client.closeSettlement()
  const refused = client.note('payout', { clientId: CLIENT, amount: '100000' }, null)
  await rounds.send()
  entries.push({ kind: 'ordered', at: 0, reference, amount: '1000.00' })
  for (const [paid, amount] of await client.readPaid()) {
    entries.push({ kind: 'paid', at: 0, reference: paid, amount })
  }

  await bench.run()
  const secrets = { endpoint: await bench.secret(id), client: await client.secret() }
  for (const { path: whole, headers, body, json } of receiver.received) {
    const path = whole.slice(whole.indexOf('/honest/'))
    const secret = secrets[path.includes('/notification/') ? 'client' : 'endpoint']
    const isSigned = isGenuine(secret, headers, Buffer.from(body))
    const { reference = '', status = '' } = json.data as { reference?: string; status?: string }
    const seen = { clientId: CLIENT, path, at: 0, skewSeconds: 0, isGenuine: isSigned }
    entries.push({
      kind: 'webhook',
      ...seen,
      id: json.id,
      sequence: json.sequence,
      type: json.type,
      reference,
      status,
    })
  }
  return {
    entries,
    accountNumber,
    keys: {
      account,
      credit,
      reversal,
      advice,
      payment: payment.key,
      payout,
      refused,
      hold,
    },
    references: { payout: reference, refund, settlement },
    connectionString: bench.database.connectionString,
    async [Symbol.asyncDispose]() {
      await rounds[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
      await bench[Symbol.asyncDispose]()
    },
  }
}

// Sends the client's requests one by one, and records each response as a witness entry under the key of its
// request.
class WitnessedClient {
  readonly entries: Entry[] = []
  readonly #bench: WebhookBench
  #calls = 0

  constructor(bench: WebhookBench) {
    this.#bench = bench
  }

  // Records a request and its response; the result null means that the service refused it. Returns the key.
  note(operation: Operation, terms: Terms, result: Terms | null): string {
    const key = this.#nextKey(operation)
    const call = ++this.#calls
    const status = result ? 200 : 409
    this.entries.push(
      { kind: 'wanted', operation, key, terms },
      { kind: 'asked', call, keys: [key], at: call, api: 0 },
      { kind: 'answered', call, at: call, status, body: {} },
      { kind: result ? 'acknowledged' : 'refused', call, key, result: result ?? {} },
    )
    return key
  }

  async createAccount(notificationUrl: string) {
    const named = accountBody({ accountName: this.#nextKey('account'), notificationUrl })
    const { data } = await this.#post('/api/v1/accounts/static', named)
    const accountNumber = data.accountNumber as string
    return { account: this.note('account', { clientId: CLIENT }, { accountNumber }), accountNumber }
  }

  async report(accountNumber: string, naira: number): Promise<string> {
    const amount = `${naira}`
    const payer = { sourceAccountNumber: '0123456789', sourceBankCode: '058' }
    const sessionId = this.#nextKey('credit')
    await this.#rail('credits', { sessionId, accountNumber, amount, ...payer })
    return this.note('credit', { accountNumber, amount: `${naira}00` }, { responseCode: '00' })
  }

  async reverse(credit: string): Promise<string> {
    const sessionId = this.#nextKey('reversal')
    await this.#rail('reversals', { sessionId, originalSessionId: credit, amount: '10' })
    return this.note('reversal', { original: credit, amount: '1000' }, {})
  }

  async startPayment() {
    const ordered = adviceBody({ amount: 600, merchantRef: this.#nextKey('advice') })
    const { adviceReference } = (await this.#post('/Payment/advice', ordered)).responseData
    const advice = this.note('advice', { clientId: CLIENT, amount: '60000' }, { adviceReference })
    const start = `/Payment/process/banktransfer/${adviceReference}`
    const { responseData } = await this.#post(start, { bankCode: BANK })
    const { paymentReference, bankAccount } = responseData
    const result = { paymentReference, accountNumber: bankAccount }
    const key = this.note('payment', { advice }, result)
    return { advice, payment: { key, paymentReference }, bankAccount }
  }

  async refund(paymentReference: string): Promise<string> {
    const body = { amount: 200, reason: this.#nextKey('refund') }
    const path = `/api/v1/payments/${paymentReference}/refunds`
    const { reference } = (await this.#post(path, body)).data
    this.note('refund', { clientId: CLIENT, amount: '20000' }, { reference })
    return reference
  }

  async hold(accountNumber: string): Promise<string> {
    const reason = this.#nextKey('hold')
    const body = { target: 'account', clientId: CLIENT, accountNumber, amount: 50, reason }
    const { reference } = (await this.#post('/api/v1/operator/holds', body)).data
    return this.note('hold', { clientId: CLIENT, amount: '5000' }, { reference })
  }

  // Places a hold, and two users release it.
  async releaseHold(accountNumber: string): Promise<string> {
    const key = await this.hold(accountNumber)
    const { rows } = await this.#bench.db.query('select reference from holds where reason = $1', [
      key,
    ])
    const { reference: hold } = rows[0] as { reference: string }
    const url = `/api/v1/operator/holds/${hold}`
    const maker = await newBrowser(this.#bench, 'operator')
    const checker = await newBrowser(this.#bench, 'operator')
    const release = { url: `${url}/release`, body: { reason: 'Cleared' } }
    const { id: request } = dataOf(await maker.call(release))
    const approved = await checker.call({ url: `${url}/approve`, body: {} })
    assert.equal(approved.statusCode, 200, approved.body)
    const terms = { hold, kind: 'release', amount: 'all' }
    this.note('hold_ending', terms, { request: `${request}` })
    const approver = checker.user.email
    return this.note('hold_approval', { ...terms, request: `${request}`, approver }, {})
  }

  async closeSettlement(): Promise<string> {
    const { reference } = (await this.#post('/api/v1/settlements', {})).data
    this.note('settlement', { clientId: CLIENT }, { reference })
    return reference
  }

  // The payouts that the sandbox's bank paid, as pairs of reference and amount in kobo.
  async readPaid(): Promise<[string, string][]> {
    const { rows } = await this.#bench.db.query<{ reference: string; amount: string }>(
      `select reference, amount_kobo::text as amount from payouts where status = 'confirmed'`,
    )
    return rows.map(({ reference, amount }) => [reference, amount])
  }

  async secret(): Promise<string> {
    const answer = await this.#bench.call({ url: '/api/v1/webhook-secret', method: 'GET' })
    return answer.json().data.secret
  }

  async payOut() {
    const paying = { amount: 1_000, narration: this.#nextKey('payout') }
    const { reference } = (await this.#post('/api/v1/payouts', paying)).data
    const payout = this.note('payout', { clientId: CLIENT, amount: '100000' }, { reference })
    return { payout, reference }
  }

  #nextKey(operation: Operation): string {
    return `${operation}-${this.#calls + 1}`
  }

  async #post(url: string, body: object) {
    const answer = await this.#bench.call({ url, body })
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json()
  }

  async #rail(path: string, body: object): Promise<void> {
    const answer = await postRail(this.#bench, `${BANK}/${path}`, body)
    assert.equal(answer.json().responseCode, '00', answer.body)
  }
}
