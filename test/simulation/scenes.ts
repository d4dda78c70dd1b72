// The scene of a race: a payment, perhaps partly paid, perhaps at its end; a collection account; an
// amount in suspense; and several concurrent operations on them.

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

export async function stage(
  random: Random,
  send: (op: Op) => Promise<Answer>,
  isTimeless: boolean,
): Promise<Scene> {
  const before: Done[] = []
  const first = async (op: Op): Promise<Record<string, string>> => {
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
  const { number: account = '' } = await first({ do: 'account', client, rules: null, split: null })
  const { advice = '' } = await first({ do: 'advice', client, terms: { ...terms, rules: null } })
  const isStarted = chance(90)
  const { number = NOBODYS, payment = UNKNOWN } = isStarted
    ? await first({ do: 'initiate', advice, bank: '035' })
    : {}

  const paid = credit(number, PART)
  if (chance(60)) await first(one(paid))
  const received = credit(account, PART)
  if (chance(60)) await first(one(received))
  const suspended = credit(NOBODYS, random.pick([WHOLE - PART, WHOLE, PART]))
  const item = `${suspended.sessionId}@${suspended.bank}`
  await first(one(suspended))
  const assigned: Op = { do: 'assign', client: OPERATOR, credit: item, to: { payment } }
  if (isStarted && chance(25)) await first(assigned)
  if (chance(25) && !isTimeless) await first({ do: 'wait', ms: EXPIRES_MS })

  const menus: Op[][] = [
    [
      one(credit(number, WHOLE)),
      one(credit(number, WHOLE - PART)),
      one(credit(number, PART)),
      one(paid),
      one({ ...paid, kobo: PART + 1n }),
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
    [one(credit(account, PART)), reversal(received, PART), reversal(received, PART / 2n + 1n)],
  ]
  const menu = chance(60) ? random.pick(menus) : menus.flat()
  const contest = Array.from({ length: random.integer(2, 3) }, () => random.pick(menu))
  // Repeats one: a bank or a person that did not wait for the answer.
  contest.push(random.pick(contest))
  // The model returns money in one step, the service in two: request and sending. A reversal in between
  // blocks the sending (test/suspense/reversed-returns.test.ts), so these two do not race here.
  const isReturned = contest.some((op) => op.do === 'return')
  const isReversal = (op: Op) => op.do === 'reversal' && op.original === suspended.sessionId
  return { before, contest: contest.filter((op) => !isReturned || !isReversal(op)) }
}

function credit(number: string, kobo: bigint): CreditReport {
  const [payer] = LISTED as [(typeof LISTED)[0]]
  return { bank: '035', sessionId: newSession(), number, kobo, currency: 'NGN', payer }
}

function one(report: CreditReport): Op {
  return { do: 'credits', credits: [report], isList: false }
}

function reversal({ bank, sessionId: original }: CreditReport, kobo: bigint): Op {
  return { do: 'reversal', bank, sessionId: newSession(), original, kobo }
}
