// Reads and checks the banks file: each bank's connection, source of numbers, payout files and statements. A
// source of numbers is either serial ranges that the bank granted, or the bank's connector, which reserves
// numbers. Static and dynamic ranges of a bank never overlap. A bank without a source issues no new numbers
// but still accepts money for existing ones.
//
// The banks file names the environment variables that hold secrets. Only rail secrets of our own connector
// may be in the file itself.

import type { BankConnections, Connector, Mode } from '#banks/connector.ts'
import { loadConnector } from '#banks/connector-packages.ts'
import { type BankConfiguration, connectBank, SANDBOX_CONNECTORS } from '#banks/connectors.ts'
import { isBankCode } from '#banks/nuban.ts'
import type { DebitAccount } from '#banks/payment-files.ts'
import { STATEMENT_FORMATS, type StatementFormat } from '#banks/statements/statement.ts'
import {
  checkNumbers,
  checkReserved,
  issuesNumbers,
  type NumberSettings,
  overlap,
  type SerialRange,
} from './number-settings.ts'
import { decodeBase64, type Report } from './setting-parsers.ts'

type PayoutFileSettings = {
  // Set for a bank that receives payouts in files: our account that pays them.
  readonly payoutFiles?: DebitAccount | undefined
}

const ACCOUNT_NAME_MAX = 140
const CUSTOMER_ID = /^[A-Za-z0-9][A-Za-z0-9.-]{0,34}$/

// Removes the sendMoney call of banks that have payout files, so that their payouts wait for a file.
export function sendByFile(
  connections: BankConnections,
  banks: readonly (PayoutFileSettings & { code: string })[],
): BankConnections {
  const codes = new Set(banks.flatMap(({ code, payoutFiles }) => (payoutFiles ? [code] : [])))
  return new Map(
    [...connections].map(([code, connection]) => {
      if (!codes.has(code)) return [code, connection]
      const { sendMoney: _, ...calls } = connection.calls
      return [code, { ...connection, calls, takesFiles: true }]
    }),
  )
}

// Checks the account that pays the payouts in files, if the bank has one.
function checkPayoutFiles(value: unknown, report: Report): void {
  if (value === undefined || isDebitAccount(value)) return
  report(
    'payoutFiles must be {"accountNumber": …, "accountName": …}: 10 digits, and 1 to ' +
      `${ACCOUNT_NAME_MAX} printable characters; with an optional customerId of 1 to 35 letters, digits, ` +
      'points and hyphens',
  )
}

// Returns whether the value is a valid account that pays the payouts in files.
function isDebitAccount(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { accountNumber, accountName, customerId, ...unknownFields } = value as Record<
    string,
    unknown
  >
  return (
    typeof accountNumber === 'string' &&
    /^[0-9]{10}$/.test(accountNumber) &&
    typeof accountName === 'string' &&
    accountName.trim() !== '' &&
    accountName.length <= ACCOUNT_NAME_MAX &&
    !/\p{C}/u.test(accountName) &&
    (customerId === undefined || CUSTOMER_ID.test(String(customerId))) &&
    Object.keys(unknownFields).length === 0
  )
}

// The format of a bank's statements, our account on them, and when they are due.
export type StatementSettings = {
  readonly statements?:
    | {
        readonly format?: StatementFormat | undefined
        readonly profile?: string | undefined // Set for CSV.
        readonly accountNumber?: string | undefined // As the bank writes it.
        readonly timingDays?: number | undefined
        readonly expectedAt?: string | undefined // A time of the next day, in West Africa.
      }
    | undefined
}

export const TIMING_DAYS_DEFAULT = 2
export const EXPECTED_AT_DEFAULT = '12:00'
const TIMING_DAYS_MAX = 30
const PROFILE = /^[a-z0-9][a-z0-9-]{0,39}$/
const ACCOUNT_NUMBER = /^[A-Za-z0-9][A-Za-z0-9 /-]{3,38}$/
const TIME = /^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/

type Check = (value: unknown) => boolean
const textLike = (pattern: RegExp) => (value: unknown) =>
  typeof value === 'string' && pattern.test(value)

// The checks of the fields of `statements`, each with the words for a valid value.
const CHECKS: Readonly<Record<string, readonly [check: Check, validValue: string]>> = {
  format: [
    (value) => STATEMENT_FORMATS.some((format) => format === value),
    `one of ${STATEMENT_FORMATS.join(', ')}`,
  ],
  profile: [textLike(PROFILE), 'the name of a statement profile'],
  accountNumber: [textLike(ACCOUNT_NUMBER), '4 to 39 letters, digits, spaces, hyphens and slashes'],
  timingDays: [
    (value) =>
      typeof value === 'number' &&
      Number.isInteger(value) &&
      value >= 0 &&
      value <= TIMING_DAYS_MAX,
    `a whole number from 0 to ${TIMING_DAYS_MAX}`,
  ],
  expectedAt: [textLike(TIME), 'a time such as "12:00"'],
}

