// Lists all connectors, and creates the connection to one configured bank. The configuration names the
// connector; the service never guesses it from the body of a call. The template connector is for the sandbox
// only.

import { createHash } from 'node:crypto'
import { flutterwaveConnector } from '#banks/flutterwave/connector.ts'
import { iso20022Connector } from '#banks/iso20022/connector.ts'
import { manillaConnector } from '#banks/manilla/connector.ts'
import { monnifyConnector } from '#banks/monnify/connector.ts'
import { nombaConnector } from '#banks/nomba/connector.ts'
import { paystackConnector } from '#banks/paystack/connector.ts'
import { providusConnector } from '#banks/providus/connector.ts'
import { squadConnector } from '#banks/squad/connector.ts'
import { templateConnector } from '#banks/template/connector.ts'
import { wemaConnector } from '#banks/wema/connector.ts'
import { addressMatcher } from '#ip-allowlist.ts'
import { CURRENCY } from '#money.ts'
import type {
  BankCalls,
  BankConnection,
  BankConnections,
  CallLimits,
  ConnectedBank,
  Connector,
  Mode,
  RailCall,
} from './connector.ts'
import { ConnectorSettings } from './connector-settings.ts'
import { asHints } from './credit-fields.ts'
import { requireOurReference } from './payout-answers.ts'

// A bank's calls may have to come from a listed address or with a client certificate, in addition to their
// signature. A proxy terminates TLS and passes the certificate's SHA-256 fingerprint in a header, which is
// believed only from a trusted proxy.

const HEADER = /^[a-z][a-z0-9-]{0,60}$/
const FINGERPRINT = /^[0-9a-f]{64}$/

type AllowedSources = (call: RailCall) => boolean

// Reads the settings `allow` and `mutualTls`. A call must meet each that is configured. Returns undefined if
// neither is.
function readAllowedSources(settings: ConnectorSettings): AllowedSources | undefined {
  const ranges = settings.findRanges('allow')
  const certificates = readCertificates(settings)
  if (!ranges && !certificates) return undefined
  const isListed = ranges ? addressMatcher(ranges) : () => true
  const isCertified = certificates ?? (() => true)
  return (call) => isListed(call.address) && isCertified(call)
}

// Returns the check of client certificates; undefined if there is no such setting. The header with the
// certificate's fingerprint counts only if a trusted proxy passed the call on (`isProxied`).
function readCertificates(settings: ConnectorSettings): AllowedSources | undefined {
  const options = settings.findRecord('mutualTls')
  if (!options) return undefined
  const { header, fingerprints, ...unknownFields } = options
  const list = Array.isArray(fingerprints) ? fingerprints.map(plainFingerprint) : []
  const isSound =
    typeof header === 'string' &&
    HEADER.test(header) &&
    Object.keys(unknownFields).length === 0 &&
    list.length > 0 &&
    list.every((fingerprint) => FINGERPRINT.test(fingerprint))
  if (!isSound) {
    settings.report(
      'settings.mutualTls must be {"header": …, "fingerprints": […]}: the lower-case header in ' +
        'which the proxy passes the SHA-256 fingerprint, and the fingerprints that are accepted',
    )
    return undefined
  }
  return ({ headers, isProxied }) => {
    const value = headers[header]
    return isProxied() && typeof value === 'string' && list.includes(plainFingerprint(value))
  }
}

// Normalises a fingerprint, which proxies write with or without colons.
function plainFingerprint(text: unknown): string {
  return String(text).replaceAll(':', '').toLowerCase()
}

const CONNECTORS: readonly Connector[] = [
  manillaConnector,
  providusConnector,
  iso20022Connector,
  wemaConnector,
  monnifyConnector,
  nombaConnector,
  squadConnector,
  paystackConnector,
  flutterwaveConnector,
]

export const SANDBOX_CONNECTORS: readonly Connector[] = [...CONNECTORS, templateConnector]

// Banks publish no limits. We assume that every bank can handle these.
const DEFAULT_LIMITS: CallLimits = { ratePerSecond: 5, concurrency: 4 }

export type BankConfiguration = ConnectedBank & {
  connector?: string | undefined // Defaults to manilla.
  packaged?: Connector | undefined // The connector itself, if it comes from a package.
  settings?: Readonly<Record<string, unknown>> | undefined
  secrets?: Readonly<Record<string, string>> | undefined
}

