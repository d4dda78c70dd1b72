// Simulated credits for the sandbox. From the batcher on they take the same path as any other.

import { randomInt } from 'node:crypto'
import type { IncomingCredit } from '#banks/notifications.ts'
import type { Kobo } from '#money.ts'
import { makeSessionId } from './session-id.ts'

// The sandbox bank's institution code on the session ids of simulated transfers.
const SANDBOX_INSTITUTION = '999999'
// Known, so that what was simulated can be refunded and returned.
const SANDBOX_PAYER = {
  sourceAccountNumber: '0016563228',
  sourceAccountName: 'Sandbox Payer',
  sourceBankCode: '058',
}

export function sandboxSessionId(now: Date): string {
  const unique = String(randomInt(1e12 - 1)).padStart(12, '0')
  return makeSessionId({ institution: SANDBOX_INSTITUTION, now, unique })
}

type CreditOptions = { narration: string; sessionId?: string; currency?: string }

export function sandboxCredit<To extends { accountNumber: string; amountKobo: Kobo }>(
  to: To,
  now: Date,
  { narration, sessionId = sandboxSessionId(now), currency = 'NGN' }: CreditOptions,
): To & IncomingCredit {
  return {
    ...to,
    sessionId,
    currency,
    ...SANDBOX_PAYER,
    narration,
    transactionTime: now,
  }
}
