// Creates available money, bank accounts and payouts, and runs the rounds of the payout workers.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { BankConnections } from '#banks/connector.ts'
import { connectBanks } from '#banks/connectors.ts'
import { nuban } from '#banks/nuban.ts'
import type { Monotonic } from '#clock.ts'
import { bankConfigurations } from '#config/bank-settings.ts'
import type { ClockCheck } from '#db/health.ts'
import { hostsOf } from '#db/hosts.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { queryPayouts } from '#payouts/query-workers.ts'
import type { OutcomeHooks } from '#payouts/settle.ts'
import { ANSWERS_NEEDED, OBSERVED_MS_NEEDED } from '#payouts/unknown.ts'
import { findSendingConnections, sendPayoutsRound } from '#payouts/workers.ts'
import { withSandboxBank } from '#sandbox/bank.ts'
import { Sealer } from '#seal.ts'
import { PAYOUT_HOOKS } from '#wiring.ts'
import { patientBatchPool } from './database.ts'
import { createAccount, SIMULATE } from './fixtures.ts'
import type { Bench } from './running-service.ts'

export const PAYOUTS = '/api/v1/payouts'
export const BANK_ACCOUNTS = '/api/v1/bank-accounts'
export const OPERATOR_PAYOUTS = '/api/v1/operator/payouts'

// The first five digits of account numbers at which the sandbox's bank behaves in a special way
// (docs/payouts.md). At any other number it confirms the name and pays at once.
export const SANDBOX_PREFIXES = {
  unknownAccount: '99901',
  otherCustomer: '99902', // The account has another customer's name.
  silentAboutNames: '99903', // The bank does not answer name enquiries.
  refusesPayouts: '99904',
  paysSlowly: '99905', // It pays after ten seconds.
  neverAnswers: '99906', // It neither pays nor answers.
  losesAnswer: '99907', // It pays, and its answer is lost.
} as const

let serials = 0

// A new account number at GTBank. The prefix, one of SANDBOX_PREFIXES, chooses how the sandbox's bank reacts.
export function bankAccountNumber(prefix = '00100'): string {
  return nuban('058', Number(`${prefix}${String(++serials).padStart(4, '0')}`))
}

// The rounds of the payout workers, run on demand: `send` sends all queued payouts, `query` asks the banks
// about unknown ones.
export async function payoutRounds(
  bench: Bench,
  {
    hooks = PAYOUT_HOOKS,
    connections,
    isClockRight = async () => true,
    monotonic = () => bench.clock().getTime(),
  }: {
    hooks?: OutcomeHooks
    connections?: BankConnections
    isClockRight?: ClockCheck
    monotonic?: Monotonic
  } = {},
) {
  const { config, clock, database } = bench
  const { connectionString } = database
  const batchPool = patientBatchPool(connectionString, 2)
  const connected = connectBanks(bankConfigurations(config))
  const sealer = new Sealer(config.secrets.data, config.secrets.hash)
  const sandbox = { db: bench.db, sealer, clock, banks: config.banks }
  const bankConnections = connections ?? withSandboxBank(sandbox, connected)
  const deps = {
    batchPool,
    sealer,
    sharedAccounts: new SharedAccounts(bench.db, { clock, hosts: hostsOf(connectionString) }),
    payoutHooks: hooks,
    bankConnections,
    clock,
    monotonic,
    observer: randomUUID(), // Each call of payoutRounds counts as another process.
    isClockRight,
  }
  const { signal } = new AbortController()
  return {
    ...deps,
    async send(): Promise<void> {
      for (const banks of findSendingConnections(bankConnections)) {
        const round = sendPayoutsRound(deps, banks)
        while ((await round(signal)).more);
      }
    },
    query: async () => void (await queryPayouts(deps)),
    [Symbol.asyncDispose]: () => batchPool.end(),
  }
}

// Queries as often, and over as long a time, as it takes until a payout that the bank does not know counts as
// failed.
export async function askUntilAbsent(
  bench: Pick<Bench, 'advance'>,
  { query }: { query: () => Promise<void> },
): Promise<void> {
  for (let queries = 0; queries < ANSWERS_NEEDED; queries++) {
    bench.advance(OBSERVED_MS_NEEDED)
    await query()
  }
}

// Makes the database look like one on a server to which it was moved, and which no process has noticed: a
// promoted standby or, with a cluster, a copy. `isSynchronous`: commits waited for a standby before.
export async function moveDatabase(
  db: Bench['db'],
  { isSynchronous = false, cluster }: { isSynchronous?: boolean; cluster?: string } = {},
): Promise<void> {
  await db.query(
    `insert into known_database (identity, is_synchronous, noted_at)
     select coalesce($2, split_part(current_database_identity(), '/', 1)) || '/00000000', $1, now()
     on conflict (is_only) do update set identity = excluded.identity, is_synchronous = $1`,
    [isSynchronous, cluster ?? null],
  )
}

type Caller = { token?: string | undefined }

// Makes an amount available to the client: a payer sends it to a new collection account.
export async function fund(bench: Bench, amount: string, { token }: Caller = {}): Promise<void> {
  const by = token === undefined ? {} : { token }
  const { accountNumber } = await createAccount(bench, {}, by)
  const body = { virtualAccountNumber: accountNumber, amount }
  const answer = await bench.call({ url: SIMULATE, body, ...by })
  assert.equal(answer.statusCode, 200, answer.body)
}

// Adds a bank account of the client. `prefix` begins its number (bankAccountNumber).
export async function addBankAccount(
  bench: Pick<Bench, 'call'>,
  changes: { prefix?: string; token?: string; accountName?: string } = {},
) {
  const { prefix, token, accountName = 'Ada Obi' } = changes
  const body = { bankCode: '058', accountNumber: bankAccountNumber(prefix), accountName }
  const answer = await bench.call({
    url: BANK_ACCOUNTS,
    body,
    ...(token === undefined ? {} : { token }),
  })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

// Makes a bank account the client's default.
export async function makeDefault(by: Pick<Bench, 'call'>, reference: string): Promise<void> {
  const url = `${BANK_ACCOUNTS}/${reference}`
  const answer = await by.call({ method: 'PATCH', url, body: { isDefault: true } })
  assert.equal(answer.statusCode, 200, answer.body)
}

export const payoutBody = (fields: object = {}) => ({
  amount: '1000',
  narration: 'Weekly payout',
  ...fields,
})

// Requests a payout, which must succeed; returns it.
export async function createPayout(
  bench: Pick<Bench, 'call'>,
  fields: object = {},
  { token }: Caller = {},
) {
  const by = token === undefined ? {} : { token }
  const answer = await bench.call({ url: PAYOUTS, body: payoutBody(fields), ...by })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

export async function getPayout(bench: Pick<Bench, 'call'>, reference: string) {
  const answer = await bench.call({ url: `${PAYOUTS}/${reference}` })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

// The balances of all ledger accounts except those with zero, in kobo, by "kind owner".
export async function ledger({ db }: Pick<Bench, 'db'>): Promise<Record<string, number>> {
  const { rows } = await db.query<{ name: string; kobo: string }>(
    `select case when kind = 'collection' then kind else kind || ' ' || owner end as name,
            sum(credits_kobo - debits_kobo)::text as kobo
       from ledger_accounts group by 1 having sum(credits_kobo - debits_kobo) <> 0 order by 1`,
  )
  return Object.fromEntries(rows.map(({ name, kobo }) => [name, Number(kobo)]))
}
