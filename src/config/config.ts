// Reads all settings once, at start. Only this file reads process.env. The result is complete, validated and
// frozen, or the start fails and reports all problems at once. An empty setting is treated as unset.

import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { type LoadedProfile, loadProfiles } from '#banks/statements/csv-profile.ts'
import {
  type BankSettings,
  checkDistinct,
  readBanks,
  SANDBOX_BANKS,
  SANDBOX_RAIL_SECRET,
  secretNames,
} from './bank-settings.ts'
import { type Chart, loadChart } from './chart-settings.ts'
import {
  MESSAGE_SETTINGS,
  type MessageSettings,
  messageProblems,
  readMessageSettings,
} from './message-settings.ts'
import { findCollectionBank } from './number-settings.ts'
import {
  OBSERVABILITY_SETTINGS,
  type Observability,
  POLICY_SETTINGS,
  type Policy,
  RATES,
  type Rates,
  rates,
  readObservability,
  readPolicy,
} from './policy-settings.ts'
import {
  findSecrets,
  makeSecrets,
  SECRET_NAMES,
  type SecretTexts,
  secretsPath,
} from './secrets-file.ts'
import * as values from './setting-parsers.ts'

// Freezes a value and all values in it, except typed arrays, which cannot be frozen.
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  Object.values(value).forEach(deepFreeze)
  return Object.freeze(value)
}

export const ROLES = ['serve', 'api', 'worker', 'migrate'] as const
const MODES = ['sandbox', 'live'] as const

type Role = (typeof ROLES)[number]
type Mode = (typeof MODES)[number]
export type Environment = Readonly<Record<string, string | undefined>>

export type Config = Observability & {
  readonly role: Role
  readonly mode: Mode
  readonly host: string
  readonly port: number
  readonly workerPort: number | undefined // The worker's port for probes, or undefined for none.
  readonly processes: number | 'auto' // How many processes serve HTTP on the port.
  readonly language: string // The language of messages, of which messages/copy/ has the texts.
  readonly publicUrl: string
  readonly trustedProxies: readonly string[] // Proxies whose X-Forwarded-For is trusted.
  readonly rates: Rates
  readonly dataDir: string
  readonly databaseUrl: string | undefined // Undefined if the embedded database is used.
  readonly backupDir: string | undefined // The folder that archives the log of the embedded database.
  readonly replicaUrl: string | undefined // A standby server for reads.
  readonly secrets: Secrets
  readonly banks: readonly BankSettings[]
  readonly collectionBankCode: string // The bank that issues the numbers of collection accounts.
  readonly policy: Policy
  readonly identity: IdentitySettings
  readonly chart: Chart
  readonly messages: MessageSettings
  readonly statementsFolder: string | undefined // A folder that the service watches for bank statements.
  readonly statementProfiles: string | undefined // The folder of the operator's own CSV profiles.
}

export type DatabaseSettings = Pick<Config, 'databaseUrl' | 'dataDir' | 'backupDir'>

// The first secret of each list signs or seals new data. All secrets of a list verify or open old data, so
// that secrets can be rotated. A data key seals only when all processes hold it (privacy/data-keys.ts).
type Secrets = {
  readonly token: readonly Buffer[]
  readonly data: readonly values.DataKey[]
  readonly hash: Buffer
  readonly areDataKeysStored: boolean // Whether secrets.json has the data keys. A rotation adds keys to it.
}

// This is the only list of settings. A test compares .env.example with it.
export const SETTINGS = {
  MANILLA_MODE: values.oneOf(MODES),
  HOST: values.host,
  PORT: values.whole(0, 65_535),
  MANILLA_WORKER_PORT: values.whole(0, 65_535),
  MANILLA_PROCESSES: values.processes,
  MANILLA_LANGUAGE: values.language, // For messages. The build reads it for the pages (scripts/build-web.ts).
  PUBLIC_URL: values.webAddress,
  MANILLA_TRUSTED_PROXIES: values.addressRanges,
  MANILLA_RATE_LIMITS: rates,
  MANILLA_DATA_DIR: values.path,
  DATABASE_URL: values.postgresAddress,
  MANILLA_BACKUP_DIR: values.path,
  DATABASE_REPLICA_URL: values.replicaAddress,
  MANILLA_TOKEN_SECRETS: values.signingSecrets,
  MANILLA_DATA_KEYS: values.dataKeys,
  MANILLA_HASH_KEY: values.hashKey,
  MANILLA_BANKS_FILE: values.path,
  MANILLA_CHART_FILE: values.path,
  MANILLA_STATEMENTS_FOLDER: values.path,
  MANILLA_STATEMENT_PROFILES: values.path,
  MANILLA_IDENTITY_URL: values.webAddress,
  MANILLA_IDENTITY_SECRET: values.webhookSecret,
  MANILLA_IDENTITY_TIMEOUT_MS: values.whole(100, 60_000),
  ...POLICY_SETTINGS,
  ...MESSAGE_SETTINGS,
  ...OBSERVABILITY_SETTINGS,
} as const

