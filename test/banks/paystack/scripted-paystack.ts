// Starts a fake Paystack with a fixed answer for each request line. All other requests get 404.

import { type FullCase, fullCase } from '../full-cases.ts'
import { type Answer, startScriptedBank } from '../scripted-bank.ts'
import { PAYSTACK } from './conformance-case.ts'

export const FULL = fullCase(PAYSTACK)

// Returns a successful answer of Paystack, or with `no` a refusal.
export const ok = (data: unknown): Answer => ({ body: { status: true, message: 'done', data } })
export const no = (status: number, message: string): Answer => ({
  status,
  body: { status: false, message },
})

// Starts a fake Paystack that answers these request lines, compared without their query, and refuses all
// others with 404.
export function answering(answers: Record<string, Answer>, connectorCase: FullCase = FULL) {
  return startScriptedBank(connectorCase, ({ line }) => {
    return answers[line.replace(/\?.*$/, '')] ?? no(404, 'none')
  })
}
