// Defaults that clients and advices may override: lifetimes, names, limits.

import { type Kobo, kobo } from '#money.ts'
import * as values from './setting-parsers.ts'

export type Policy = {
  readonly tokenTtlSeconds: number
  readonly expirySeconds: number
  readonly graceSeconds: number
  readonly quarantineDays: number
  readonly approverWaitHours: number // Before a user with changed access may approve.
  readonly bankTimeMaxAgeHours: number // Older, and a credit is judged by its arrival.
  readonly suspiciousKobo: Kobo // A credit of more is suspended until somebody has looked at it.
  readonly accountName: string // With {merchant} and {customer} in it.
  // Of new collection accounts. Null: none.
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
type Given = { [name in keyof Settings]?: NonNullable<ReturnType<Settings[name]>> }

const SUSPICIOUS_KOBO = kobo(100_000_000_000n) // 1,000,000,000.00
const APPROVER_WAIT_HOURS = { sandbox: 0, live: 24 } // So that a sandbox can be rehearsed in.

export function readPolicy(given: Given, mode: keyof typeof APPROVER_WAIT_HOURS): Policy {
  return {
    tokenTtlSeconds: given.MANILLA_TOKEN_TTL_SECONDS ?? 3600,
    expirySeconds: given.MANILLA_EXPIRY_SECONDS ?? 1800,
    graceSeconds: given.MANILLA_GRACE_SECONDS ?? 300,
    quarantineDays: given.MANILLA_QUARANTINE_DAYS ?? 30,
    approverWaitHours: given.MANILLA_APPROVER_WAIT_HOURS ?? APPROVER_WAIT_HOURS[mode],
    bankTimeMaxAgeHours: given.MANILLA_BANK_TIME_MAX_AGE_HOURS ?? 72,
    suspiciousKobo: given.MANILLA_SUSPICIOUS_AMOUNT ?? SUSPICIOUS_KOBO,
    accountName: given.MANILLA_ACCOUNT_NAME ?? '{merchant}/{customer}',
    limits: {
      perCreditKobo: given.MANILLA_LIMIT_PER_CREDIT ?? null,
      perDayKobo: given.MANILLA_LIMIT_PER_DAY ?? null,
    },
  }
}
