// The sandbox bank, for banks without a connection: it confirms names and pays at once. The first five
// digits of an account number select another behaviour (docs/payouts.md):
//
//   99901   the account does not exist         99904   refuses to pay
//   99902   another customer's account         99905   pays after ten seconds
//   99903   does not answer name enquiries     99906   neither pays nor answers, ever
//                                              99907   pays, and the answer is lost
//
// A client's own choices for its next payouts take precedence (sandbox_payout_outcomes). The bank lists
// transfers that it has not reported only when it is queried.
//
// The books of the sandbox bank are in the database: they survive a crash of our processes like a real
// bank's, and a reference is paid once.

import type {
  BankCalls,
  BankConnections,
  NameAnswer,
  PayoutAnswer,
  TransferListQuery,
} from '#banks/connector.ts'
import type { ParsedItem } from '#banks/notifications.ts'
import type { Clock } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import { hashAccount } from '#payouts/bank-accounts.ts'
import type { Sealer } from '#seal.ts'
import { creditOf, type DueReport, REPORT_COLUMNS } from './transfers.ts'

// The most transfers in one answer of the sandbox bank.
const PAGE = 200

// Answers transfer queries with the transfers that the sandbox bank did not report at once. So the service
// finds a lost transfer as at any bank: on demand, when the payer says that the money was sent, before the
// payment expires, or by a sweep.
function sandboxRequeryCalls(
  db: Queryable,
  bankCode: string,
): Pick<BankCalls, 'findTransfer' | 'listTransfers'> {
  return {
    async findTransfer({ value }) {
      const { rows } = await db.query<DueReport>({
        name: 'find-sandbox-transfer',
        text: `select ${REPORT_COLUMNS} from sandbox_reports
                where session_id = $1 and bank_code = $2 and step = 'credit'`,
        values: [value, bankCode],
      })
      return rows[0] ? { status: 'found', items: rows.map(itemOf) } : { status: 'not_found' }
    },
    async listTransfers(query) {
      const rows = await listSandboxTransfers(db, bankCode, query)
      const last = rows.length === PAGE ? rows.at(-1) : undefined
      return { status: 'listed', items: rows.map(itemOf), nextCursor: last?.id.toString() ?? null }
    },
  }
}

// Reads a page of the transfers that the sandbox bank made in a period, reported or not.
async function listSandboxTransfers(
  db: Queryable,
  bankCode: string,
  { accountNumber, from, to, cursor }: TransferListQuery,
): Promise<DueReport[]> {
  const { rows } = await db.query<DueReport>(
    listQuery({
      select: `select ${REPORT_COLUMNS} from sandbox_reports`,
      where: [
        ['bank_code = $', bankCode],
        `step = 'credit'`,
        ['made_at between $ and $', from, to],
        ['account_number = $', accountNumber],
      ],
      id: 'id',
      order: 'oldest',
      after: cursor,
      limit: PAGE,
    }),
  )
  return rows
}

// Returns a transfer in the form in which connectors return the answers of real banks.
function itemOf(report: DueReport): ParsedItem {
  return { ok: true, credit: creditOf(report) }
}

// The outcomes that a client chooses for its next payouts: for each payout in turn, or for every payout to
// one account.
//
//   ok           pays at once           never        neither pays nor answers
//   failed       refuses                answer_lost  pays, but the answer is lost, as in a crash
//   slow         pays after ten seconds

export const PAYOUT_OUTCOMES = ['ok', 'failed', 'slow', 'never', 'answer_lost'] as const
export type PayoutOutcome = (typeof PAYOUT_OUTCOMES)[number]

type ChosenOutcome = {
  clientId: ClientId
  outcome: PayoutOutcome
  accountHash: Buffer | null // null if the choice applies to the next payout to any account.
  times: number
}

// Stores the client's choice for its next `times` payouts. Replaces unused choices for the same account, or
// for all accounts. The lock keeps two concurrent choices from both being stored.
export async function setPayoutOutcome(
  tx: Transaction,
  now: Date,
  { clientId, outcome, accountHash, times }: ChosenOutcome,
): Promise<void> {
  await tx.query({
    name: 'lock-payout-outcomes',
    text: `select pg_advisory_xact_lock(hashtext('sandbox_payout_outcomes'), hashtext($1))`,
    values: [clientId.toString()],
  })
  await tx.query({
    name: 'drop-payout-outcomes',
    text: `delete from sandbox_payout_outcomes
            where client_id = $1 and payout_reference is null
              and account_hash is not distinct from $2`,
    values: [clientId, accountHash],
  })
  await tx.query({
    name: 'set-payout-outcome',
    text: `insert into sandbox_payout_outcomes (client_id, outcome, account_hash, created_at)
           select $1, $2, $3, $4 from generate_series(1, $5::int)`,
    values: [clientId, outcome, accountHash, now, times],
  })
}