// Without an identity service, a sandbox simulates one, and live mode verifies no identities.
type IdentitySettings = {
  readonly service: { readonly url: string; readonly secret: string } | undefined
  readonly timeoutMs: number
}

const IDENTITY_TIMEOUT_MS = 10_000

type SettingName = keyof typeof SETTINGS
type Settings = { [name in SettingName]?: NonNullable<ReturnType<(typeof SETTINGS)[name]>> }

export class ConfigProblem extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`Invalid configuration:\n${problems.map((problem) => `- ${problem}`).join('\n')}`)
    this.name = 'ConfigProblem'
    this.problems = problems
  }
}

// Access to the disk. It is a parameter, so loadConfig itself is a pure function.
export type Files = {
  readonly readText: (path: string) => string
  readonly findSecrets: (dataDir: string) => SecretTexts | undefined
  readonly makeSecrets: (dataDir: string) => SecretTexts
}

const disk: Files = { readText: (path) => readFileSync(path, 'utf8'), findSecrets, makeSecrets }

// Reads the settings of a process. The real environment overrides the file `.env` in the working folder.
export function readEnvironment(
  folder = process.cwd(),
  real: Environment = process.env,
): Environment {
  const path = join(folder, '.env')
  let text = ''
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (errorReason(error) !== 'ENOENT') {
      throw new ConfigProblem([`Cannot read ${path}: ${errorReason(error)}`])
    }
  }
  return { ...parseEnv(text), ...real }
}

// Reads the database settings only, for commands that need nothing else.
export function databaseSettings(env: Environment): DatabaseSettings {
  const problems: string[] = []
  const { MANILLA_DATA_DIR, DATABASE_URL, MANILLA_BACKUP_DIR } = env
  const settings = readSettings({ MANILLA_DATA_DIR, DATABASE_URL, MANILLA_BACKUP_DIR }, problems)
  if (problems.length > 0) throw new ConfigProblem(problems)
  return plainSettings(settings, 'serve')
}

// Reads the settings of messages to people only.
export function messageSettings(env: Environment): MessageSettings {
  const problems: string[] = []
  const names = ['MANILLA_MODE', ...Object.keys(MESSAGE_SETTINGS)]
  const entries = names.map((name) => [name, env[name]])
  const settings = readSettings(Object.fromEntries(entries), problems)
  problems.push(...messageProblems(settings, settings.MANILLA_MODE ?? 'sandbox'))
  if (problems.length > 0) throw new ConfigProblem(problems)
  return readMessageSettings(settings)
}

// Reads and checks all settings. Throws one ConfigProblem with all problems. The collection bank, whose
// numbers collection accounts get, is the first bank that issues static numbers.
export function loadConfig(env: Environment, role: string | undefined, files = disk): Config {
  const problems: string[] = []
  const settings = readSettings(env, problems)
  const plain = plainSettings(settings, readRole(role, problems))
  problems.push(...findMissing(env, plain))
  if (plain.mode === 'live' && settings.PUBLIC_URL?.startsWith('http:')) {
    problems.push('PUBLIC_URL must start with https:// in live mode')
  }
  problems.push(...messageProblems(settings, plain.mode))
  problems.push(...identityProblems(env, settings, plain.mode))
  const { banks, namedVariables } = bankSettings(settings, {
    mode: plain.mode,
    env,
    files,
    problems,
  })
  const chart = loadChart(settings.MANILLA_CHART_FILE, { files, problems })
  problems.unshift(...values.unknownNames(env, [...Object.keys(SETTINGS), ...namedVariables]))
  const secrets = secretSettings(env, { settings, plain, files, problems })
  if (problems.length > 0 || !banks || !chart || !secrets) throw new ConfigProblem(problems)
  const collection = findCollectionBank(banks) as BankSettings
  return deepFreeze({ ...plain, secrets, banks, chart, collectionBankCode: collection.code })
}

// The settings that need neither the banks file, the chart nor secrets.
type Plain = Omit<Config, 'secrets' | 'banks' | 'chart' | 'collectionBankCode'>

