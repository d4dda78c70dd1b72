// A bank that reports nothing for longer than usual: an alert, and one list of all its transfers
// since it was last heard. The alert is cleared when it reports again.
//
// Longer than usual: ten times the gap that 99 of 100 of its notifications of the last day stayed
// under, and at least ten minutes, while money is to be expected: another bank reported meanwhile,
// or a payment waits at a number of this one.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { clearAlert, raiseAlerts } from '#domain/records/alerts.ts'
import { lockBank } from '#domain/records/call-rates.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { timestamp } from '#wat-time.ts'
import { readMeasures } from './bank-measures.ts'
import { CLOCK_MARGIN_MS, later, putQuestion } from './questions.ts'

const SILENCE_MIN_SECONDS = 600
const GAPS_MIN = 20 // Of fewer, nothing is usual.
const TIMES_USUAL = 10

type BankRow = { bankCode: string; lastHeardAt: Date; silentSince: Date | null }

// From when on silence is longer than usual. Undefined: nothing is usual yet.
export function silenceLimitMs(gaps: { count: number; p99: number } | undefined) {
  if (!gaps || gaps.count < GAPS_MIN) return undefined
  return Math.max(TIMES_USUAL * gaps.p99, SILENCE_MIN_SECONDS) * 1_000
}

export async function findTurns(
  db: Queryable,
  now: Date,
  banks: readonly string[],
): Promise<{ bank: BankRow; isSilent: boolean }[]> {
  const heard = await readHeard(db, banks)
  const measures = await readMeasures(db, now)
  const turns: { bank: BankRow; isSilent: boolean }[] = []
  for (const bank of heard) {
    const { bankCode, lastHeardAt, silentSince } = bank
    if (silentSince) {
      if (lastHeardAt >= silentSince) turns.push({ bank, isSilent: false })
      continue
    }
    const limitMs = silenceLimitMs(measures.get(bankCode)?.gap)
    if (limitMs === undefined || now.getTime() - lastHeardAt.getTime() <= limitMs) continue
    const others = heard.filter((other) => other !== bank)
    const isTraffic = others.some((other) => other.lastHeardAt > later(lastHeardAt, limitMs))
    if (isTraffic || (await hasOpenPayment(db, now, bank))) turns.push({ bank, isSilent: true })
  }
  return turns
}

async function readHeard(db: Queryable, banks: readonly string[]): Promise<BankRow[]> {
  const { rows } = await db.query<BankRow>({
    name: 'read-banks-heard',
    text: `select bank_code as "bankCode", last_heard_at as "lastHeardAt",
                  silent_since as "silentSince"
             from bank_health
            where bank_code = any($1::text[]) and last_heard_at is not null
            order by bank_code`,
    values: [banks],
  })
  return rows
}

// One that got its number since the bank was last heard.
async function hasOpenPayment(
  db: Queryable,
  now: Date,
  { bankCode, lastHeardAt }: BankRow,
): Promise<boolean> {
  const { rows } = await db.query<{ waits: boolean }>({
    name: 'has-payment-waiting-at-bank',
    text: `select exists (
             select from payments p
              where p.status in ('Processing', 'PartPayment') and p.closes_at > $2
                and exists (select from payment_numbers n
                             where n.payment_id = p.id and n.bank_code = $1
                               and n.issued_at > $3)) as waits`,
    values: [bankCode, now, lastHeardAt],
  })
  return rows[0]?.waits === true
}

type Turn = { bank: BankRow; isSilent: boolean; canList: boolean }

// Once, however many processes see it: the second finds the row turned already.
export async function recordTurn(tx: Transaction, now: Date, turn: Turn): Promise<void> {
  const { bankCode, lastHeardAt } = turn.bank
  await lockBank(tx, bankCode)
  const { rowCount } = await tx.query({
    name: 'turn-bank-silence',
    text: `update bank_health set silent_since = case when $2 then $3::timestamptz end
            where bank_code = $1 and (silent_since is null) = $2 and last_heard_at = $4`,
    values: [bankCode, turn.isSilent, now, lastHeardAt],
  })
  if (rowCount === 0) return
  const alert = { kind: 'bank_silent', subject: bankCode } as const
  if (!turn.isSilent) return clearAlert(tx, now, alert)
  if (turn.canList) {
    await putQuestion(tx, now, {
      bankCode,
      reason: 'silence',
      subject: `silence/${lastHeardAt.toISOString()}`,
      identifier: null,
      accountNumber: null,
      fromAt: later(lastHeardAt, -CLOCK_MARGIN_MS),
      clientId: null,
      paymentId: null,
      collectionAccountId: null,
      dueAt: now,
      repeatUntil: null,
    })
  }
  const detail = { lastHeardAt: timestamp(lastHeardAt) }
  await appendEvents(tx, now, await raiseAlerts(tx, now, [{ ...alert, detail }]))
}