// Creates the connection to one bank. Returns undefined if the configuration is wrong, and reports each
// problem.
export function connectBank(
  bank: BankConfiguration,
  report: (problem: string) => void,
): BankConnection | undefined {
  const { connector: name = 'manilla' } = bank
  const connectors = bank.mode === 'sandbox' ? SANDBOX_CONNECTORS : CONNECTORS
  const connector = bank.packaged ?? connectors.find((candidate) => candidate.name === name)
  if (!connector) {
    const allowed = connectors.map((candidate) => candidate.name).join(', ')
    report(`connector "${name}" is unknown; allowed: ${allowed}`)
    return undefined
  }
  const settings = new ConnectorSettings(bank, report)
  const isAllowed = readAllowedSources(settings)
  const limits = readLimits(settings)
  const connection = connector.connect(settings, bank)
  settings.refuseUnknown()
  // Live mode demands a known source if the signature does not cover the amount, or covers some fields only.
  const weakness = connector.needsKnownSource
    ? 'does not sign amounts'
    : connection?.signsFieldsOnly && 'signs some fields only'
  if (bank.mode === 'live' && weakness && !isAllowed) {
    settings.report(
      `connector ${name} ${weakness}: live mode requires settings.allow or settings.mutualTls`,
    )
  }
  if (connection?.hintsOnly && !connection.calls.findTransfer) {
    settings.report(
      `connector ${name} signs nothing: settings.baseUrl is required, to ask the bank`,
    )
  }
  if (!connection || settings.hasProblems) return undefined
  const fingerprint = fingerprintOf(connector, settings, bank.mode)
  const { calls, referenceAt, ...parts } = connection
  const connected = {
    ...parts,
    findFormat: connection.hintsOnly ? parseAsHints(connection.findFormat) : connection.findFormat,
    calls: payInNaira(requireOurReference(calls, referenceAt)),
    limits,
    fingerprint,
  }
  if (!isAllowed) return connected
  return {
    ...connected,
    authenticate: (call) =>
      isAllowed(call) ? connection.authenticate(call) : 'source_not_allowed',
  }
}

// Makes the format turn reports into hints, so that nothing is booked from an unsigned report.
function parseAsHints(findFormat: BankConnection['findFormat']): BankConnection['findFormat'] {
  return (call) => {
    const format = findFormat(call)
    return format && { ...format, parse: (rawBody) => asHints(format.parse(rawBody)) }
  }
}

// Returns a fingerprint of the bank that the settings lead to (BankConnection). `payoutScope` is the name of
// the setting that identifies us at the bank. Needs valid settings. Leaves out secrets, because rotating one
// does not change which payouts the bank knows.
function fingerprintOf(
  { name, payoutScope }: Connector,
  settings: ConnectorSettings,
  mode: Mode,
): string {
  const scope = payoutScope && settings.findText(payoutScope)
  const parts = [name, settings.findUrl('baseUrl', mode), scope]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}

// Makes sendMoney refuse other currencies before any request: banks pay from naira accounts, and some take an
// amount without its currency.
function payInNaira({ sendMoney, ...calls }: BankCalls): BankCalls {
  if (!sendMoney) return calls
  return {
    ...calls,
    sendMoney: async (instruction, options) =>
      instruction.currency === CURRENCY
        ? sendMoney(instruction, options)
        : { status: 'failed', reason: `Only ${CURRENCY} can be sent.` },
  }
}

// Returns the call limits of a bank: from its settings, or else the default.
function readLimits(settings: ConnectorSettings): CallLimits {
  const { ratePerSecond, concurrency } = DEFAULT_LIMITS
  return {
    ratePerSecond: settings.findWhole('ratePerSecond', { least: 1, most: 100 }) ?? ratePerSecond,
    concurrency: settings.findWhole('concurrency', { least: 1, most: 50 }) ?? concurrency,
  }
}

// Connects banks whose configuration was checked at start. A problem is therefore a bug, and throws.
export function connectBanks(banks: readonly BankConfiguration[]): BankConnections {
  const refuse = (code: string) => (problem: string) => {
    throw new Error(`bank ${code}: ${problem}`)
  }
  return new Map(
    banks.flatMap((bank) => {
      const connection = connectBank(bank, refuse(bank.code))
      return connection ? [[bank.code, connection]] : []
    }),
  )
}