// Checks the settings of a bank's statements, and reports unknown fields. An entry of CHECKS has the check of
// a field, and then the words for a valid value.
function checkStatements(settings: unknown, report: Report): void {
  if (settings === undefined) return
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) {
    report('statements must be an object')
    return
  }
  for (const [field, value] of Object.entries(settings)) {
    const check = CHECKS[field]
    if (!check) report(`statements has unknown field ${JSON.stringify(field)}`)
    else if (!check[0](value)) report(`statements.${field} must be ${check[1]}`)
  }
}

export type BankSettings = NumberSettings &
  PayoutFileSettings &
  StatementSettings & {
    readonly code: string
    readonly name: string
    readonly connector?: string | undefined // The name of a connector. Defaults to manilla.
    readonly packaged?: Connector | undefined // The connector of a package.
    readonly settings?: Readonly<Record<string, unknown>> | undefined
    readonly secrets?: Readonly<Record<string, string>> | undefined // Read from the environment.
    readonly railSecrets?: readonly string[] | undefined
  }

export const SERIAL_MAX = 999_999_999 // Nine digits. The tenth digit of a NUBAN is its check digit.
export const SANDBOX_RAIL_SECRET = 'whsec_bWFuaWxsYS1zYW5kYm94LXJhaWwtc2VjcmV0LTAwMDA='

const SECRETS_MAX = 2 // The old and the new secret during a rotation.
const SECRET_BYTES_MIN = 24 // The bounds are those of Standard Webhooks.
const SECRET_BYTES_MAX = 64
const NAME_MAX = 100
const FIELDS = [
  'code',
  'name',
  'numbers',
  'pool',
  'connector',
  'settings',
  'secrets',
  'static',
  'dynamic',
  'railSecrets',
  'payoutFiles',
  'statements',
]

const SANDBOX_NAMES: readonly (readonly [code: string, name: string])[] = [
  ['035', 'Wema Bank'],
  ['058', 'Guaranty Trust Bank'],
  ['101', 'Providus Bank'],
  ['232', 'Sterling Bank'],
  ['011', 'First Bank of Nigeria'],
  ['033', 'United Bank for Africa'],
  ['044', 'Access Bank'],
  ['050', 'Ecobank Nigeria'],
  ['057', 'Zenith Bank'],
  ['070', 'Fidelity Bank'],
  ['076', 'Polaris Bank'],
  ['214', 'First City Monument Bank'],
  ['221', 'Stanbic IBTC Bank'],
  ['50211', 'Kuda Microfinance Bank'],
  ['50515', 'Moniepoint Microfinance Bank'],
]

// The banks of a sandbox without a banks file. Each has a range of 25 million serials for collection accounts
// and another for payments.
export const SANDBOX_BANKS: readonly BankSettings[] = SANDBOX_NAMES.map(([code, name], index) => {
  const base = 100_000_000 + index * 50_000_000
  return {
    code,
    name,
    static: { from: base, to: base + 24_999_999 },
    dynamic: { from: base + 25_000_000, to: base + 49_999_999 },
    railSecrets: [SANDBOX_RAIL_SECRET],
  }
})

// `folder` holds the banks file, and may hold packages of connectors.
type Surroundings = {
  mode: Mode
  env: Readonly<Record<string, string | undefined>>
  folder?: string
}

// Reads the whole banks file. Reports every problem, and returns undefined unless the file is valid.
export function readBanks(
  text: string,
  surroundings: Surroundings,
  report: Report,
): readonly BankSettings[] | undefined {
  const content = parseJson(text, report)
  if (content === undefined) return undefined
  if (!Array.isArray(content)) {
    report('must contain a JSON array of banks')
    return undefined
  }
  let faultCount = 0
  const reportFault: Report = (sentence) => {
    faultCount += 1
    report(sentence)
  }
  const banks = content.map((bank, index) =>
    readBank(bank, surroundings, (sentence) => reportFault(`bank ${index + 1}: ${sentence}`)),
  )
  checkTogether(content, reportFault)
  checkPackages(banks, content, reportFault)
  return faultCount === 0 ? (banks as BankSettings[]) : undefined
}

// Returns the bank as its connector gets it, with all its secrets in one object.
function bankConfiguration(bank: BankSettings, mode: Mode): BankConfiguration {
  const [railSecret, previousRailSecret] = bank.railSecrets ?? []
  const secrets = {
    ...(railSecret === undefined ? {} : { railSecret }),
    ...(previousRailSecret === undefined ? {} : { previousRailSecret }),
    ...bank.secrets,
  }
  return { ...bank, secrets, mode }
}

