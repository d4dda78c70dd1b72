// Prepares a race: a payment, perhaps partly paid or expired, a collection account and suspended money; and
// chooses the operations on them that run at the same time.

import type { Answer, Op } from '../support/model.ts'
import type { CreditReport } from '../support/model-money.ts'
import type { Policy } from '../support/model-places.ts'
import { type Random, UNKNOWN } from './choices.ts'
import { LISTED } from './requests.ts'
import { CLIENTS, OPERATOR } from './world.ts'

export type Done = [op: Op, answer: Answer]
export type Scene = { before: Done[]; contest: Op[] }

const WHOLE = 100_00n
const PART = 40_00n
const EXPIRES_MS = 60_000
const LONG_MS = 1_800_000
const NOBODYS = '0000000002'

let sessions = 0

function newSession(): string {
  sessions += 1
  return `000013261115100000${String(sessions).padStart(12, '0')}`
}

// Prepares the objects of one race. Returns the operations that did this (`before`), and the operations to
// send at the same time (`contest`).
export async function stage(
  random: Random,
  send: (op: Op) => Promise<Answer>,
  isTimeless: boolean,
): Promise<Scene> {
  const before: Done[] = []
  // Runs an operation before the race, and records it with its response.
  const prepare = async (op: Op): Promise<Record<string, string>> => {
    const answer = await send(op)
    before.push([op, answer])
    return answer as Record<string, string>
  }
  const chance = (percent: number) => random.integer(1, 100) <= percent
  const client = random.pick(CLIENTS)
  const policy = random.pick<Policy>(['allow_under', 'allow_under', 'allow_under', 'exact', 'any'])
  const terms = {
    kobo: WHOLE,
    policy,
    expiresInMs: isTimeless ? LONG_MS : EXPIRES_MS,
    graceMs: 0,
    merchantRef: null,
    split: null,
  }
  const newAccount: Op = { do: 'account', client, rules: null, split: null }
  const { number: account = '' } = await prepare(newAccount)
  const { advice = '' } = await prepare({ do: 'advice', client, terms: { ...terms, rules: null } })
  const isStarted = chance(90)
  const { number = NOBODYS, payment = UNKNOWN } = isStarted
    ? await prepare({ do: 'initiate', advice, bank: '035' })
    : {}

  const paid = credit(number, PART)
  if (chance(60)) await prepare(reportOf(paid))
  const received = credit(account, PART)
  if (chance(60)) await prepare(reportOf(received))
  const suspended = credit(NOBODYS, random.pick([WHOLE - PART, WHOLE, PART]))
  const item = `${suspended.sessionId}@${suspended.bank}`
  await prepare(reportOf(suspended))
  const assigned: Op = { do: 'assign', client: OPERATOR, credit: item, to: { payment } }
  if (isStarted && chance(25)) await prepare(assigned)
  if (chance(25) && !isTimeless) await prepare({ do: 'wait', ms: EXPIRES_MS })

  // Operations on the same object: on the payment, on the suspended money, or on the collection account.
  const menus: Op[][] = [
    [
      reportOf(credit(number, WHOLE)),
      reportOf(credit(number, WHOLE - PART)),
      reportOf(credit(number, PART)),
      reportOf(paid),
      reportOf({ ...paid, kobo: PART + 1n }),
      { do: 'cancel', client, advice },
      { do: 'expire' },
      { do: 'initiate', advice, bank: '101' },
      reversal(paid, PART),
      reversal(paid, PART / 2n + 1n),
    ],
    [
      reversal(suspended, suspended.kobo),
      reversal(suspended, suspended.kobo / 2n + 1n),
      assigned,
      { ...assigned, to: { account } },
      { do: 'return', client: OPERATOR, credit: item },
    ],
    [reportOf(credit(account, PART)), reversal(received, PART), reversal(received, PART / 2n + 1n)],
  ]
  const menu = chance(60) ? random.pick(menus) : menus.flat()
  const contest = Array.from({ length: random.integer(2, 3) }, () => random.pick(menu))
  // Sends one operation twice, as banks and people do when they do not wait for the response.
  contest.push(random.pick(contest))
  // The model returns money in one step, the service in two: request and sending. A reversal in between
  // blocks the sending (test/suspense/reversed-returns.test.ts), so these two do not race here.
  const isReturned = contest.some((op) => op.do === 'return')
  const isReversal = (op: Op) => op.do === 'reversal' && op.original === suspended.sessionId
  return { before, contest: contest.filter((op) => !isReturned || !isReversal(op)) }
}

// A new credit of a listed payer to this number.
function credit(number: string, kobo: bigint): CreditReport {
  const [payer] = LISTED as [(typeof LISTED)[0]]
  return { bank: '035', sessionId: newSession(), number, kobo, currency: 'NGN', payer }
}

// The report of a single credit.
function reportOf(report: CreditReport): Op {
  return { do: 'credits', credits: [report], isList: false }
}

function reversal({ bank, sessionId: original }: CreditReport, kobo: bigint): Op {
  return { do: 'reversal', bank, sessionId: newSession(), original, kobo }
}
