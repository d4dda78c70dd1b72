// A service whose banks respond to payouts as the test says, with one payout queued.

import type { BankConnection, PayoutAnswer } from '#banks/connector.ts'
import { createPayout, fund, getPayout, payoutRounds } from './payouts.ts'
import { startTestService } from './running-service.ts'

export const UNKNOWN: PayoutAnswer = { status: 'unknown', reason: 'timeout' }

// Starts the service. Each bank responds with `answers`, which the test may change later, and records the
// payouts sent to it. Without `find`, the banks cannot be asked about payouts.
export async function scripted(answers: { send: PayoutAnswer; find?: PayoutAnswer | undefined }) {
  const bench = await startTestService()
  const sent: string[] = []
  const during: { call?: () => Promise<unknown> } = {} // The test's function runs during the bank's call.
  const calls: BankConnection['calls'] = {
    sendMoney: async ({ reference }) => {
      sent.push(reference)
      await during.call?.()
      return answers.send
    },
    ...('find' in answers && {
      findPayout: async () => {
        await during.call?.()
        return answers.find as PayoutAnswer
      },
    }),
  }
  const limits = { ratePerSecond: 5, concurrency: 4 }
  const connection = { calls, limits, notFoundIsProof: true }
  const codes = bench.config.banks.map(({ code }) => code)
  const connections = new Map(codes.map((code) => [code, connection as BankConnection]))
  const rounds = await payoutRounds(bench, { connections })
  await fund(bench, '5000')
  const { reference } = await createPayout(bench, { amount: 1000 })
  return {
    bench,
    rounds,
    answers,
    sent,
    during,
    reference,
    status: async () => (await getPayout(bench, reference)).status,
    async [Symbol.asyncDispose]() {
      await rounds[Symbol.asyncDispose]()
      await bench[Symbol.asyncDispose]()
    },
  }
}
