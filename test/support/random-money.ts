// Random things that happen to the money of the sandbox client: paid in part, too much or to nobody's
// number; cancelled, expired, assigned, returned, or taken back by the bank, in any order. What cannot
// be is refused, and nothing happens.

import type { AssignTo } from '#domain/suspense-assignments.ts'
import { Refusal } from '#errors.ts'
import { createAccount, MINUTE_MS, startPayment } from './fixtures.ts'
import { expirePayments } from './money-tale.ts'
import { newSessionId, postRail } from './rail.ts'
import { seededRandom } from './random.ts'
import type { Bench } from './running-service.ts'
import { openDesk } from './tracing.ts'

const NOBODYS = '0123456789'
const PAYMENT = 100
const AMOUNTS = ['0.01', '10.00', '33.33', '40.00', '60.00', '100.00', '130.50']

export async function randomMoney(bench: Bench, seed: number) {
  const { pick, integer } = seededRandom(seed)
  const desk = await openDesk(bench)
  const { accountNumber } = await createAccount(bench)
  const payments: Awaited<ReturnType<typeof startPayment>>[] = []
  const sessions: string[] = []

  const credit = async (to: string, more = {}) => {
    const sessionId = newSessionId()
    sessions.push(sessionId)
    const body = { sessionId, accountNumber: to, amount: pick(AMOUNTS), ...more }
    await postRail(bench, '058/credits', body)
  }
  const itemIn = async (state: string): Promise<string | undefined> => {
    const { rows } = await bench.db.query(
      `select c.session_id from suspense_items i join credits c on c.id = i.credit_id
        where i.state = $1 order by i.id`,
      [state],
    )
    return pick(rows)?.session_id
  }
  const targets = (): AssignTo[] => [
    { accountNumber },
    ...payments.map(({ paymentReference: paymentId }) => ({ paymentId })),
  ]
  const steps: Record<string, () => Promise<unknown>> = {
    account: () => credit(accountNumber),
    dollars: () => credit(accountNumber, { currency: 'USD' }),
    nobody: () => credit(NOBODYS),
    start: async () => payments.push(await startPayment(bench, { amount: PAYMENT })),
    pay: async () => payments.length > 0 && credit(pick(payments).bankAccount),
    payAgain: async () => payments.length > 0 && credit((payments.at(-1) as Paid).bankAccount),
    cancel: async () => {
      const { adviceReference } = pick(payments) ?? {}
      const url = `/Payment/advice/${adviceReference}/cancel`
      if (adviceReference) await bench.call({ method: 'POST', url })
    },
    expire: async () => {
      bench.advance(40 * MINUTE_MS)
      await expirePayments(bench)
    },
    assign: async () => {
      const item = await itemIn('open')
      if (item) await desk.assign(item, pick(targets()))
    },
    giveBack: async () => {
      const item = await itemIn('open')
      if (item) await desk.giveBack(item)
    },
    confirm: async () => {
      const item = await itemIn('returning')
      if (item) await desk.confirm(item, 'BANK-1')
    },
    fail: async () => {
      const item = await itemIn('returning')
      if (item) await desk.fail(item)
    },
    reverse: async () => {
      if (sessions.length === 0) return
      const body = { sessionId: newSessionId(), originalSessionId: pick(sessions) }
      await postRail(bench, '058/reversals', { ...body, amount: pick(AMOUNTS) })
    },
  }
  type Paid = (typeof payments)[0]
  const often = ['start', 'pay', 'payAgain', 'assign', 'reverse', 'giveBack']
  const names = [...Object.keys(steps), ...often]

  // Answers what it was.
  return async function step(): Promise<string> {
    bench.advance(integer(1, MINUTE_MS))
    const name = pick(names)
    try {
      await steps[name]?.()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
    return name
  }
}
