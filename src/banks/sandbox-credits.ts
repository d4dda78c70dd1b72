// Simulated credits for the sandbox. From the batcher on they take the path of every credit.

import { createHash, randomInt } from 'node:crypto'
import type { Kobo } from '#money.ts'
import type { IncomingCredit } from './notifications.ts'
import { makeSessionId } from './numbers.ts'

// The sandbox bank's institution code on the session ids of simulated transfers.
const SANDBOX_INSTITUTION = '999999'
// Simulated credits have a payer's account, so that they can be refunded and returned.
const SANDBOX_PAYER = {
  sourceAccountNumber: '0016563228',
  sourceAccountName: 'Sandbox Payer',
  sourceBankCode: '058',
}

const UNIQUE = 1e12

// With a seed, the session id is the same each time.
export function sandboxSessionId(now: Date, seed?: string): string {
  const number = seed === undefined ? randomInt(UNIQUE - 1) : hash(seed) % UNIQUE
  const unique = String(number).padStart(12, '0')
  return makeSessionId({ institution: SANDBOX_INSTITUTION, now, unique })
}

function hash(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6)
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
