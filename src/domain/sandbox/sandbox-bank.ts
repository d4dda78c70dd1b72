// The sandbox's bank, for banks without a connection: it confirms names and pays at once. The first five
// digits of the account number simulate everything else (docs/payouts.md):
//
//   99901   nobody's account                   99904   refuses to pay
//   99902   somebody else's                    99905   pays after ten seconds
//   99903   does not answer who owns it        99906   neither pays nor answers, ever
//                                              99907   pays, and the answer is lost
//
// The client's own choices for its next payouts come first (payout-outcomes.ts). The bank lists
// unreported transfers only when queried (sandbox-requery.ts).
//
// Its books are in the database: they survive a crash of our processes like a real bank's, and a
// reference is paid once.

import type { BankCalls, BankConnections, NameAnswer, PayoutAnswer } from '#banks/connector.ts'
import type { Clock } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { Queryable } from '#db/pool.ts'
import { hashAccount } from '#domain/payouts/bank-accounts.ts'
import type { Sealer } from '#seal.ts'
import { choosePayoutOutcome, type PayoutOutcome } from './payout-outcomes.ts'
import { sandboxRequeryCalls } from './sandbox-requery.ts'

const PREFIX_DIGITS = 5
const DELAY_MS = 10_000
const OTHER_NAME = 'ANOTHER CUSTOMER'

const NAMES: Readonly<Record<string, NameAnswer>> = {
  '99901': { status: 'not_found' },
  '99902': { status: 'found', accountName: OTHER_NAME },
  '99903': { status: 'no_answer', reason: 'The sandbox bank does not answer.' },
}

const OUTCOMES: Readonly<Record<string, PayoutOutcome>> = {
  '99904': 'failed',
  '99905': 'slow',
  '99906': 'never',
  '99907': 'answer_lost',
}

type Entry = {
  bankReference: string
  status: 'confirmed' | 'failed' | 'silent'
  reason: string | null
  dueAt: Date
}

type Bank = { db: Queryable; sealer: Sealer; clock: Clock }
type Wiring = Bank & { banks: readonly BankSettings[] }

// Leaves banks with their own settings unchanged.
export function withSandboxBank(
  { banks, ...bank }: Wiring,
  connections: BankConnections,
): BankConnections {
  const own = banks.filter(({ connector, settings }) => !connector && !settings)
  const codes = new Set(own.map(({ code }) => code))
  const common = sandboxBankCalls(bank) // Shared by all of them.
  return new Map(
    [...connections].map(([code, connection]) => {
      if (!codes.has(code)) return [code, connection]
      const calls = { ...connection.calls, ...common, ...sandboxRequeryCalls(bank.db, code) }
      const limits = { ...connection.limits, ratePerSecond: Infinity } // Our own database.
      return [code, { ...connection, calls, limits }]
    }),
  )
}

function sandboxBankCalls({ db, sealer, clock }: Bank): BankCalls {
  return {
    enquireName: async ({ accountNumber, expectedName }) =>
      NAMES[accountNumber.slice(0, PREFIX_DIGITS)] ?? {
        status: 'found',
        accountName: (expectedName ?? 'Sandbox Customer').toUpperCase(),
      },
    async sendMoney({ reference, to }) {
      const accountHash = hashAccount(sealer, to.accountNumber)
      const outcome =
        (await choosePayoutOutcome(db, { reference, accountHash })) ??
        OUTCOMES[to.accountNumber.slice(0, PREFIX_DIGITS)] ??
        'ok'
      const entry = await enter(db, { reference, outcome, now: clock() })
      if (outcome === 'answer_lost') return { status: 'unknown', reason: 'The answer was lost.' }
      return answerOf(entry, clock())
    },
    async findPayout(reference) {
      const entry = await findEntry(db, reference)
      return entry ? answerOf(entry, clock()) : { status: 'not_found' }
    },
  }
}

function answerOf({ status, bankReference, reason, dueAt }: Entry, now: Date): PayoutAnswer {
  if (status === 'silent') return { status: 'unknown', reason: 'The sandbox bank is silent.' }
  if (status === 'failed') return { status, reason: reason as string }
  if (dueAt > now) {
    return { status: 'unknown', reason: 'The payout is pending.', isAccepted: true }
  }
  return { status, bankReference }
}

const STATUSES = { failed: 'failed', never: 'silent' } as const

type NewEntry = { reference: string; outcome: PayoutOutcome; now: Date }

async function enter(db: Queryable, { reference, outcome, now }: NewEntry): Promise<Entry> {
  const dueAt = new Date(now.getTime() + (outcome === 'slow' ? DELAY_MS : 0))
  const status = outcome in STATUSES ? STATUSES[outcome as keyof typeof STATUSES] : 'confirmed'
  const reason = status === 'failed' ? 'The account is closed.' : null
  await db.query({
    name: 'enter-sandbox-payout',
    text: `insert into sandbox_payouts (reference, bank_reference, status, reason, due_at)
           values ($1, $2, $3, $4, $5) on conflict do nothing`,
    values: [reference, `SANDBOX-${reference}`, status, reason, dueAt],
  })
  return (await findEntry(db, reference)) as Entry
}

async function findEntry(db: Queryable, reference: string): Promise<Entry | undefined> {
  const { rows } = await db.query<Entry>({
    name: 'find-sandbox-payout',
    text: `select bank_reference as "bankReference", status, reason, due_at as "dueAt"
             from sandbox_payouts where reference = $1`,
    values: [reference],
  })
  return rows[0]
}