// Fills in the defaults of settings that are not set.
function plainSettings(settings: Settings, role: Role): Plain {
  const mode = settings.MANILLA_MODE ?? 'sandbox'
  const port = settings.PORT ?? 8080
  return {
    role,
    mode,
    host: settings.HOST ?? (mode === 'live' ? '0.0.0.0' : '127.0.0.1'),
    port,
    processes: settings.MANILLA_PROCESSES ?? 1,
    language: settings.MANILLA_LANGUAGE ?? 'en',
    publicUrl: settings.PUBLIC_URL ?? `http://localhost:${port}`,
    trustedProxies: settings.MANILLA_TRUSTED_PROXIES ?? [],
    rates: { ...RATES[mode], ...settings.MANILLA_RATE_LIMITS },
    dataDir: settings.MANILLA_DATA_DIR ?? resolve('data'),
    databaseUrl: settings.DATABASE_URL,
    backupDir: settings.MANILLA_BACKUP_DIR,
    replicaUrl: settings.DATABASE_REPLICA_URL,
    workerPort: settings.MANILLA_WORKER_PORT,
    ...readObservability(settings),
    policy: readPolicy(settings, mode),
    identity: identitySettings(settings),
    messages: readMessageSettings(settings),
    statementsFolder: settings.MANILLA_STATEMENTS_FOLDER,
    statementProfiles: settings.MANILLA_STATEMENT_PROFILES,
  }
}

// Returns the identity service, if its address and secret are both set.
function identitySettings(settings: Settings): IdentitySettings {
  const { MANILLA_IDENTITY_URL: url, MANILLA_IDENTITY_SECRET: secret } = settings
  const timeoutMs = settings.MANILLA_IDENTITY_TIMEOUT_MS ?? IDENTITY_TIMEOUT_MS
  return { service: url && secret ? { url, secret } : undefined, timeoutMs }
}

// Returns the problems of the identity service: half of its settings, or an address without TLS in live mode.
function identityProblems(env: Environment, settings: Settings, mode: Mode): string[] {
  const problems: string[] = []
  const { MANILLA_IDENTITY_URL: url } = settings
  const isSet = (name: SettingName) => readSetting(env, name) !== ''
  if (isSet('MANILLA_IDENTITY_URL') !== isSet('MANILLA_IDENTITY_SECRET')) {
    problems.push('MANILLA_IDENTITY_URL and MANILLA_IDENTITY_SECRET must be set together')
  }
  if (mode === 'live' && url?.startsWith('http:')) {
    problems.push('MANILLA_IDENTITY_URL must start with https:// in live mode')
  }
  return problems
}

// Returns the role of the first argument. An unknown role is a problem; `serve` then stands in, so that the
// other settings are checked too.
function readRole(role: string | undefined, problems: string[]): Role {
  const match = ROLES.find((name) => name === (role ?? 'serve'))
  if (!match) problems.push(`Role (first argument) must be one of: ${ROLES.join(', ')}`)
  return match ?? 'serve'
}

// Parses the settings that are set, and adds a problem for each invalid one.
function readSettings(env: Environment, problems: string[]): Settings {
  const entries = Object.entries<values.Parser<unknown>>(SETTINGS).flatMap(([name, parse]) => {
    const text = readSetting(env, name)
    return text ? [[name, parse(text, (sentence) => problems.push(`${name} ${sentence}`))]] : []
  })
  return Object.fromEntries(entries) as Settings
}

// Returns a problem for each required setting that is missing in this mode and role, and for a backup folder
// that is set although the database is the operator's own.
function findMissing(env: Environment, { mode, role }: Plain): string[] {
  const problems: string[] = []
  if (readSetting(env, 'DATABASE_URL') && readSetting(env, 'MANILLA_BACKUP_DIR')) {
    problems.push('MANILLA_BACKUP_DIR is for the embedded database: archive on your own server')
  }
  const need = (name: SettingName, advice: string) => {
    if (!readSetting(env, name)) problems.push(`${name} is missing: ${advice}`)
  }
  if (mode === 'live') {
    need('PUBLIC_URL', 'live mode requires the public https URL')
    need('MANILLA_BANKS_FILE', 'live mode requires the path of a JSON file of your banks')
  }
  if (mode === 'live' || role !== 'serve') {
    const requirer = mode === 'live' ? 'live mode' : `role ${role}`
    need('DATABASE_URL', `${requirer} requires postgres://user:password@host:5432/database`)
  }
  if (!mayMakeSecrets({ mode, role })) {
    need('MANILLA_TOKEN_SECRETS', `generate one with ${values.SECRET_COMMAND}`)
    need('MANILLA_DATA_KEYS', `set it to 1: followed by the output of ${values.SECRET_COMMAND}`)
    need('MANILLA_HASH_KEY', `generate one with ${values.SECRET_COMMAND}`)
  }
  return problems
}

