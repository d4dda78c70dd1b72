// Reports that the sandbox bank delays or never sends: late and lost transfers, and later reversals. They
// are in the database, so they survive our processes.

import { sandboxCredit } from '#banks/sandbox-credits.ts'
import type { Due } from '#client-time.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { livesIn } from '#domain/records/test-clocks.ts'
import type { ClientId, ReportId } from '#ids.ts'
import type { Kobo } from '#money.ts'

type NewReport = {
  clientId: ClientId
  bankCode: string
  accountNumber: string
  sessionId: string
  originalSessionId: string | null // The reversed credit. Null: a credit.
  amountKobo: Kobo
  narration: string
  madeAt: Date
  dueAt: Date | null // Null: lost.
}

export type DueReport = Omit<NewReport, 'dueAt'> & { id: ReportId }

const REPORTS_MAX = 100 // Per round.
export const REPORT_COLUMNS = `
  id, client_id as "clientId", bank_code as "bankCode", account_number as "accountNumber",
  session_id as "sessionId", original_session_id as "originalSessionId",
  amount_kobo as "amountKobo", narration, made_at as "madeAt"`

// Idempotent per session.
export async function scheduleReport(db: Queryable, report: NewReport): Promise<void> {
  await db.query({
    name: 'schedule-sandbox-report',
    text: `insert into sandbox_reports
             (client_id, step, bank_code, account_number, session_id, original_session_id,
              amount_kobo, narration, made_at, due_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
           on conflict (session_id) do nothing`,
    values: [
      report.clientId,
      report.originalSessionId === null ? 'credit' : 'reversal',
      report.bankCode,
      report.accountNumber,
      report.sessionId,
      report.originalSessionId,
      report.amountKobo,
      report.narration,
      report.madeAt,
      report.dueAt,
    ],
  })
}

// In the order of their due times.
export async function findDueReports(db: Queryable, { now, only }: Due): Promise<ReportId[]> {
  const { rows } = await db.query<{ id: ReportId }>({
    name: 'find-due-sandbox-reports',
    text: `select id from sandbox_reports
            where reported_at is null and due_at <= $1 and ${livesIn('client_id', '$2')}
            order by due_at, id limit ${REPORTS_MAX}`,
    values: [now, only ?? null],
  })
  return rows.map(({ id }) => id)
}

// Undefined: another worker reports it, or it is reported. Locked before everything that its report
// locks.
export async function lockReport(tx: Transaction, id: ReportId): Promise<DueReport | undefined> {
  const { rows } = await tx.query<DueReport>({
    name: 'lock-sandbox-report',
    text: `select ${REPORT_COLUMNS} from sandbox_reports
            where id = $1 and reported_at is null
              for no key update skip locked`,
    values: [id],
  })
  return rows[0]
}

export async function markReported(
  tx: Transaction,
  now: Date,
  { id, outcome }: { id: ReportId; outcome: string },
): Promise<void> {
  await tx.query({
    name: 'mark-sandbox-report',
    text: 'update sandbox_reports set reported_at = $2, outcome = $3 where id = $1',
    values: [id, now, outcome],
  })
}

// The credit as the bank reports it, both on its own and in answer to a query.
export function creditOf(report: DueReport) {
  const { bankCode, accountNumber, amountKobo, sessionId, narration, madeAt } = report
  const to = { bankCode, accountNumber, amountKobo, source: 'sandbox' } as const
  return sandboxCredit(to, madeAt, { narration, sessionId })
}
