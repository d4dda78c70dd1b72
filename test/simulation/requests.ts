// Sends the operations of a simulation to the service as HTTP requests, and returns the part of each response
// that the model can predict. Operations without a route (the expiry worker, findings) run directly.

import assert from 'node:assert/strict'
import { formatKobo, type Kobo } from '#money.ts'
import { BLOCKED } from '#payouts/holds.ts'
import { FEE_RULES } from '../support/fee-rules.ts'
import {
  ACCOUNTS,
  ADVICE,
  accountBody,
  adviceBody,
  BY_PAYMENT,
  INITIATE,
} from '../support/fixtures.ts'
import type { Answer, Op } from '../support/model.ts'
import type { RailAnswer, Rules, Terms } from '../support/model-places.ts'
import { MODEL_SPLITS } from '../support/model-splits.ts'
import { shownId } from '../support/shown-ids.ts'
import { SPLITS, SUBACCOUNTS, splitBody, subaccountBody } from '../support/splits.ts'
import { takeFindings } from './findings.ts'
import { OPERATOR, type Reply, type World } from './world.ts'

// Payers whom the simulation's payer rules allow, by account or by name.
export const LISTED = [
  { name: 'OBI ADA NGOZI', account: '0123456789', bank: '057', isListed: true },
  { name: 'Somebody Else', account: '1111111111', bank: '044', isListed: true },
]
export const UNLISTED = [
  { name: 'Ada Eze', account: '1111111111', bank: '057', isListed: false },
  { name: 'Chidi Okafor', account: '2222222222', bank: '033', isListed: false },
]
const LIST = {
  names: ['Ada Obi'],
  accounts: [{ accountNumber: '1111111111', bankCode: '044' }],
}

type Of<K extends Op['do']> = Extract<Op, { do: K }>

// Sends one operation; returns the part of the response that the model predicts.
export function send(world: World, op: Op): Promise<Answer> {
  switch (op.do) {
    case 'account':
      return openAccount(world, op)
    case 'activate':
    case 'deactivate':
      return switchAccount(world, op)
    case 'limit':
      return limitAccount(world, op)
    case 'rule':
      return chargeClient(world, op)
    case 'advice':
      return createAdvice(world, op)
    case 'initiate':
      return initiate(world, op)
    case 'cancel':
      return cancel(world, op)
    case 'credits':
      return reportCredits(world, op)
    case 'findings':
      return takeFindings(world, op)
    case 'reversal':
      return reportReversal(world, op)
    case 'assign':
    case 'return':
      return actAtDesk(world, op)
    case 'read':
      return readPayment(world, op)
    case 'expire':
      return world.expire().then(() => ({}))
    case 'wait':
      world.wait(op.ms)
      return Promise.resolve({})
  }
}

// Creates a collection account; returns its number or the service's refusal.
async function openAccount(world: World, op: Of<'account'>): Promise<Answer> {
  const { client, rules, split: splitCode } = op
  const body = accountBody({ splitCode, ...(rules ? { payerRules: rulesBody(rules) } : {}) })
  const answer = await world.call(client, ACCOUNTS, body)
  return refusalOf(answer) ?? { number: answer.json().data.accountNumber }
}

// Creates the subaccounts and all splits of the model for a client.
export async function createSplits(world: World, client: string): Promise<void> {
  for (const code of ['A', 'B', 'C']) {
    const answer = await world.call(client, SUBACCOUNTS, subaccountBody(code))
    assert.equal(answer.statusCode, 200, answer.body)
  }
  for (const [code, { type, parts }] of Object.entries(MODEL_SPLITS)) {
    const body = splitBody(
      code,
      type,
      ...parts.map((part): [string, string, boolean] => [
        part.to,
        naira(part.share),
        part.bearsFee,
      ]),
    )
    const answer = await world.call(client, SPLITS, body)
    assert.equal(answer.statusCode, 200, answer.body)
  }
}

// The model has plain bigint amounts, because it must not share types with the service.
const naira = (value: bigint) => formatKobo(value as Kobo)

async function switchAccount(world: World, op: Of<'activate' | 'deactivate'>): Promise<Answer> {
  const url = `${ACCOUNTS}/${op.account}/${op.do}`
  return refusalOf(await world.call(await ownerOf(world, op.account), url, {})) ?? {}
}

