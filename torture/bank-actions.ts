// What the bank does: reports credits singly and in lists, repeats them, reverses them, and loses the
// notification of some that it only names when it is asked.

import { randomUUID } from 'node:crypto'
import type { Answer, Caller, Verdict } from './caller.ts'
import { type Actor, naira, startPayment } from './client-actions.ts'
import type { Random } from './random.ts'
import type { Terms, Witness } from './witness.ts'
import { type Credit, railHeaders, type World } from './world.ts'

const LIST_MAX = 20
const NUMBER_OF_NOBODY = '9999999999'
const KNOWN_TO_BANK = 0.1 // The rest is not named when the bank is asked.
const PAYER = { sourceAccountNumber: '0123456789', sourceBankCode: '058' }

export async function reportCredits(actor: Actor): Promise<void> {
  const { world, random } = actor
  const count = random.happens(0.2) ? random.integer(2, LIST_MAX) : 1
  const credits = Array.from({ length: count }, () => {
    const accountNumber = numberToPay(world, random)
    return newCredit(actor, accountNumber, BigInt(random.integer(100, 1_000_000)))
  })
  await report(actor, credits)
}

// One credit, sent once, answered or not.
export async function pulse(actor: Actor): Promise<void> {
  const { world, random } = actor
  await report({ ...actor, isPatient: false }, [newCredit(actor, numberToPay(world, random), 100n)])
}

// As asked for, short, or more.
export async function payPayment(actor: Actor): Promise<void> {
  const payment = await startPayment(actor)
  if (!payment) return
  const { random, world } = actor
  world.payments.add(payment)
  const parts = random.pick([[100n], [100n], [40n, 60n], [40n], [130n]])
  for (const percent of parts) {
    const kobo = percent === 100n ? payment.kobo : (payment.kobo * percent) / 100n + 1n
    await report(actor, [newCredit(actor, payment.accountNumber, kobo)])
  }
}

// The same session id once more, alone or in a list with a new one.
export async function repeatCredit(actor: Actor): Promise<void> {
  const { world, random } = actor
  const known = random.pick(world.credits.items)
  if (!known) return
  const more = random.happens(0.5) ? [newCredit(actor, known.accountNumber, known.kobo)] : []
  await report(actor, [known, ...more])
}

// The payer's bank sent it and nobody is told.
export async function loseNotification(actor: Actor, witness: Witness): Promise<void> {
  const { world, random } = actor
  const accountNumber = numberToPay(world, random)
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
  await onRail({ caller, world }, 'reversals', [
    { key, body, terms: { original: credit.sessionId, amount: `${kobo}` } },
  ])
}

function numberToPay({ accounts, payments }: World, random: Random): string {
  if (random.happens(0.02)) return NUMBER_OF_NOBODY
  const known = random.happens(0.8) ? accounts.items : payments.items
  return known.length === 0 ? NUMBER_OF_NOBODY : random.pick(known).accountNumber
}

function newCredit({ world, random }: Actor, accountNumber: string, kobo: bigint): Credit {
  const named = random.happens(KNOWN_TO_BANK) ? world.bank.receive(accountNumber, kobo) : undefined
  return { sessionId: named ?? randomUUID().replaceAll('-', ''), accountNumber, kobo }
}

type Reporting = Actor & { isPatient?: boolean }

async function report(actor: Reporting, credits: readonly Credit[]): Promise<void> {
  const items = credits.map(({ sessionId, accountNumber, kobo }) => ({
    key: sessionId,
    terms: { accountNumber, amount: `${kobo}` },
    body: {
      ...{ sessionId, accountNumber, amount: naira(kobo), currency: 'NGN', ...PAYER },
      ...{ sourceAccountName: 'ADA OBI', transactionTime: new Date().toISOString() },
    },
  }))
  const verdicts = await onRail(actor, 'credits', items)
  for (const [at, credit] of credits.entries()) {
    if (verdicts[at]?.is === 'acknowledged') actor.world.credits.add(credit)
  }
}

type Item = { key: string; terms: Terms; body: object }

function onRail(
  { caller, world, isPatient = true }: { caller: Caller; world: World; isPatient?: boolean },
  path: 'credits' | 'reversals',
  items: readonly Item[],
): Promise<(Verdict | undefined)[]> {
  const bodies = items.map(({ body }) => body)
  return caller.ask({
    operation: path === 'credits' ? 'credit' : 'reversal',
    wants: items,
    isPatient,
    path: `/rails/${world.bankCode}/${path}`,
    body: bodies.length === 1 ? bodies[0] : bodies,
    headers: async (body) => railHeaders(world.bank.railSecret, body),
    read: (answer) => readAcknowledgements(answer, items.length),
  })
}

// 00 taken, 01 taken before, 02 rejected; anything else is asked again.
function readAcknowledgements({ status, body }: Answer, count: number): (Verdict | undefined)[] {
  if (status === 401) return [] // A process with a wrong clock: its signature looks too old.
  const answers = (Array.isArray(body) ? body : [body]) as Record<string, string>[]
  return Array.from({ length: count }, (_, at) => {
    const { responseCode = '', outcome = '', code = '' } = answers[at] ?? {}
    const result = { responseCode, outcome, code }
    if (['00', '01'].includes(responseCode)) return { is: 'acknowledged', result }
    return responseCode === '02' ? { is: 'refused', result } : undefined
  })
}
