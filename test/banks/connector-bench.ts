// A running service with one bank, connected as a case of the conformance suite specifies.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BankConnection, Mode, RailCall } from '#banks/connector.ts'
import { type BankConfiguration, connectBank } from '#banks/connectors.ts'
import { type Bench, START, startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import type { ConnectorCase, Headers } from './connector-case.ts'

export const BANK_CODE = '101'

type Given = { settings?: Record<string, unknown>; env?: Record<string, string> }

export async function startConnected(each: ConnectorCase, options: Given = {}): Promise<Bench> {
  using folder = createTempFolder()
  const names = Object.keys(each.secrets).map((name) => [name, `SECRET_${name}`] as const)
  const bank = {
    code: BANK_CODE,
    name: 'Bank under test',
    connector: each.connector,
    settings: { ...each.settings, ...options.settings },
    secrets: Object.fromEntries(names),
    static: { from: 100_000_000, to: 100_000_099 },
    dynamic: { from: 100_000_100, to: 100_000_199 },
  }
  const banksFile = join(folder.path, 'banks.json')
  writeFileSync(banksFile, JSON.stringify([bank]))
  const secrets = names.map(([name, variable]) => [variable, each.secrets[name]])
  const env = { ...Object.fromEntries(secrets), MANILLA_BANKS_FILE: banksFile, ...options.env }
  return await startTestService({ env })
}

export function signed(each: ConnectorCase, body: Buffer): Headers {
  const { contentType, secret } = each
  return { 'content-type': contentType, ...each.signs({ body, now: START, secret }) }
}

export function report(bench: Bench, body: Buffer, headers: Headers) {
  const url = `/rails/${BANK_CODE}/credits`
  return bench.call({ method: 'POST', url, body, headers, token: null })
}

// Returns the connection, or the faults of the configuration.
export function connect(
  each: Pick<ConnectorCase, 'connector' | 'settings' | 'secrets'>,
  mode: Mode = 'sandbox',
): { connection: BankConnection | undefined; problems: string[] } {
  const problems: string[] = []
  const bank: BankConfiguration = { code: BANK_CODE, name: 'Bank', mode, ...each }
  const connection = connectBank(bank, (problem) => problems.push(problem))
  return { connection, problems }
}

export function railCall(headers: RailCall['headers'], rawBody: Buffer): RailCall {
  const about = { format: undefined, address: '127.0.0.1', isProxied: () => false, now: START }
  return { headers, rawBody, ...about }
}