type BankFileContext = { mode: Mode; env: Environment; files: Files; problems: string[] }

// Reads the banks file. `namedVariables` are the environment variables that it names for secrets.
function bankSettings(settings: Settings, { mode, env, files, problems }: BankFileContext) {
  const path = settings.MANILLA_BANKS_FILE
  if (!path) return { banks: SANDBOX_BANKS, namedVariables: [] }
  const report = (sentence: string) => problems.push(`MANILLA_BANKS_FILE ${sentence}`)
  let text: string
  try {
    text = files.readText(path)
  } catch (error) {
    report(`must be a readable file (${errorReason(error)})`)
    return { banks: undefined, namedVariables: [] }
  }
  const banks = readBanks(text, { mode, env, folder: dirname(resolve(path)) }, report)
  banks?.forEach((bank, index) => {
    if (mode === 'live' && bank.railSecrets?.includes(SANDBOX_RAIL_SECRET)) {
      report(`bank ${index + 1}: the sandbox rail secret is not allowed in live mode`)
    }
  })
  if (banks && mode === 'live') checkDistinct(banks, report)
  return { banks, namedVariables: secretNames(text) }
}

type SettingsSoFar = { settings: Settings; plain: Plain; files: Files; problems: string[] }

// Reads the secrets from the settings, or in a sandbox from secrets.json, which is generated at the first
// start. Generates no secrets while there are other problems: a mistyped setting must not leave secrets in
// the wrong directory.
function secretSettings(
  env: Environment,
  { settings, plain, files, problems }: SettingsSoFar,
): Secrets | undefined {
  let stored: SecretTexts | undefined
  if (mayMakeSecrets(plain) && SECRET_NAMES.some((name) => !readSetting(env, name))) {
    try {
      stored = files.findSecrets(plain.dataDir)
      if (!stored && problems.length === 0) stored = files.makeSecrets(plain.dataDir)
    } catch (error) {
      const path = secretsPath(plain.dataDir)
      problems.push(`MANILLA_DATA_DIR: cannot use ${path} (${errorReason(error)})`)
    }
  }
  const { MANILLA_TOKEN_SECRETS, MANILLA_DATA_KEYS, MANILLA_HASH_KEY } = {
    ...readSettings({ ...stored }, problems),
    ...settings,
  }
  if (!MANILLA_TOKEN_SECRETS || !MANILLA_DATA_KEYS || !MANILLA_HASH_KEY) return undefined
  return {
    token: MANILLA_TOKEN_SECRETS,
    data: MANILLA_DATA_KEYS,
    hash: MANILLA_HASH_KEY,
    areDataKeysStored: settings.MANILLA_DATA_KEYS === undefined,
  }
}

// Returns whether the process may generate its secrets. Other roles and live mode share secrets among
// machines.
function mayMakeSecrets({ mode, role }: Pick<Config, 'mode' | 'role'>): boolean {
  return mode === 'sandbox' && role === 'serve'
}

function readSetting(env: Environment, name: string): string {
  return env[name]?.trim() ?? ''
}

// Returns the error code of the system, such as ENOENT, or else the message.
function errorReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error ? String(error.code) : error.message
}

// CSV statement profiles (the shipped ones and the operator's own) are read at start, so that a wrong profile
// is reported before the first statement.
export type StatementProfiles = ReadonlyMap<string, LoadedProfile>

// Reads the CSV statement profiles. Fails if one is invalid, or if a bank names a profile that does not
// exist.
export function openProfiles(
  config: Pick<Config, 'banks' | 'statementProfiles'>,
): StatementProfiles {
  const { profiles, problems } = loadProfiles(config.statementProfiles)
  const unknownProfiles = config.banks.flatMap(({ code, statements }) => {
    const isKnown = statements?.profile === undefined || profiles.has(statements.profile)
    return isKnown ? [] : `Bank ${code}: there is no statement profile ${statements.profile}`
  })
  const allProblems = [...problems, ...unknownProfiles]
  if (allProblems.length > 0) throw new ConfigProblem(allProblems)
  return profiles
}
