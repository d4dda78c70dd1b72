// The random actions of banks: they report credits singly and in lists, repeat them under the same
// or another identifier, reverse them, and lose notifications, so that the service has to query the bank.

import { randomInt, randomUUID } from 'node:crypto'
import type { Answer, Caller, Verdict } from './caller.ts'
import { startPayment } from './client-actions.ts'
import { type Actor, naira } from './client-calls.ts'
import type { Terms, Witness } from './witness.ts'
import { type Credit, type Destination, type NotifyingBank, railHeaders } from './world.ts'

const LIST_MAX = 20
const UNKNOWN_NUMBER = '9999999999'
const KNOWN_TO_BANK = 0.1 // The share of credits that the bank lists when it is queried.
const WITH_MORE_IDENTIFIERS = 0.4 // The share of credits with a settlement id and a bank reference.
const PAYER = { sourceAccountNumber: '0123456789', sourceBankCode: '058' }

// Reports one new credit or, in a fifth of the calls, a list of them.
export async function reportCredits(actor: Actor): Promise<void> {
  const { random } = actor
  await reportList(actor, random.happens(0.2) ? random.integer(2, LIST_MAX) : 1)
}

export async function reportLongList(actor: Actor): Promise<void> {
  await reportList(actor, LIST_MAX)
}

// Reports a list of credits of one bank.
async function reportList(actor: Actor, count: number): Promise<void> {
  const { world, random } = actor
  const bank = random.pick(world.banks)
  const credits = Array.from({ length: count }, () =>
    newCredit(actor, numberToPay(actor, bank), BigInt(random.integer(100, 1_000_000))),
  )
  await report(actor, credits)
}

// Sends one credit without repeating it, for Availability to measure when the service answers again.
export async function pulse(actor: Actor): Promise<void> {
  const to = numberToPay(actor, actor.world.bank)
  await report({ ...actor, isPatient: false }, [newCredit(actor, to, 100n)])
}

// Requests a payment and pays it in one or two credits: in full, in two parts, too little or too much.
export async function payPayment(actor: Actor): Promise<void> {
  const payment = await startPayment(actor)
  if (!payment) return
  const { random, world } = actor
  world.payments.add(payment)
  const parts = random.pick([[100n], [100n], [40n, 60n], [40n], [130n]])
  for (const percent of parts) {
    // Rounds up, so that 40% and 60% together pay the whole amount.
    const kobo = percent === 100n ? payment.kobo : (payment.kobo * percent) / 100n + 1n
    const [verdict] = await report(actor, [newCredit(actor, payment, kobo)])
    const isPaid = verdict?.is === 'acknowledged' && verdict.result.outcome === 'booked'
    // raceRefunds() refunds only payments that a single credit paid in full.
    if (isPaid && percent >= 100n) world.paid.add(payment)
  }
}

// Reports a known credit again with the same session id, alone or in a list with a new credit.
export async function repeatCredit(actor: Actor): Promise<void> {
  const { world, random } = actor
  const known = random.pick(world.credits.items)
  if (!known) return
  const newCredits = random.happens(0.5) ? [newCredit(actor, known, known.kobo)] : []
  await report(actor, [withSessionIdOnly(known), ...newCredits])
}

// Reports a known credit again with a new session id, as a bank's retry may do. The service can recognise
// it only by its settlement id or bank reference.
export async function renameCredit(actor: Actor): Promise<void> {
  const { world, random } = actor
  const known = random.pick(world.credits.items.filter(({ settlementId }) => settlementId))
  if (!known) return
  const sharedIdentifier = random.happens(0.5) ? 'settlementId' : 'bankReference'
  const { [sharedIdentifier]: identifier, ...credit } = known
  const repeatedCredit = { ...withSessionIdOnly(credit), [sharedIdentifier]: identifier }
  await report(actor, [{ ...repeatedCredit, alias: newSessionId() }])
}

// Drops the settlement id and bank reference of a credit, so that a bank reports only its session id.
function withSessionIdOnly({ settlementId: _, bankReference: __, ...credit }: Credit): Credit {
  return credit
}

// The bank receives money for a number, but its notification is lost, so the service must learn of it by a
// query.
export async function loseNotification(actor: Actor, witness: Witness): Promise<void> {
  const { world, random } = actor
  const { accountNumber } = numberToPay(actor, world.bank)
  const kobo = BigInt(random.integer(100, 100_000))
  const key = world.bank.receive(accountNumber, kobo)
  if (!key) return
  const terms = { accountNumber, amount: `${kobo}` } // The checker compares these with the booked credit.
  witness.note({ kind: 'wanted', operation: 'credit', key, terms })
}

// The bank takes back a random known credit, in whole or in part.
export async function reverseCredit({ caller, world, random }: Actor): Promise<void> {
  const credit = random.pick(world.credits.items)
  if (!credit) return
  const key = `rev${randomUUID().replaceAll('-', '')}`
  const kobo = random.happens(0.5) ? credit.kobo : BigInt(random.integer(1, Number(credit.kobo)))
  const body = { sessionId: key, originalSessionId: credit.sessionId, amount: naira(kobo) }
  // The checker compares the terms with the books.
  const terms = { original: credit.sessionId, amount: `${kobo}` }
  await callRail({ caller, bank: credit.bank }, 'reversals', [{ key, body, terms }])
}

