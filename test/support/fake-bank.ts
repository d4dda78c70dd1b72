// Starts simulated banks (fake-bank/) and services that use one, over real HTTP on loopback ports. Service
// and bank share the test's clock.

import assert from 'node:assert/strict'
import type { BankCalls } from '#banks/connector.ts'
import { connectBank } from '#banks/connectors.ts'
import { kobo } from '#money.ts'
import { DIALECTS } from '../../fake-bank/dialects.ts'
import { type FakeBank, type FakeBankOptions, startFakeBank } from '../../fake-bank/fake-bank.ts'
import { startWithBanks } from './bank-calls.ts'
import { requeryRounds } from './requery-bench.ts'
import { type Bench, START } from './running-service.ts'

export const NOBODY = 'http://127.0.0.1:0' // Nothing can listen there.

export const BANK_CODE = '101'

// The names of the connectors that implement this call, for example all that can send payouts.
export async function connectorsThat(call: keyof BankCalls): Promise<string[]> {
  const names = DIALECTS.map(async ({ connector }) => {
    await using bank = await startLoneBank({ connector })
    return callsOf(bank)[call] ? [connector] : []
  })
  return (await Promise.all(names)).flat()
}

type BankOptions = Pick<FakeBankOptions, 'connector'> & Partial<FakeBankOptions>

// Starts a simulated bank without a service; its clock stands at the start of the test's time. When the
// bank is disposed, asserts that neither it nor its caller has violated the provider's contract.
export async function startLoneBank(changes: BankOptions): Promise<FakeBank> {
  const options = { bankCode: BANK_CODE, notify: NOBODY, clock: () => START, ...changes }
  const bank = await startFakeBank(options)
  return {
    ...bank,
    async [Symbol.asyncDispose]() {
      await bank[Symbol.asyncDispose]()
      assert.deepEqual(
        [...new Set(bank.violations)],
        [],
        `${changes.connector}: against the contract`,
      )
    },
  }
}

// Starts a service whose only connected bank is a simulated one.
export async function startWithFakeBank(changes: BankOptions) {
  let bench: Bench | undefined
  const clock = () => bench?.clock() ?? START
  const bank = await startLoneBank({ clock, ...changes })
  const { entry, others, env } = bank.banksFile
  bench = await startWithBanks([{ ...entry, railSecrets: undefined }, ...others], env)
  bank.notifyAt(await bench.service.app.listen({ host: '127.0.0.1', port: 0 }))
  const requery = requeryRounds(bench, { bankCode: bank.bank.bankCode })
  return {
    bench,
    bank,
    calls: callsOf(bank),
    requery,
    // The bank sends its due notifications. If its notifications are only hints, the service then queries the
    // bank for the credits.
    async deliver() {
      await bank.sendDue()
      if (requery.connection.hintsOnly) await requery.ask()
    },
    async [Symbol.asyncDispose]() {
      await requery.close()
      try {
        await bank[Symbol.asyncDispose]()
      } finally {
        await bench?.[Symbol.asyncDispose]()
      }
    },
  }
}

// The connector's calls to this bank; `settings` replace those of the bank's entry.
export function callsOf(bank: FakeBank, settings: Record<string, unknown> = {}): BankCalls {
  const { entry, env } = bank.banksFile
  const secrets = Object.entries(entry.secrets).map(([name, variable]) => [name, env[variable]])
  const connection = connectBank(
    {
      ...entry,
      mode: 'sandbox',
      settings: { ...entry.settings, ...settings },
      secrets: Object.fromEntries(secrets),
    },
    (problem) => assert.fail(problem),
  )
  assert(connection)
  return connection.calls
}

export const naira = (amount: number) => kobo(BigInt(amount) * 100n)

// Calls the simulated bank's control API, for example to make it fail; GET without a body, else POST.
export async function control(bank: FakeBank, path: string, body?: unknown) {
  const response = await fetch(`${bank.url}/control/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' } }),
    body: body === undefined ? null : JSON.stringify(body),
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

// The money that the operator has at its banks according to the ledger, in kobo.
export async function bankLedgerKobo({ db }: Pick<Bench, 'db'>): Promise<bigint> {
  const { rows } = await db.query<{ kobo: string }>(
    `select coalesce(sum(debits_kobo - credits_kobo), 0)::text as kobo
       from ledger_accounts where kind = 'bank'`,
  )
  return BigInt(rows[0]?.kobo ?? 0)
}
