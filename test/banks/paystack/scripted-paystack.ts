// A scripted Paystack: an answer for each known request line, 404 for all others.

import { type FullCase, fullCase } from '../full-cases.ts'
import { type Answer, startScriptedBank } from '../scripted-bank.ts'
import { PAYSTACK } from './conformance-case.ts'

export const FULL = fullCase(PAYSTACK)

export const ok = (data: unknown): Answer => ({ body: { status: true, message: 'done', data } })
export const no = (status: number, message: string): Answer => ({
  status,
  body: { status: false, message },
})

export function answering(answers: Record<string, Answer>, each: FullCase = FULL) {
  return startScriptedBank(each, ({ line }) => {
    return answers[line.replace(/\?.*$/, '')] ?? no(404, 'none')
  })
}
