// Credits as banks report them: every field filled, and session ids as NIP makes them (sending
// institution, time, unique part). So ids of one institution grow with time, and those of two dozen
// institutions lie two dozen places apart in the index: neither one place nor everywhere.

import { findBank } from '#banks/directory.ts'
import type { IncomingCredit } from '#domain/credits/judge-credit.ts'
import { kobo } from '#money.ts'
import { watDigits } from '#wat-time.ts'

// Of the banks' NIP codes; who sends to whom is spread evenly.
export const INSTITUTIONS = Array.from({ length: 24 }, (_, at) => String(at + 1).padStart(6, '0'))

export const SESSIONS_PER_SECOND = 10_000 // How far the time in the ids goes on from one to the next.
const SCATTER = 7_919_003 // Prime to 10: i × this modulo 10^10 never repeats below 10^10.

export type FeedCredit = {
  sessionId: string
  accountNumber: string
  amount: string
  currency: string
  sourceAccountNumber: string
  sourceAccountName: string
  sourceBankCode: string
  narration: string
  transactionTime: string
}

export type Feed = {
  tag: number // 0 to 99, another for every row: no two rows share a session id.
  sessions: 'nip' | 'random'
  numbers: readonly string[]
  startMs: number
}

// Numbers are visited in a scattered order, each as often as the others.
export function feedCredit({ tag, sessions, numbers, startMs }: Feed, index: number): FeedCredit {
  const { iso, digits } = momentOf(startMs + Math.floor(index / SESSIONS_PER_SECOND) * 1000)
  const institution = INSTITUTIONS[(index * 7) % INSTITUTIONS.length] as string
  const scattered = String((index * SCATTER) % 1e10).padStart(10, '0')
  const unique = scattered + String(tag).padStart(2, '0')
  return {
    sessionId:
      sessions === 'nip'
        ? institution + digits + unique
        : `${[...scattered].reverse().join('')}00000000${unique}`,
    accountNumber: numbers[(index * 70_001) % numbers.length] as string,
    amount: `${100 + ((index * 37) % 9_000)}.50`,
    currency: 'NGN',
    sourceAccountNumber: String(1_000_000_000 + ((index * 13) % 1_000_000)),
    sourceAccountName: `Payer Number ${index % 100_000}`,
    sourceBankCode: '058',
    narration: `Transfer for order ${index}`,
    transactionTime: iso,
  }
}

// The same for thousands of credits, and slow to spell.
let moment = { ms: 0, iso: '', digits: '' }

function momentOf(ms: number) {
  if (moment.ms !== ms) {
    const at = new Date(ms)
    moment = { ms, iso: at.toISOString(), digits: watDigits(at) }
  }
  return moment
}

export function incoming(credit: FeedCredit, bankCode: string): IncomingCredit {
  const { amount, transactionTime, ...same } = credit
  return {
    ...same,
    bankCode,
    amountKobo: kobo(BigInt(amount.replace('.', ''))),
    sourceBankCode: findBank(credit.sourceBankCode)?.code ?? null,
    transactionTime: new Date(transactionTime),
  }
}
