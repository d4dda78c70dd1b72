// A scripted Flutterwave: an answer for each known request line, 404 for all others.

import { fullCase } from '../full-cases.ts'
import { type Answer, startScriptedBank } from '../scripted-bank.ts'
import { FLUTTERWAVE } from './conformance-case.ts'

export const FULL = fullCase(FLUTTERWAVE)

export const ok = (data: unknown, more: object = {}): Answer => ({
  body: { status: 'success', message: 'done', data, ...more },
})
export const no = (status: number, message: string): Answer => ({
  status,
  body: { status: 'error', message, data: null },
})

export function answering(answers: Record<string, Answer>) {
  return startScriptedBank(FULL, ({ line }) => {
    return answers[line.replace(/\?.*$/, '')] ?? no(404, 'none')
  })
}
