// The witness is outside the service. It records every request before it is sent, every response before it
// is used, every webhook before it is acknowledged, and every order that reached the bank before it is
// answered: one JSON object per line, appended to a file. The checker knows only this file and the
// database.

import { closeSync, openSync, writeSync } from 'node:fs'

// Operations that a bank or client intends once, however often it repeats the call. `key` identifies the
// intent: a session id or an idempotency key.
export type Operation =
  | 'credit'
  | 'reversal'
  | 'account'
  | 'deactivation'
  | 'advice'
  | 'advice_cancellation'
  | 'payment'
  | 'payout'
  | 'payout_cancellation'
  | 'payout_file'
  | 'payout_report'
  | 'refund'
  | 'refund_cancellation'
  | 'settlement'
  | 'assignment'
  | 'return'
  | 'statement'
  | 'hold'
  | 'hold_ending'
  | 'hold_approval'

export type Terms = Readonly<Record<string, string>>

export type Entry =
  | { kind: 'wanted'; operation: Operation; key: string; terms: Terms }
  // One call may carry several intents: a list of credits.
  | { kind: 'asked'; call: number; keys: readonly string[]; at: number; api: number }
  | { kind: 'answered'; call: number; at: number; status: number; body: unknown }
  | { kind: 'unanswered'; call: number; at: number; why: string }
  // The verdict of a call's answer on one of its keys.
  | { kind: 'acknowledged' | 'refused'; call: number; key: string; result: Terms }
  | Webhook
  | BankOrder
  | { kind: 'fault' | 'healed' | 'resumed'; at: number; name: string; detail?: string }

export type Webhook = {
  kind: 'webhook'
  clientId: string
  path: string // The path that received it.
  at: number
  id: string
  isGenuine: boolean
  skewSeconds: number // The difference between its timestamp and our clock.
  sequence: number
  type: string
  reference: string // The reference of its object, if it has one.
  status: string
}

// `ordered`: the bank received the order. `paid`: it paid, by its own books. `refused_by_bank`: it will never
// pay.
export type BankOrder = {
  kind: 'ordered' | 'paid' | 'refused_by_bank'
  at: number
  reference: string
  amount: string
}

export class Witness implements Disposable {
  readonly path: string
  readonly #file: number
  #calls = 0

  constructor(path: string) {
    this.path = path
    this.#file = openSync(path, 'a')
  }

  note(entry: Entry): void {
    writeSync(this.#file, `${JSON.stringify(entry)}\n`)
  }

  nextCall(): number {
    return ++this.#calls
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}
