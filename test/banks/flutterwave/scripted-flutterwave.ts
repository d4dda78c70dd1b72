// Starts a fake Flutterwave with a fixed answer for each request line. All other requests get 404.

import { fullCase } from '../full-cases.ts'
import { type Answer, startScriptedBank } from '../scripted-bank.ts'
import { FLUTTERWAVE } from './conformance-case.ts'

export const FULL = fullCase(FLUTTERWAVE)

// Returns a successful answer of Flutterwave, or with `no` a refusal.
export const ok = (data: unknown, more: object = {}): Answer => ({
  body: { status: 'success', message: 'done', data, ...more },
})
export const no = (status: number, message: string): Answer => ({
  status,
  body: { status: 'error', message, data: null },
})

// Starts a fake Flutterwave that answers these request lines, compared without their query, and refuses all
// others with 404.
export function answering(answers: Record<string, Answer>) {
  return startScriptedBank(FULL, ({ line }) => {
    return answers[line.replace(/\?.*$/, '')] ?? no(404, 'none')
  })
}
