// Random steps with incoming money of the sandbox's client: payments in part, too high or to an unissued
// number, cancellations, expiries, assignments, returns and reversals, in any order. The service refuses
// impossible steps, which change nothing.

import { Refusal } from '#errors.ts'
import type { AssignTo } from '#suspense/assign.ts'
import { closeExpired } from './bank-calls.ts'
import { createAccount, MINUTE_MS, startPayment } from './fixtures.ts'
import { newSessionId, postRail } from './rail.ts'
import { seededRandom } from './random.ts'
import type { Bench } from './running-service.ts'
import { openDesk } from './tracing.ts'

const UNISSUED_NUMBER = '0123456789'
const PAYMENT = 100 // The amount of each payment, in naira.
// Steps that are twice as likely as the others.
const OFTEN = ['start', 'pay', 'payAgain', 'assign', 'reverse', 'giveBack']
const AMOUNTS = ['0.01', '10.00', '33.33', '40.00', '60.00', '100.00', '130.50']

type Random = ReturnType<typeof seededRandom>
type Steps = Record<string, () => Promise<unknown>>

// Returns a function that does one random step and returns the step's name.
export async function randomMoney(bench: Bench, seed: number): Promise<() => Promise<string>> {
  const random = seededRandom(seed)
  const { accountNumber } = await createAccount(bench)
  const payments: Awaited<ReturnType<typeof startPayment>>[] = []
  const targets = (): AssignTo[] => [
    { accountNumber },
    ...payments.map(({ paymentReference: paymentId }) => ({ paymentId })),
  ]
  const { credit, reverse } = bankSteps(bench, random)
  const steps: Steps = {
    account: () => credit(accountNumber),
    dollars: () => credit(accountNumber, { currency: 'USD' }),
    nobody: () => credit(UNISSUED_NUMBER),
    start: async () => payments.push(await startPayment(bench, { amount: PAYMENT })),
    pay: () => credit(random.pick(payments)?.bankAccount),
    payAgain: () => credit(payments.at(-1)?.bankAccount),
    cancel: async () => {
      const { adviceReference } = random.pick(payments) ?? {}
      const url = `/Payment/advice/${adviceReference}/cancel`
      if (adviceReference) await bench.call({ method: 'POST', url })
    },
    expire: async () => {
      bench.advance(40 * MINUTE_MS)
      await closeExpired(bench)
    },
    reverse,
    ...(await deskSteps(bench, random, targets)),
  }
  const names = [...Object.keys(steps), ...OFTEN]
  return async () => {
    bench.advance(random.integer(1, MINUTE_MS))
    const name = random.pick(names)
    try {
      await steps[name]?.()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
    return name
  }
}

// Steps of the bank: it reports credits, and reversals of earlier credits.
function bankSteps(bench: Bench, { pick }: Random) {
  const sessions: string[] = []
  return {
    credit: async (accountNumber: string | undefined, more = {}) => {
      if (accountNumber === undefined) return
      const sessionId = newSessionId()
      sessions.push(sessionId)
      const body = { sessionId, accountNumber, amount: pick(AMOUNTS), ...more }
      await postRail(bench, '035/credits', body)
    },
    reverse: async () => {
      if (sessions.length === 0) return
      const body = { sessionId: newSessionId(), originalSessionId: pick(sessions) }
      await postRail(bench, '035/reversals', { ...body, amount: pick(AMOUNTS) })
    },
  }
}

// Steps of the suspense desk: it assigns or returns open items, and learns how returns ended.
async function deskSteps(
  bench: Bench,
  { pick }: Random,
  targets: () => AssignTo[],
): Promise<Steps> {
  const desk = await openDesk(bench)
  // A step that does `work` with a random suspense item in this state, if there is one.
  const withItem = (state: string, work: (session: string) => Promise<unknown>) => async () => {
    const { rows } = await bench.db.query(
      `select c.session_id as session from suspense_items i join credits c on c.id = i.credit_id
        where i.state = $1 order by i.id`,
      [state],
    )
    if (rows.length > 0) await work(pick(rows).session)
  }
  return {
    assign: withItem('open', (session) => desk.assign(session, pick(targets()))),
    giveBack: withItem('open', desk.giveBack),
    confirm: withItem('returning', (session) => desk.confirm(session, 'BANK-1')),
    fail: withItem('returning', desk.fail),
  }
}
