// Raises and clears the alerts of reconciliation by the current daily proofs:
//   reconciliation_difference  the last day that a bank's statements cover is red
//   statement_missing          a day's statement has not come by the expected time of the next day
//   payout_contradicted        a line shows a payout as paid that failed or was cancelled; raised once
// Only for banks that have ever sent a statement, or are configured to.

import type { BankSettings } from '#config/bank-settings.ts'
import { EXPECTED_AT_DEFAULT } from '#config/statement-settings.ts'
import type { Transaction } from '#db/transaction.ts'
import { clearAlert, type NewAlert, raiseAlerts } from '#domain/records/alerts.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { CURRENCY, formatKobo, kobo } from '#money.ts'
import { watDay, watTime } from '#wat-time.ts'
import { type DailyProof, readDailyProofs, timingWindows } from './daily-proof.ts'
import { type BankAccount, dayBefore } from './reconciled-banks.ts'

// A day that has been missing for longer was reported long ago.
const DAYS_WATCHED = 31

type WatchedAccount = BankAccount & { fromDay: string | null; toDay: string | null }

export async function watchStatements(
  tx: Transaction,
  now: Date,
  banks: readonly BankSettings[],
): Promise<void> {
  const proofs = await readDailyProofs(tx, {
    fromDay: new Date(now.getTime() - DAYS_WATCHED * 86_400_000).toISOString().slice(0, 10),
    toDay: watDay(now),
    windows: timingWindows(banks),
    now,
  })
  const raised: NewAlert[] = []
  for (const account of await findWatched(tx, banks)) {
    const own = proofs.filter(
      ({ bankCode, currency }) => bankCode === account.bankCode && currency === account.currency,
    )
    const due = lastDue(
      now,
      banks.find(({ code }) => code === account.bankCode),
    )
    for (const alert of [redAlert(account, own), missingAlert(account, own, due)]) {
      const { detail } = alert
      if (detail) raised.push({ ...alert, detail })
      else await clearAlert(tx, now, alert)
    }
  }
  raised.push(...(await findContradicted(tx)))
  await appendEvents(tx, now, await raiseAlerts(tx, now, raised))
}

// Nothing clears this alert, so without the check on `alerts` it would be raised again after each
// acknowledgement.
async function findContradicted(tx: Transaction): Promise<NewAlert[]> {
  const { rows } = await tx.query<{ subject: string; status: string; bankCode: string }>({
    name: 'find-contradicted-payouts',
    text: `select 'payout/' || p.reference as subject, p.status, d.bank_code as "bankCode"
             from differences d join payouts p on p.id = d.payout_id
            where d.state in ('open', 'asked') and d.kind = 'payout_paid'
              and p.status in ('failed', 'cancelled')
              and not exists (select from alerts a
                               where a.kind = 'payout_contradicted'
                                 and a.subject = 'payout/' || p.reference
                                 and a.raised_at >= d.opened_at)
            order by d.id`,
  })
  return rows.map(({ subject, status, bankCode }) => {
    const detail = { status: 'confirmed', problem: 'on_statement', inBooks: status, bankCode }
    return { kind: 'payout_contradicted', subject, detail }
  })
}

async function findWatched(
  tx: Transaction,
  banks: readonly BankSettings[],
): Promise<WatchedAccount[]> {
  const { rows } = await tx.query<WatchedAccount>({
    name: 'find-reconciled-banks',
    text: `select bank_code as "bankCode", currency, from_day::text as "fromDay",
                  to_day::text as "toDay"
             from reconciled_banks where to_day is not null order by 1, 2`,
  })
  const codes = new Set(rows.map(({ bankCode }) => bankCode))
  const awaited = banks.filter(({ code, statements }) => statements && !codes.has(code))
  const none = { currency: CURRENCY, fromDay: null, toDay: null }
  return [...rows, ...awaited.map(({ code }) => ({ bankCode: code, ...none }))]
}

// The last day whose statement should be here.
function lastDue(now: Date, bank: BankSettings | undefined): string {
  const yesterday = dayBefore(watDay(now))
  const expectedAt = bank?.statements?.expectedAt ?? EXPECTED_AT_DEFAULT
  return watTime(now).slice(11, 16) >= expectedAt ? yesterday : dayBefore(yesterday)
}

type Alert = Omit<NewAlert, 'detail'> & { detail?: object | undefined }

const subjectOf = ({ bankCode, currency }: BankAccount) => `${bankCode} ${currency}`

// Differences count on all later days, so the last day is red if any is.
function redAlert(account: WatchedAccount, proofs: readonly DailyProof[]): Alert {
  const last = proofs.filter(({ status }) => status !== 'missing_statement').at(-1)
  const red = { kind: 'reconciliation_difference', subject: subjectOf(account) } as const
  if (last?.status !== 'differences') return red
  const difference = formatKobo(last.differenceKobo ?? kobo(0n))
  return { ...red, detail: { day: last.day, difference } }
}

function missingAlert(account: WatchedAccount, proofs: readonly DailyProof[], due: string): Alert {
  const missing = { kind: 'statement_missing', subject: subjectOf(account) } as const
  const days = proofs
    .filter(({ day, status }) => status === 'missing_statement' && day <= due)
    .filter(({ day }) => day >= (account.fromDay ?? due))
    .map(({ day }) => day)
  if (account.toDay === null) return { ...missing, detail: { day: due, lastDay: null } }
  return days.length === 0
    ? missing
    : { ...missing, detail: { day: days[0], lastDay: account.toDay } }
}
