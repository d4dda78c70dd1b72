// Reads the settings of policy (lifetimes, names and limits, some of which clients and advices may override),
// of rate limits, and of observability.

import { type Kobo, kobo } from '#money.ts'
import { SAMPLERS, type TracingSettings } from '#trace-context.ts'
import type { Parser } from './setting-parsers.ts'
import * as values from './setting-parsers.ts'

export type Policy = {
  readonly tokenTtlSeconds: number
  readonly expirySeconds: number
  readonly graceSeconds: number
  readonly quarantineDays: number
  readonly approverWaitHours: number // How long a user waits before approving, after a change of access.
  readonly bankTimeMaxAgeHours: number // A credit with an older bank time is judged by its arrival.
  readonly suspiciousKobo: Kobo // A larger credit is suspended until an operator has reviewed it.
  readonly screeningLateMinutes: number // Credits unscreened for longer raise an alert.
  readonly accountName: string // Contains {merchant} and {customer}.
  // Defaults of new collection accounts. Null means no limit.
  readonly limits: { readonly perCreditKobo: Kobo | null; readonly perDayKobo: Kobo | null }
}

export const POLICY_SETTINGS = {
  MANILLA_TOKEN_TTL_SECONDS: values.whole(60, 86_400),
  MANILLA_EXPIRY_SECONDS: values.whole(60, 172_800),
  MANILLA_GRACE_SECONDS: values.whole(0, 86_400),
  MANILLA_QUARANTINE_DAYS: values.whole(1, 365),
  MANILLA_APPROVER_WAIT_HOURS: values.whole(0, 720),
  MANILLA_BANK_TIME_MAX_AGE_HOURS: values.whole(0, 720),
  MANILLA_SUSPICIOUS_AMOUNT: values.amount,
  MANILLA_SCREENING_LATE_MINUTES: values.whole(1, 1_440),
  MANILLA_ACCOUNT_NAME: values.accountNameStyle,
  MANILLA_LIMIT_PER_CREDIT: values.amount,
  MANILLA_LIMIT_PER_DAY: values.amount,
} as const

type PolicySettings = typeof POLICY_SETTINGS
type PolicyValues = {
  [name in keyof PolicySettings]?: NonNullable<ReturnType<PolicySettings[name]>>
}

const SUSPICIOUS_KOBO = kobo(100_000_000_000n) // 1,000,000,000.00
const APPROVER_WAIT_HOURS = { sandbox: 0, live: 24 } // None in a sandbox, so that users can rehearse.

// Fills in the defaults of the policy.
export function readPolicy(settings: PolicyValues, mode: keyof typeof APPROVER_WAIT_HOURS): Policy {
  return {
    tokenTtlSeconds: settings.MANILLA_TOKEN_TTL_SECONDS ?? 3600,
    expirySeconds: settings.MANILLA_EXPIRY_SECONDS ?? 1800,
    graceSeconds: settings.MANILLA_GRACE_SECONDS ?? 300,
    quarantineDays: settings.MANILLA_QUARANTINE_DAYS ?? 30,
    approverWaitHours: settings.MANILLA_APPROVER_WAIT_HOURS ?? APPROVER_WAIT_HOURS[mode],
    bankTimeMaxAgeHours: settings.MANILLA_BANK_TIME_MAX_AGE_HOURS ?? 72,
    suspiciousKobo: settings.MANILLA_SUSPICIOUS_AMOUNT ?? SUSPICIOUS_KOBO,
    screeningLateMinutes: settings.MANILLA_SCREENING_LATE_MINUTES ?? 5,
    accountName: settings.MANILLA_ACCOUNT_NAME ?? '{merchant}/{customer}',
    limits: {
      perCreditKobo: settings.MANILLA_LIMIT_PER_CREDIT ?? null,
      perDayKobo: settings.MANILLA_LIMIT_PER_DAY ?? null,
    },
  }
}

