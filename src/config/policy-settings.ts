// Defaults that clients and advices may override: lifetimes, names, limits.

import { type Kobo, kobo } from '#money.ts'
import * as values from './setting-parsers.ts'

export type Policy = {
  readonly tokenTtlSeconds: number
  readonly expirySeconds: number
  readonly graceSeconds: number
  readonly quarantineDays: number
  readonly approverWaitHours: number // The wait of a user with changed access before approving.
  readonly bankTimeMaxAgeHours: number // A credit with an older bank time is judged by its arrival.
  readonly suspiciousKobo: Kobo // A larger credit is suspended until somebody has reviewed it.
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
  MANILLA_ACCOUNT_NAME: values.accountNameStyle,
  MANILLA_LIMIT_PER_CREDIT: values.amount,
  MANILLA_LIMIT_PER_DAY: values.amount,
} as const

type Settings = typeof POLICY_SETTINGS
type Values = { [name in keyof Settings]?: NonNullable<ReturnType<Settings[name]>> }

const SUSPICIOUS_KOBO = kobo(100_000_000_000n) // 1,000,000,000.00
const APPROVER_WAIT_HOURS = { sandbox: 0, live: 24 } // No wait in a sandbox, for rehearsals.

export function readPolicy(settings: Values, mode: keyof typeof APPROVER_WAIT_HOURS): Policy {
  return {
    tokenTtlSeconds: settings.MANILLA_TOKEN_TTL_SECONDS ?? 3600,
    expirySeconds: settings.MANILLA_EXPIRY_SECONDS ?? 1800,
    graceSeconds: settings.MANILLA_GRACE_SECONDS ?? 300,
    quarantineDays: settings.MANILLA_QUARANTINE_DAYS ?? 30,
    approverWaitHours: settings.MANILLA_APPROVER_WAIT_HOURS ?? APPROVER_WAIT_HOURS[mode],
    bankTimeMaxAgeHours: settings.MANILLA_BANK_TIME_MAX_AGE_HOURS ?? 72,
    suspiciousKobo: settings.MANILLA_SUSPICIOUS_AMOUNT ?? SUSPICIOUS_KOBO,
    accountName: settings.MANILLA_ACCOUNT_NAME ?? '{merchant}/{customer}',
    limits: {
      perCreditKobo: settings.MANILLA_LIMIT_PER_CREDIT ?? null,
      perDayKobo: settings.MANILLA_LIMIT_PER_DAY ?? null,
    },
  }
}