async function limitAccount(world: World, { account, limits }: Of<'limit'>): Promise<Answer> {
  const amount = (value: bigint | null) => value && naira(value)
  const [perCredit, perDay] = [amount(limits.creditKobo), amount(limits.dayKobo)]
  const body = { limits: { perCredit, perDay, balanceMax: amount(limits.balanceKobo) } }
  const client = await ownerOf(world, account)
  return refusalOf(await world.call(client, `${ACCOUNTS}/${account}`, body, 'PATCH')) ?? {}
}

// The client that has the collection account.
async function ownerOf({ db }: World, account: string): Promise<string> {
  const { rows } = await db.query<{ client: string }>(
    `select c.client_id as client from clients c join collection_accounts a on a.client_id = c.id
      where a.account_number = $1`,
    [account],
  )
  return rows[0]?.client ?? ''
}

// Gives a client another fee rule for credits.
async function chargeClient(world: World, { client, rule }: Of<'rule'>): Promise<Answer> {
  const body = {
    clientId: client,
    code: 'simulated',
    basis: 'credit',
    bps: rule.bps,
    flat: naira(rule.flatKobo),
    min: naira(rule.minKobo),
    cap: rule.capKobo === null ? null : naira(rule.capKobo),
    waiveFlatBelow: naira(rule.waiveBelowKobo),
    vatIncluded: rule.isVatIncluded,
    bearer: rule.isCustomers ? 'customer' : rule.isSubaccounts ? 'subaccount' : 'merchant',
  }
  const answer = await world.call(OPERATOR, FEE_RULES, body)
  return refusalOf(answer) ?? { isDone: true }
}

// Creates a payment request; returns its reference or the service's refusal.
async function createAdvice(world: World, { client, terms }: Of<'advice'>): Promise<Answer> {
  const answer = await world.call(client, ADVICE, adviceBody(termsBody(terms)))
  return refusalOf(answer) ?? { advice: answer.json().responseData.adviceReference }
}

// The terms of an advice as fields of the request.
function termsBody({ kobo, policy, expiresInMs, graceMs, merchantRef, rules, split }: Terms) {
  return {
    splitCode: split,
    amount: naira(kobo),
    amountPolicy: policy,
    expiresInSeconds: expiresInMs / 1000,
    graceSeconds: graceMs / 1000,
    ...(merchantRef === null ? {} : { merchantRef }),
    ...(rules ? { payerRules: rulesBody(rules) } : {}),
  }
}

// The payer rules as fields of the request. With `isListOnly`, only the listed payers may pay.
function rulesBody({ minKobo, maxKobo, isListOnly }: Rules) {
  const amounts = { minAmount: naira(minKobo), maxAmount: naira(maxKobo) }
  return isListOnly ? { ...amounts, ...LIST } : amounts
}

// Chooses a bank as the payer; returns the leased number with the payment, or the service's refusal.
async function initiate(world: World, { advice, bank }: Of<'initiate'>): Promise<Answer> {
  const answer = await world.call(null, `${INITIATE}/${advice}`, { bankCode: bank })
  const refusal = refusalOf(answer)
  if (refusal) return refusal
  const { bankAccount, paymentReference, status, amountPaid } = answer.json().responseData
  const kobo = koboOf(amountPaid)
  return { number: bankAccount, payment: paymentReference, status, kobo }
}

// Cancels a payment request as its client; returns its new status or the service's refusal.
async function cancel(world: World, { client, advice }: Of<'cancel'>): Promise<Answer> {
  const answer = await world.call(client, `${ADVICE}/${advice}/cancel`, {})
  const refusal = refusalOf(answer)
  if (refusal) return refusal
  const { adviceReference, status } = answer.json().responseData
  return { advice: adviceReference, status }
}

