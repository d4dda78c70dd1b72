// A bank for which more calls are due than its rate limit allows, and the workers' rounds of two processes
// that make them. Records each call with the time on the bench's clock.

import assert from 'node:assert/strict'
import type { BankConnection, CallLimits, PayoutAnswer } from '#banks/connector.ts'
import type { CallKind } from '#records/call-rates.ts'
import { createPayout, fund, payoutRounds } from './payouts.ts'
import { BANK, requeryRounds } from './requery-bench.ts'
import { startTestService } from './running-service.ts'

export const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const UNKNOWN: PayoutAnswer = { status: 'unknown', reason: 'timeout' }
const CONFIRMED: PayoutAnswer = { status: 'confirmed', bankReference: 'B-1' }
// Limits so high that all calls of a round happen at once.
const AT_ONCE = { ratePerSecond: 1_000, concurrency: 50 }

type Backlog = { payouts?: number; unknown?: number; questions?: number }

// Starts a service with a backlog: `payouts` are queued, `unknown` were sent without an answer, and
// `questions` are due requeries. `limits` apply once the backlog exists.
export async function startBusyBank(
  limits: CallLimits,
  { payouts = 0, unknown = 0, questions = 0 }: Backlog,
) {
  const bench = await startTestService()
  const made: { kind: CallKind; atMs: number }[] = []
  const call =
    <Answer>(kind: CallKind, answer: Answer) =>
    async (): Promise<Answer> => {
      made.push({ kind, atMs: bench.clock().getTime() })
      return answer
    }
  const calls: BankConnection['calls'] = {
    sendMoney: call('payouts', CONFIRMED),
    findPayout: call('payout_queries', UNKNOWN),
    findTransfer: call('requeries', { status: 'not_found' }),
  }
  // The bank's connection with these limits, and with some calls replaced.
  const connectionsWith = (callLimits: CallLimits, more: BankConnection['calls'] = {}) =>
    new Map([[BANK, { calls: { ...calls, ...more }, limits: callLimits } as BankConnection]])

  await fund(bench, '10000')
  for (let index = 0; index < unknown; index++) await createPayout(bench, { amount: 1 })
  const silent = connectionsWith(AT_ONCE, { sendMoney: async () => UNKNOWN })
  const sender = await payoutRounds(bench, { connections: silent })
  await sender.send()
  await sender[Symbol.asyncDispose]()
  for (let index = 0; index < payouts; index++) await createPayout(bench, { amount: 1 })
  bench.advance(HOUR_MS / 2) // Queries about the unknown payouts are due now.
  await bench.db.query(
    `insert into requeries (bank_code, reason, subject, identifier_kind, identifier, due_at,
                            repeat_until, created_at)
     select $1, 'demand', n, 'session_id', n, $2, $3, $2 from generate_series(1, $4::int) as n`,
    [BANK, bench.clock(), new Date(bench.clock().getTime() + HOUR_MS), questions],
  )
  const connections = connectionsWith(limits)
  const processes = await Promise.all(
    [1, 2].map(async () => {
      const { send, query, ...paying } = await payoutRounds(bench, { connections })
      const { askOnce, ask, close } = requeryRounds(bench, { connections })
      const end = () => Promise.all([paying[Symbol.asyncDispose](), close()])
      return { send, query, ask, askOnce, end }
    }),
  )
  type Process = (typeof processes)[number]
  return {
    bench,
    made,
    processes: processes as [Process, Process],
    countOf: (kind: CallKind) => made.filter((madeCall) => madeCall.kind === kind).length,
    async statuses(): Promise<Record<string, number>> {
      const { rows } = await bench.db.query<{ status: string; n: number }>(
        'select status, count(*)::int as n from payouts group by 1 order by 1',
      )
      return Object.fromEntries(rows.map(({ status, n }) => [status, n]))
    },
    // Fails if any second has more calls than this.
    assertRate(ratePerSecond: number): void {
      for (const { atMs } of made) {
        const isWithinSecond = (time: number) => time >= atMs && time < atMs + SECOND_MS
        const count = made.filter((madeCall) => isWithinSecond(madeCall.atMs)).length
        assert(count <= ratePerSecond, `${count} calls within a second`)
      }
    },
    async [Symbol.asyncDispose]() {
      for (const { end } of processes) await end()
      await bench[Symbol.asyncDispose]()
    },
  }
}
