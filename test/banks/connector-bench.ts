// Starts a service with one bank whose connector is configured as a case of the conformance suite says.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BankConnection, Mode, RailCall } from '#banks/connector.ts'
import { type BankConfiguration, connectBank } from '#banks/connectors.ts'
import { closeAfterTests } from '../support/closing.ts'
import { type Bench, START, startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import type { ConnectorCase, Headers } from './connector-case.ts'

export const BANK_CODE = '101'

type ServiceOptions = { settings?: Record<string, unknown>; env?: Record<string, string> }

// Starts the service with one bank, which has the connector, settings and secrets of the case. `options` add
// settings of the bank and environment variables.
export async function startConnected(
  connectorCase: ConnectorCase,
  options: ServiceOptions = {},
): Promise<Bench> {
  using folder = createTempFolder()
  const names = Object.keys(connectorCase.secrets).map((name) => [name, `SECRET_${name}`] as const)
  const bank = {
    code: BANK_CODE,
    name: 'Bank under test',
    connector: connectorCase.connector,
    settings: { ...connectorCase.settings, ...options.settings },
    secrets: Object.fromEntries(names),
    static: { from: 100_000_000, to: 100_000_099 },
    dynamic: { from: 100_000_100, to: 100_000_199 },
  }
  const banksFile = join(folder.path, 'banks.json')
  writeFileSync(banksFile, JSON.stringify([bank]))
  const secrets = names.map(([name, variable]) => [variable, connectorCase.secrets[name]])
  const env = { ...Object.fromEntries(secrets), MANILLA_BANKS_FILE: banksFile, ...options.env }
  return await startTestService({ env })
}

// Returns a function that returns the service of this case, which the tests of a file share. Its first call
// starts the service, so that none starts for tests that are skipped.
export function shareConnected(connectorCase: ConnectorCase): () => Promise<Bench> {
  let bench: Promise<Bench> | undefined
  return () => {
    bench ??= startConnected(connectorCase).then(closeAfterTests)
    return bench
  }
}

// Counts what the service has kept of notifications: credits, rail items and queries to the bank.
export async function countKept(
  bench: Bench,
): Promise<Record<'credits' | 'items' | 'queries', number>> {
  const { rows } = await bench.db.query(
    `select (select count(*)::int from credits) as credits,
            (select count(*)::int from rail_items) as items,
            (select count(*)::int from requeries) as queries`,
  )
  return rows[0]
}

// Returns the headers with which the bank signs the body.
export function signed(connectorCase: ConnectorCase, body: Buffer): Headers {
  const { contentType, secret } = connectorCase
  return { 'content-type': contentType, ...connectorCase.signs({ body, now: START, secret }) }
}

// Sends a notification to the rail of the bank under test.
export function report(bench: Bench, body: Buffer, headers: Headers) {
  const url = `/rails/${BANK_CODE}/credits`
  return bench.call({ method: 'POST', url, body, headers, token: null })
}

// Builds the connector's connection without a service. Returns it, or the faults of the configuration.
export function connect(
  connectorCase: Pick<ConnectorCase, 'connector' | 'settings' | 'secrets'>,
  mode: Mode = 'sandbox',
): { connection: BankConnection | undefined; problems: string[] } {
  const problems: string[] = []
  const bank: BankConfiguration = { code: BANK_CODE, name: 'Bank', mode, ...connectorCase }
  const connection = connectBank(bank, (problem) => problems.push(problem))
  return { connection, problems }
}

// Returns a call as the rail passes it to a connector's `authenticate`.
export function railCall(headers: RailCall['headers'], rawBody: Buffer): RailCall {
  const about = { format: undefined, address: '127.0.0.1', isProxied: () => false, now: START }
  return { headers, rawBody, ...about }
}