// Uses up a choice for this payout. A choice for the payout's account comes before a choice for all. Uses no
// choice for a payout that the bank has already entered, which gets its first answer again. Runs as one SQL
// statement, so that two concurrent payouts never use the same choice.
async function choosePayoutOutcome(
  db: Queryable,
  { reference, accountHash }: { reference: string; accountHash: Buffer },
): Promise<PayoutOutcome | undefined> {
  const { rows } = await db.query<{ outcome: PayoutOutcome }>({
    name: 'choose-payout-outcome',
    text: `with chosen as materialized (
             select o.id
               from payouts p
               join sandbox_payout_outcomes o on o.client_id = p.client_id
              where p.reference = $1 and o.payout_reference is null
                and (o.account_hash is null or o.account_hash = $2)
                and not exists (select from sandbox_payouts where reference = $1)
              order by o.account_hash is null, o.id
              limit 1
                for no key update of o skip locked)
           update sandbox_payout_outcomes o set payout_reference = $1
             from chosen where o.id = chosen.id
           returning o.outcome`,
    values: [reference, accountHash],
  })
  return rows[0]?.outcome
}

const PREFIX_DIGITS = 5
const DELAY_MS = 10_000
const OTHER_NAME = 'ANOTHER CUSTOMER'

// The answer to a name enquiry, by the first digits of the account number.
const NAMES: Readonly<Record<string, NameAnswer>> = {
  '99901': { status: 'not_found' },
  '99902': { status: 'found', accountName: OTHER_NAME },
  '99903': { status: 'no_answer', reason: 'The sandbox bank does not answer.' },
}

// The outcome of a payout, by the first digits of the account number.
const OUTCOMES: Readonly<Record<string, PayoutOutcome>> = {
  '99904': 'failed',
  '99905': 'slow',
  '99906': 'never',
  '99907': 'answer_lost',
}

// A payout in the books of the sandbox bank.
type Entry = {
  bankReference: string
  status: 'confirmed' | 'failed' | 'silent'
  reason: string | null
  dueAt: Date
}

type Bank = { db: Queryable; sealer: Sealer; clock: Clock }

// Replaces the calls of all banks that have neither a connector nor settings by calls to the sandbox bank.
export function withSandboxBank(
  { banks, ...bank }: Bank & { banks: readonly BankSettings[] },
  connections: BankConnections,
): BankConnections {
  const simulated = banks.filter(({ connector, settings }) => !connector && !settings)
  const codes = new Set(simulated.map(({ code }) => code))
  const sharedCalls = sandboxBankCalls(bank) // All sandbox banks share these calls.
  return new Map(
    [...connections].map(([code, connection]) => {
      if (!codes.has(code)) return [code, connection]
      const calls = { ...connection.calls, ...sharedCalls, ...sandboxRequeryCalls(bank.db, code) }
      const limits = { ...connection.limits, ratePerSecond: Infinity } // Calls go to our own database.
      return [code, { ...connection, calls, limits }]
    }),
  )
}

// Returns the calls of the sandbox bank for name enquiries and payouts. Account numbers with a special
// beginning select the behaviour in the table at the top of this file.
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
      const entry = await enterPayout(db, { reference, outcome, now: clock() })
      if (outcome === 'answer_lost') return { status: 'unknown', reason: 'The answer was lost.' }
      return answerOf(entry, clock())
    },
    async findPayout(reference) {
      const entry = await findEntry(db, reference)
      return entry ? answerOf(entry, clock()) : { status: 'not_found' }
    },
  }
}

// Returns what the bank answers about a payout now: a slow payout is pending until `dueAt`.
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

// Enters a payout into the bank's books. A reference that is entered already keeps its first entry, so that
// it is paid once.
async function enterPayout(db: Queryable, { reference, outcome, now }: NewEntry): Promise<Entry> {
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

// Returns a payout in the bank's books.
async function findEntry(db: Queryable, reference: string): Promise<Entry | undefined> {
  const { rows } = await db.query<Entry>({
    name: 'find-sandbox-payout',
    text: `select bank_reference, status, reason, due_at
             from sandbox_payouts where reference = $1`,
    values: [reference],
  })
  return rows[0]
}