// Returns all banks as their connectors get them.
export function bankConfigurations({
  banks,
  mode,
}: {
  banks: readonly BankSettings[]
  mode: Mode
}) {
  return banks.map((bank) => bankConfiguration(bank, mode))
}

// Returns the environment variables that the banks file names, so that they do not count as unknown settings.
// Ignores errors, which readBanks() reports.
export function secretNames(text: string): string[] {
  const content = parseJson(text, () => {})
  if (!Array.isArray(content)) return []
  return content
    .filter(isRecord)
    .flatMap(({ secrets }) => (isRecord(secrets) ? Object.values(secrets) : []))
    .filter((name) => typeof name === 'string')
}

// Parses the banks file, or reports where it is invalid.
function parseJson(text: string, report: Report): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // Reports only the position, because the parser's message quotes the file, including secrets.
    const [place = ''] = / \(line \d+ column \d+\)$/.exec((error as Error).message) ?? []
    report(`must contain valid JSON${place}`)
    return undefined
  }
}

// Checks one bank of the file and reads its secrets from the environment.
function readBank(
  bank: unknown,
  { mode, env, folder = '.' }: Surroundings,
  report: Report,
): BankSettings | undefined {
  if (!isRecord(bank)) {
    report('must be an object')
    return undefined
  }
  for (const field of Object.keys(bank)) {
    if (!FIELDS.includes(field)) {
      report(`has unknown field ${JSON.stringify(field)}; allowed: ${FIELDS.join(', ')}`)
    }
  }
  if (typeof bank.code !== 'string' || !isBankCode(bank.code)) {
    report('code must be a string of 3 or 5 digits')
  }
  if (typeof bank.name !== 'string' || !isName(bank.name)) {
    report(`name must be 1 to ${NAME_MAX} printable characters`)
  }
  const staticRange = checkRange(bank.static, 'static', report)
  const dynamicRange = checkRange(bank.dynamic, 'dynamic', report)
  if (staticRange && dynamicRange && overlap(staticRange, dynamicRange)) {
    report('static and dynamic must not overlap')
  }
  const isOurs = bank.connector === undefined || bank.connector === 'manilla'
  const isPackaged = isRecord(bank.connector)
  const packaged = isRecord(bank.connector)
    ? readPackage(bank.connector, folder, report)
    : undefined
  const names = readRecord(bank.secrets, 'secrets', report)
  const settings = readRecord(bank.settings, 'settings', report)
  const secrets = readSecrets(names, env, report)
  // Our own connector always needs a rail secret: in the file, or in an environment variable.
  if (bank.railSecrets !== undefined || (isOurs && names?.railSecret === undefined)) {
    if (!checkSecrets(bank.railSecrets, report)) return undefined
  }
  const bankSettings = {
    ...bank,
    ...(settings && { settings }),
    ...(names && { secrets }),
    ...(packaged && { connector: packaged.name, packaged }),
  } as BankSettings
  const connection =
    isPackaged && !packaged ? undefined : connectBank(bankConfiguration(bankSettings, mode), report)
  checkNumbers(bank, report)
  checkPayoutFiles(bank.payoutFiles, report)
  checkStatements(bank.statements, report)
  if ((bank.numbers === 'reserved' || bank.numbers === 'perCustomer') && connection) {
    checkReserved(bankSettings, connection, report)
  }
  return bankSettings
}

// Loads the connector of a bank that names a package: {"package": …}.
function readPackage(
  { package: name, ...unknownFields }: Record<string, unknown>,
  folder: string,
  report: Report,
): Connector | undefined {
  if (Object.keys(unknownFields).length === 0) {
    return loadConnector(name, { folder, builtIn: SANDBOX_CONNECTORS }, report)
  }
  report('connector must be a name or {"package": …}')
  return undefined
}

// Returns an optional object, or reports that the value is none.
function readRecord(value: unknown, field: string, report: Report) {
  if (value === undefined || isRecord(value)) return value
  report(`${field} must be an object`)
  return undefined
}

// Reads the secrets of a connector. The banks file has only the names of environment variables.
function readSecrets(
  names: Readonly<Record<string, unknown>> | undefined,
  env: Surroundings['env'],
  report: Report,
): Record<string, string> {
  const secrets: Record<string, string> = {}
  for (const [field, name] of Object.entries(names ?? {})) {
    const value = typeof name === 'string' ? env[name]?.trim() : undefined
    if (typeof name !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(name)) {
      report(`secrets.${field} must be the name of an environment variable`)
    } else if (!value) report(`secrets.${field}: the environment variable ${name} is not set`)
    // An empty secret keeps the connector from reporting the same problem again as a missing secret.
    secrets[field] = value ?? ''
  }
  return secrets
}