// Rate limits, in requests per minute. A request is counted only against the most specific limit. The
// sandbox's limits are high, so that a load test measures the service and not the limits.
export type RatePolicy = 'client' | 'simulate' | 'address' | 'initiate' | 'login' | 'rail'
export type Rates = Readonly<Record<RatePolicy, number>> // 0 means no limit.

const RATE_MAX = 60_000_000

export const RATES: Readonly<Record<'sandbox' | 'live', Rates>> = {
  live: {
    client: 60_000,
    simulate: 600,
    address: 3_000, // Many payers of one mobile network share an address.
    initiate: 300,
    login: 60,
    rail: 600_000,
  },
  sandbox: {
    client: 6_000_000,
    simulate: 60_000,
    address: 60_000,
    initiate: 6_000_000,
    login: 6_000,
    rail: 6_000_000,
  },
}

const NAMES = Object.keys(RATES.live)

// Accepts a list such as login=30,client=6000. Limits that are not listed keep their defaults.
export const rates: Parser<Partial<Rates>> = (text, report) => {
  const limits: Record<string, number> = {}
  text.split(',').forEach((entry, index) => {
    const [, name = '', digits = ''] = /^\s*([a-z]+)\s*=\s*([0-9]{1,8})\s*$/.exec(entry) ?? []
    const perMinute = Number(digits)
    if (!NAMES.includes(name) || digits === '' || perMinute > RATE_MAX || name in limits) {
      const right = `name=number, each name once: ${NAMES.join(', ')}`
      report(`entry ${index + 1} must be ${right}; at most ${RATE_MAX} per minute, 0 for no limit`)
    }
    limits[name] = perMinute
  })
  return limits
}

// Settings of the log, /metrics and traces. The settings of traces have the names and meanings of
// OpenTelemetry.

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export type Observability = {
  readonly logLevel: (typeof LOG_LEVELS)[number]
  readonly loggedShare: number // The share of successful requests that is logged.
  readonly metricsToken: string | undefined // If unset, /metrics is open in the sandbox, absent in live mode.
  readonly tracing: TracingSettings | undefined
}

export const OBSERVABILITY_SETTINGS = {
  MANILLA_METRICS_TOKEN: values.metricsToken,
  LOG_LEVEL: values.oneOf(LOG_LEVELS),
  MANILLA_LOG_REQUESTS: values.share,
  OTEL_EXPORTER_OTLP_ENDPOINT: values.webAddress,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: values.webAddress,
  OTEL_EXPORTER_OTLP_HEADERS: values.pairs,
  OTEL_SERVICE_NAME: values.serviceName,
  OTEL_RESOURCE_ATTRIBUTES: values.pairs,
  OTEL_TRACES_SAMPLER: values.oneOf(SAMPLERS),
  OTEL_TRACES_SAMPLER_ARG: values.share,
  OTEL_SDK_DISABLED: values.oneOf(['true', 'false']),
} as const

type Settings = typeof OBSERVABILITY_SETTINGS
type Values = { [name in keyof Settings]?: NonNullable<ReturnType<Settings[name]>> }

// Fills in the defaults of log, metrics and traces.
export function readObservability(settings: Values): Observability {
  return {
    logLevel: settings.LOG_LEVEL ?? 'info',
    loggedShare: settings.MANILLA_LOG_REQUESTS ?? 0,
    metricsToken: settings.MANILLA_METRICS_TOKEN,
    tracing: readTracing(settings),
  }
}

// Returns undefined if traces are off: no endpoint is set, or OTEL_SDK_DISABLED is true.
function readTracing(settings: Values): TracingSettings | undefined {
  const base = settings.OTEL_EXPORTER_OTLP_ENDPOINT
  const url = settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base}/v1/traces`)
  if (!url || settings.OTEL_SDK_DISABLED === 'true') return undefined
  return {
    url,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    serviceName: settings.OTEL_SERVICE_NAME ?? 'manilla',
    attributes: settings.OTEL_RESOURCE_ATTRIBUTES ?? {},
    sampler: settings.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on',
    share: settings.OTEL_TRACES_SAMPLER_ARG ?? 1,
  }
}
