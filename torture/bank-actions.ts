// The actions of banks: they report credits singly and in lists, repeat them by the session id or
// by another identifier, reverse them, and lose some notifications, whose transfers a query then
// finds.

import { randomInt, randomUUID } from 'node:crypto'
import type { Answer, Caller, Verdict } from './caller.ts'
import { startPayment } from './client-actions.ts'
import { type Actor, naira } from './client-calls.ts'
import type { Terms, Witness } from './witness.ts'
import { type Credit, type Destination, type Notifying, railHeaders } from './world.ts'

const LIST_MAX = 20
const UNKNOWN_NUMBER = '9999999999'
const KNOWN_TO_BANK = 0.1 // The share of credits that the bank lists when it is queried.
const WITH_OTHERS = 0.4 // The share of credits with a settlement id and a bank reference.
const PAYER = { sourceAccountNumber: '0123456789', sourceBankCode: '058' }

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

// Sends one credit once, whether or not it is answered.
export async function pulse(actor: Actor): Promise<void> {
  const to = numberToPay(actor, actor.world.bank)
  await report({ ...actor, isPatient: false }, [newCredit(actor, to, 100n)])
}

// Pays the exact amount, less, or more.
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
    if (isPaid && percent >= 100n) world.paid.add(payment)
  }
}

// Repeats a session id, alone or in a list with a new one.
export async function repeatCredit(actor: Actor): Promise<void> {
  const { world, random } = actor
  const known = random.pick(world.credits.items)
  if (!known) return
  const more = random.happens(0.5) ? [newCredit(actor, known, known.kobo)] : []
  await report(actor, [withoutOthers(known), ...more])
}

// Repeats a credit with a new session id, as a bank's retry may do. Only another identifier shows which
// credit it is.
export async function renameCredit(actor: Actor): Promise<void> {
  const { world, random } = actor
  const known = random.pick(world.credits.items.filter(({ settlementId }) => settlementId))
  if (!known) return
  const one = random.happens(0.5) ? 'settlementId' : 'bankReference'
  const { [one]: identifier, ...rest } = known
  await report(actor, [{ ...withoutOthers(rest), [one]: identifier, alias: newSessionId() }])
}

function withoutOthers({ settlementId: _, bankReference: __, ...credit }: Credit): Credit {
  return credit
}

// The bank receives money for a number, but its notification is lost.
export async function loseNotification(actor: Actor, witness: Witness): Promise<void> {
  const { world, random } = actor
  const { accountNumber } = numberToPay(actor, world.bank)
  const kobo = BigInt(random.integer(100, 100_000))
  const key = world.bank.receive(accountNumber, kobo)
  if (!key) return
  const terms = { accountNumber, amount: `${kobo}` }
  witness.note({ kind: 'wanted', operation: 'credit', key, terms })
}

export async function reverseCredit({ caller, world, random }: Actor): Promise<void> {
  const credit = random.pick(world.credits.items)
  if (!credit) return
  const key = `rev${randomUUID().replaceAll('-', '')}`
  const kobo = random.happens(0.5) ? credit.kobo : BigInt(random.integer(1, Number(credit.kobo)))
  const body = { sessionId: key, originalSessionId: credit.sessionId, amount: naira(kobo) }
  await onRail({ caller, bank: credit.bank }, 'reversals', [
    { key, body, terms: { original: credit.sessionId, amount: `${kobo}` } },
  ])
}

function numberToPay({ world, random }: Actor, bank: Notifying): Destination {
  if (random.happens(0.02)) return { accountNumber: UNKNOWN_NUMBER, bank }
  const all = random.happens(0.8) ? world.accounts.items : world.payments.items
  const known = all.filter((each) => each.bank === bank)
  return known.length === 0 ? { accountNumber: UNKNOWN_NUMBER, bank } : random.pick(known)
}

function newCredit({ world, random }: Actor, to: Destination, kobo: bigint): Credit {
  const { accountNumber, bank } = to
  const isNamed = bank === world.bank && random.happens(KNOWN_TO_BANK)
  const named = isNamed ? world.bank.receive(accountNumber, kobo) : undefined
  const id = randomUUID()
  const others = random.happens(WITH_OTHERS) ? { settlementId: id, bankReference: `FT-${id}` } : {}
  const sessionId = named ?? newSessionId()
  return { sessionId, ...others, accountNumber, kobo, bank, at: new Date() }
}

// Returns a session id in NIP's form: 30 digits.
function newSessionId(): string {
  return `999998${Array.from({ length: 24 }, () => randomInt(10)).join('')}`
}

type Reporting = Actor & { isPatient?: boolean }
type Reported = Credit & { alias?: string }

// Reports credits of one bank. A credit with an alias was reported before under another session id.
async function report(
  actor: Reporting,
  credits: readonly Reported[],
): Promise<readonly (Verdict | undefined)[]> {
  const { caller, world, isPatient } = actor
  const items = credits.map((credit) => ({
    key: credit.sessionId,
    terms: { accountNumber: credit.accountNumber, amount: `${credit.kobo}` },
    body: bodyOf(credit),
  }))
  const bank = credits[0]?.bank ?? world.bank
  const verdicts = await onRail({ caller, bank, isPatient }, 'credits', items)
  for (const [at, credit] of credits.entries()) {
    const isNew = verdicts[at]?.result.responseCode === '00'
    if (isNew && !credit.alias) remember(actor, credit, verdicts[at] as Verdict)
  }
  return verdicts
}

function bodyOf({ sessionId, alias, settlementId, bankReference, ...credit }: Reported) {
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

function remember({ world }: Actor, credit: Credit, { result }: Verdict): void {
  world.credits.add(credit)
  if (credit.bank === world.bank) world.unstated.push(credit)
  const account = world.accounts.items.find((each) => each.accountNumber === credit.accountNumber)
  if (!account || result.outcome !== 'booked') return
  world.refundable.add({ ...credit, client: account.client })
}

type Item = { key: string; terms: Terms; body: object }
type OnRail = { caller: Caller; bank: Notifying; isPatient?: boolean | undefined }

function onRail(
  { caller, bank, isPatient = true }: OnRail,
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

// Reads the verdict on each credit. Codes: 00 taken, 01 taken before, 02 rejected; after any other code the
// bank sends the credit again.
function readAcknowledgements({ status, body }: Answer, count: number): (Verdict | undefined)[] {
  if (status === 401) return [] // The process has a wrong clock: the signature looks too old.
  const answers = (Array.isArray(body) ? body : [body]) as Record<string, string>[]
  return Array.from({ length: count }, (_, at) => {
    const { responseCode = '', outcome = '', code = '' } = answers[at] ?? {}
    const result = { responseCode, outcome, code }
    if (['00', '01'].includes(responseCode)) return { is: 'acknowledged', result }
    return responseCode === '02' ? { is: 'refused', result } : undefined
  })
}