// Returns a range of serials, or undefined if it is absent or invalid.
function checkRange(range: unknown, field: string, report: Report): SerialRange | undefined {
  if (range === undefined) return undefined
  const { from, to, ...unknownFields } = isRecord(range) ? range : {}
  if (isSerial(from) && isSerial(to) && from <= to && Object.keys(unknownFields).length === 0) {
    return { from, to }
  }
  report(`${field} must be {"from": …, "to": …}, whole numbers, 0 <= from <= to <= ${SERIAL_MAX}`)
  return undefined
}

// Returns whether the rail secrets are valid. During a rotation there are two.
function checkSecrets(secrets: unknown, report: Report): boolean {
  if (!Array.isArray(secrets) || secrets.length < 1 || secrets.length > SECRETS_MAX) {
    report(`railSecrets must be a list of 1 or ${SECRETS_MAX} secrets`)
    return false
  }
  let areSound = true
  secrets.forEach((secret, index) => {
    const [, base64 = ''] = /^whsec_(.+)$/.exec(String(secret)) ?? []
    const length = decodeBase64(base64)?.length ?? 0
    if (length >= SECRET_BYTES_MIN && length <= SECRET_BYTES_MAX) return
    const bounds = `${SECRET_BYTES_MIN} to ${SECRET_BYTES_MAX} bytes`
    report(`railSecrets entry ${index + 1} must be whsec_ followed by base64 of ${bounds}`)
    areSound = false
  })
  return areSound
}

// Checks that bank codes are unique, and that some bank issues static numbers and some bank dynamic ones.
function checkTogether(banks: readonly unknown[], report: Report): void {
  const records = banks.filter(isRecord)
  const codes = records.map((bank) => bank.code)
  codes.forEach((code, index) => {
    const first = codes.indexOf(code)
    if (typeof code === 'string' && first < index) {
      report(`bank ${index + 1} repeats the code of bank ${first + 1}`)
    }
  })
  for (const field of ['static', 'dynamic'] as const) {
    if (!records.some((bank) => issuesNumbers(bank as BankSettings, field))) {
      report(`must define a ${field} range for at least one bank`)
    }
  }
}

// Checks that two packages do not have the same connector name, because a connector is identified by its
// name.
function checkPackages(
  banks: readonly (BankSettings | undefined)[],
  content: readonly unknown[],
  report: Report,
): void {
  const packageByName = new Map<string, unknown>()
  banks.forEach((bank, index) => {
    if (!bank?.packaged) return
    const { connector } = content[index] as { connector: { package: string } }
    const earlier = packageByName.get(bank.packaged.name) ?? connector.package
    packageByName.set(bank.packaged.name, earlier)
    if (earlier === connector.package) return
    report(
      `bank ${index + 1}: connector packages "${earlier}" and "${connector.package}" have the same name, ` +
        `"${bank.packaged.name}"`,
    )
  })
}

// Checks that each bank has its own secrets and number ranges, as live mode demands. In the sandbox all banks
// share one secret, and the path of a call identifies the bank.
export function checkDistinct(banks: readonly BankSettings[], report: Report): void {
  banks.forEach((bank, index) => {
    for (const other of banks.slice(0, index)) {
      const pair = `banks ${other.code} and ${bank.code}`
      if (sharesSecret(bank, other)) report(`${pair} share a secret; each needs its own`)
      if (
        allRanges(bank).some((range) =>
          allRanges(other).some((otherRange) => overlap(range, otherRange)),
        )
      ) {
        report(`${pair} have overlapping number ranges`)
      }
    }
  })
}

// Returns whether two banks have a secret in common. Compares the decoded bytes of rail secrets, because
// base64 can write the same secret in two ways.
function sharesSecret(bank: BankSettings, other: BankSettings): boolean {
  const secretsOf = ({ railSecrets = [], secrets = {} }: BankSettings) =>
    [...railSecrets, ...Object.values(secrets)].map((text) =>
      text.startsWith('whsec_') ? decodeBase64(text.slice('whsec_'.length))?.toString('hex') : text,
    )
  const bankSecrets = secretsOf(bank)
  return secretsOf(other).some((secret) => bankSecrets.includes(secret))
}

function allRanges(bank: BankSettings): SerialRange[] {
  return [bank.static, bank.dynamic].filter((range) => range !== undefined)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSerial(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= SERIAL_MAX
}

function isName(name: string): boolean {
  return name.trim().length > 0 && name.length <= NAME_MAX && !/\p{C}/u.test(name)
}
