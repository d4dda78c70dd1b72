// The sandbox's bank, for banks that are connected to none: it confirms names and pays at once. The
// first five digits of the account number rehearse everything else (docs/payouts.md):
//
//   99901   nobody's account                   99904   refuses to pay
//   99902   somebody else's                    99905   pays after ten seconds
//   99903   does not answer who owns it        99906   neither pays nor answers, ever
//                                              99907   pays, and the answer is lost
//
// Its books are in the database, as a bank's are outside our processes: whatever of ours dies, it
// knows what it was told, and a reference is paid once.

import type { BankCalls, BankConnections, NameAnswer, PayoutAnswer } from '#banks/connector.ts'
import type { Clock } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { Queryable } from '#db/pool.ts'

const PREFIX_DIGITS = 5
const DELAY_MS = 10_000
const OTHER_NAME = 'ANOTHER CUSTOMER'

const NAMES: Readonly<Record<string, NameAnswer>> = {
  '99901': { status: 'not_found' },
  '99902': { status: 'found', accountName: OTHER_NAME },
  '99903': { status: 'no_answer', reason: 'The sandbox bank does not answer.' },
}

type Behaviour = 'pay' | 'reject' | 'delay' | 'silent' | 'drop_answer'

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  '99904': 'reject',
  '99905': 'delay',
  '99906': 'silent',
  '99907': 'drop_answer',
}

type Entry = {
  bankReference: string
  status: 'confirmed' | 'failed' | 'silent'
  reason: string | null
  dueAt: Date
}

type Wiring = { db: Queryable; clock: Clock; banks: readonly BankSettings[] }

// Banks with settings of their own are left as they are.
export function withSandboxBank(
  { db, clock, banks }: Wiring,
  connections: BankConnections,
): BankConnections {
  const own = banks.filter(({ connector, settings }) => !connector && !settings)
  const codes = new Set(own.map(({ code }) => code))
  const calls = sandboxBankCalls(db, clock)
  return new Map(
    [...connections].map(([code, connection]) => [
      code,
      codes.has(code) ? { ...connection, calls: { ...connection.calls, ...calls } } : connection,
    ]),
  )
}

function sandboxBankCalls(db: Queryable, clock: Clock): BankCalls {
  return {
    enquireName: async ({ accountNumber, expectedName }) =>
      NAMES[accountNumber.slice(0, PREFIX_DIGITS)] ?? {
        status: 'found',
        accountName: (expectedName ?? 'Sandbox Customer').toUpperCase(),
      },
    async sendMoney({ reference, to }) {
      const behaviour = BEHAVIOURS[to.accountNumber.slice(0, PREFIX_DIGITS)] ?? 'pay'
      const entry = await enter(db, { reference, behaviour, now: clock() })
      if (behaviour === 'drop_answer') return { status: 'unknown', reason: 'The answer was lost.' }
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
  if (dueAt > now) return { status: 'unknown', reason: 'The payout is pending.' }
  return { status, bankReference }
}

type NewEntry = { reference: string; behaviour: Behaviour; now: Date }

async function enter(db: Queryable, { reference, behaviour, now }: NewEntry): Promise<Entry> {
  const dueAt = new Date(now.getTime() + (behaviour === 'delay' ? DELAY_MS : 0))
  const status = { reject: 'failed', silent: 'silent' }[behaviour as string] ?? 'confirmed'
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
