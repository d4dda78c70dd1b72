// Accepts an answer about a payout only if it repeats our reference (I261). Every connector passes through
// here, built in or from a package, because a bank may answer with the record of another payout, and a
// connector may forget to look.

import type { BankCalls, ConnectorCalls, PayoutAnswer, PayoutReading } from './connector.ts'

const NOT_OURS = 'The answer does not repeat our reference.'

// Wraps the calls of a connector. `referenceAt` returns our reference as the bank knows it; undefined if the
// bank cannot know it.
export function requireOurReference(
  { sendMoney, findPayout, ...calls }: ConnectorCalls,
  referenceAt: (reference: string) => string | undefined = (reference) => reference,
): BankCalls {
  return {
    ...calls,
    ...(sendMoney && {
      sendMoney: async (instruction, options) => {
        const reading = await sendMoney(instruction, options)
        if (reading.status === 'refused') return { status: 'failed', reason: reading.reason }
        return compare(reading, referenceAt(instruction.reference))
      },
    }),
    ...(findPayout && {
      findPayout: async (reference, options) =>
        compare(await findPayout(reference, options), referenceAt(reference)),
    }),
  }
}

// Returns the answer without its reference, or unknown if the reference is not the expected one.
function compare(reading: PayoutReading, expected: string | undefined): PayoutAnswer {
  if (reading.status === 'refused') return { status: 'unknown', reason: reading.reason }
  const saysNothing =
    reading.status === 'unknown' && !('isAccepted' in reading && reading.isAccepted)
  if (reading.status === 'unsent' || reading.status === 'not_found' || saysNothing) return reading
  const { reference, ...answer } = reading as Exclude<
    typeof reading,
    { status: 'unsent' | 'not_found' }
  > & {
    reference?: unknown
  }
  const isOurs = expected !== undefined && reference === expected
  return isOurs ? answer : { status: 'unknown', reason: NOT_OURS }
}
