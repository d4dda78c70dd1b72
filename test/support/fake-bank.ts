// A service and its simulated bank, over real HTTP on loopback ports, both on the test's clock.

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

// The connectors whose banks support this call.
export async function connectorsThat(call: keyof BankCalls): Promise<string[]> {
  const able = DIALECTS.map(async ({ connector }) => {
    await using bank = await startLoneBank({ connector })
    return callsOf(bank)[call] ? [connector] : []
  })
  return (await Promise.all(able)).flat()
}

type Given = Pick<FakeBankOptions, 'connector'> & Partial<FakeBankOptions>

// A bank without a service, at the start of the test's time. On close, checks that neither side has
// violated the provider's contract.
export async function startLoneBank(changes: Given): Promise<FakeBank> {
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

export async function startWithFakeBank(changes: Given) {
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
    // Reports what is due. Where a report is only a hint, the bank is then asked.
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

// Manilla's calls to this bank, with changed settings.
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

export async function control(bank: FakeBank, path: string, body?: unknown) {
  const response = await fetch(`${bank.url}/control/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' } }),
    body: body === undefined ? null : JSON.stringify(body),
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

// Manilla's balance at its banks by the ledger, in kobo.
export async function bankLedgerKobo({ db }: Pick<Bench, 'db'>): Promise<bigint> {
  const { rows } = await db.query<{ kobo: string }>(
    `select coalesce(sum(debits_kobo - credits_kobo), 0)::text as kobo
       from ledger_accounts where kind = 'bank'`,
  )
  return BigInt(rows[0]?.kobo ?? 0)
}