// Reports credits as a bank, one alone or several in a list.
async function reportCredits(world: World, { credits, isList }: Of<'credits'>): Promise<Answer> {
  const bank = credits[0]?.bank
  const bodies = credits.map(({ sessionId, number, kobo, currency, payer, agoMs, fault }) => ({
    sessionId,
    accountNumber: number,
    amount: naira(kobo),
    currency,
    sourceAccountName: payer.name,
    sourceAccountNumber: payer.account,
    sourceBankCode: payer.bank,
    ...(agoMs === undefined
      ? {}
      : { transactionTime: new Date(world.now() - agoMs).toISOString() }),
    ...fault?.fields,
  }))
  const answer = await world.report(`${bank}/credits`, isList ? bodies : bodies[0])
  const answers = isList ? answer.json() : [answer.json()]
  assert.equal(answers.length, credits.length, answer.body)
  return answers.map((result: RailAnswer & { sessionId: string }, index: number) => {
    if (!credits[index]?.fault) assert.equal(result.sessionId, credits[index]?.sessionId)
    return railAnswer(result)
  })
}

// Reports the reversal of a credit as the bank; returns the service's acknowledgement.
async function reportReversal(world: World, op: Of<'reversal'>): Promise<Answer> {
  const answer = await world.report(`${op.bank}/reversals`, {
    sessionId: op.sessionId,
    originalSessionId: op.original,
    amount: naira(op.kobo),
  })
  return railAnswer(answer.json())
}

// Assigns or returns a suspense item. Waits until a return is settled, because the model settles it in the
// same step.
async function actAtDesk(world: World, op: Of<'assign'> | Of<'return'>): Promise<Answer> {
  const url = `/api/v1/suspense/${await itemOf(world, op.credit)}/${op.do}`
  const answer = await world.call(op.client, url, op.do === 'assign' ? targetBody(op) : {})
  if (op.do === 'return') await confirmByHand(world)
  if (op.do === 'return' && world.isTimeless) await untilSent(world)
  return refusalOf(answer) ?? { isDone: true }
}

// The operator confirms returns in other currencies by hand at once, because banks send only naira.
async function confirmByHand(world: World): Promise<void> {
  const { rows } = await world.db.query<{ reference: string }>(
    `select p.reference from payouts p
      where p.purpose = 'return' and p.status = 'queued' and p.currency <> 'NGN'
        and ${BLOCKED} is null`,
  )
  for (const { reference } of rows) {
    await world.call(OPERATOR, `/api/v1/operator/returns/${reference}/confirm`, {})
  }
}

// Waits until no return is being sent: a worker may have claimed it before the request could send it.
async function untilSent({ db }: World): Promise<void> {
  let rowCount: number | null
  do {
    ;({ rowCount } = await db.query(
      `select from payouts p
        where p.purpose = 'return'
          and (p.status = 'sending' or (p.status = 'queued' and ${BLOCKED} is null)) limit 1`,
    ))
  } while (rowCount !== 0)
}

function targetBody({ to }: Of<'assign'>) {
  return 'account' in to ? { accountNumber: to.account } : { paymentReference: to.payment }
}

// The public id of a credit's suspense item. Without an item it is the public id of 0, which no item has.
async function itemOf({ db }: World, credit: string): Promise<number> {
  const [sessionId, bank] = credit.split('@')
  const { rows } = await db.query<{ id: bigint }>(
    `select i.id from suspense_items i join credits c on c.id = i.credit_id
      where c.session_id = $1 and c.bank_code = $2 order by i.id limit 1`,
    [sessionId, bank],
  )
  return shownId('suspense', rows[0]?.id ?? 0n)
}

// Reads a payment as the client; returns its status and the kobo collected, or the service's refusal.
async function readPayment(world: World, { client, payment }: Of<'read'>): Promise<Answer> {
  const answer = await world.call(client, `${BY_PAYMENT}/${payment}`)
  const refusal = refusalOf(answer)
  if (refusal) return refusal
  const { transactionStatus, amountCollected } = answer.json().responseData
  return { status: transactionStatus, kobo: koboOf(amountCollected) }
}

// The part of a bank's acknowledgement that the model predicts.
function railAnswer({ responseCode, outcome, code }: RailAnswer): RailAnswer {
  return { responseCode, outcome, ...(code === undefined ? {} : { code }) }
}

function refusalOf(answer: Reply): Answer | undefined {
  return answer.statusCode === 200 ? undefined : { refused: answer.json().code }
}

// Amounts in JSON have at most two decimals, so rounding is exact.
function koboOf(naira: number): bigint {
  return BigInt(Math.round(naira * 100))
}