// Picks a number of the bank to pay to: a collection account, a payment, or rarely a number that nobody
// owns.
function numberToPay({ world, random }: Actor, bank: NotifyingBank): Destination {
  if (random.happens(0.02)) return { accountNumber: UNKNOWN_NUMBER, bank }
  const destinations = random.happens(0.8) ? world.accounts.items : world.payments.items
  const atBank = destinations.filter((destination) => destination.bank === bank)
  return atBank.length === 0 ? { accountNumber: UNKNOWN_NUMBER, bank } : random.pick(atBank)
}

// Makes a credit to report. Some credits are also entered in the books of the bank with an API, whose
// answers to queries then list them under the same session id.
function newCredit({ world, random }: Actor, to: Destination, kobo: bigint): Credit {
  const { accountNumber, bank } = to
  const isInBankBooks = bank === world.bank && random.happens(KNOWN_TO_BANK)
  const bankSessionId = isInBankBooks ? world.bank.receive(accountNumber, kobo) : undefined
  const id = randomUUID()
  const moreIdentifiers = random.happens(WITH_MORE_IDENTIFIERS)
    ? { settlementId: id, bankReference: `FT-${id}` }
    : {}
  const sessionId = bankSessionId ?? newSessionId()
  return { sessionId, ...moreIdentifiers, accountNumber, kobo, bank, at: new Date() }
}

// Returns a session id in NIP's form: 30 digits.
function newSessionId(): string {
  return `999998${Array.from({ length: 24 }, () => randomInt(10)).join('')}`
}

type PossiblyImpatientActor = Actor & { isPatient?: boolean }
type ReportedCredit = Credit & { alias?: string }

// Reports credits of one bank in one call, and remembers those that the service took. A credit with an
// alias was reported before under its session id, and is reported now under the alias.
async function report(
  actor: PossiblyImpatientActor,
  credits: readonly ReportedCredit[],
): Promise<readonly (Verdict | undefined)[]> {
  const { caller, world, isPatient } = actor
  const items = credits.map((credit) => ({
    key: credit.sessionId,
    // The checker compares the terms with the booked credit.
    terms: { accountNumber: credit.accountNumber, amount: `${credit.kobo}` },
    body: requestBodyOf(credit),
  }))
  const bank = credits[0]?.bank ?? world.bank
  const verdicts = await callRail({ caller, bank, isPatient }, 'credits', items)
  for (const [index, credit] of credits.entries()) {
    const isNew = verdicts[index]?.result.responseCode === '00'
    if (isNew && !credit.alias) rememberCredit(actor, credit, verdicts[index] as Verdict)
  }
  return verdicts
}

// Writes a credit as the body of a bank's notification.
function requestBodyOf({
  sessionId,
  alias,
  settlementId,
  bankReference,
  ...credit
}: ReportedCredit) {
  const { accountNumber, kobo, at } = credit
  return {
    sessionId: alias ?? sessionId,
    ...(settlementId && { settlementId }),
    ...(bankReference && { bankReference }),
    accountNumber,
    amount: naira(kobo),
    currency: 'NGN',
    ...PAYER,
    sourceAccountName: 'ADA OBI',
    transactionTime: at.toISOString(),
  }
}

// Remembers a credit for later actions, which repeat, reverse or refund it, or put it on a bank statement.
// Only a credit that was booked to an open collection account is refundable. Statements are imported only
// for `world.bank`, the bank with an API, so only its credits wait in `unstated` for a statement.
function rememberCredit({ world }: Actor, credit: Credit, { result }: Verdict): void {
  world.credits.add(credit)
  if (credit.bank === world.bank) world.unstated.push(credit)
  const account = world.accounts.items.find(
    ({ accountNumber }) => accountNumber === credit.accountNumber,
  )
  if (!account || result.outcome !== 'booked') return
  world.refundable.add({ ...credit, client: account.client })
}

// One credit or reversal: its session id, the facts that the checker compares with the books, and its JSON.
type Item = { key: string; terms: Terms; body: object }
type RailCall = { caller: Caller; bank: NotifyingBank; isPatient?: boolean | undefined }

// Sends credits or reversals to the service as this bank, signed with the bank's rail secret. Several items
// go as a list.
function callRail(
  { caller, bank, isPatient = true }: RailCall,
  path: 'credits' | 'reversals',
  items: readonly Item[],
): Promise<(Verdict | undefined)[]> {
  const bodies = items.map(({ body }) => body)
  return caller.ask({
    operation: path === 'credits' ? 'credit' : 'reversal',
    wants: items,
    isPatient,
    path: `/rails/${bank.code}/${path}`,
    body: bodies.length === 1 ? bodies[0] : bodies,
    headers: async (body) => railHeaders(bank.railSecret, body),
    read: (answer) => readAcknowledgements(answer, items.length),
  })
}

// Reads the verdict on each credit or reversal. Codes: 00 taken, 01 taken before, 02 rejected. After any
// other code the verdict is undefined, and the caller sends the item again.
function readAcknowledgements({ status, body }: Answer, count: number): (Verdict | undefined)[] {
  if (status === 401) return [] // The process has a wrong clock: the signature looks too old.
  const answers = (Array.isArray(body) ? body : [body]) as Record<string, string>[]
  return Array.from({ length: count }, (_, index) => {
    const { responseCode = '', outcome = '', code = '' } = answers[index] ?? {}
    const result = { responseCode, outcome, code }
    if (['00', '01'].includes(responseCode)) return { is: 'acknowledged', result }
    return responseCode === '02' ? { is: 'refused', result } : undefined
  })
}
