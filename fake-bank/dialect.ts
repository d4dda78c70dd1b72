// The bank's side of a connector: how the bank signs and words a notification, reads the
// acknowledgement and retries, and the API that it serves. A dialect follows the bank's
// documentation, not the connector: shared code would share its mistakes.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Clock } from '#clock.ts'
import type { Bank, Transfer } from './bank.ts'
import type { PayoutNews } from './payouts.ts'

export type Message = {
  path: string // Below /rails/{bankCode}.
  headers: Record<string, string>
  body: string
}

export type Response = { httpStatus: number; body: string }

// `rejected` is final; after `retry` the bank sends the notification again.
export type Outcome = 'acknowledged' | 'rejected' | 'retry'

// A value of the bank's entry in the banks file: plain under `settings`, or a secret, in an
// environment variable of that name.
type Credential = { value: string; variable?: string }

export type Dialect = {
  connector: string
  credentials: Readonly<Record<string, Credential>> // Defaults, unless the caller passes others.
  settings?: Readonly<Record<string, string>> // Other settings in the banks file.
  numbers?: 'perCustomer' // Default: the bank grants ranges of numbers.
  tries: number
  retryAfterMs: number | readonly number[] // One delay, or one for each retry.
  batchMax: number // Transfers in one notification.
  hasApi: boolean // Whether the bank serves an API.
  signsCreditsOnly?: true // It cannot sign a name enquiry, so Manilla refuses one with 401.
  hidesCharges?: true // Neither notifications nor answers include the charges.
  hidesUnknownAccounts?: true // Its answer does not tell an unknown account from a bank that is silent.
  speak(party: Party): Speaker
}

// The bank that a dialect speaks for: its code, clock and credentials.
export type Party = {
  bankCode: string
  clock: Clock
  credentials: Readonly<Record<string, string>>
}

// Speaks for one bank: makes its messages, reads Manilla's answers, and serves the bank's API.
export type Speaker = {
  notify(transfers: readonly Transfer[]): Message
  notifyPayout?(news: PayoutNews): Message // Set only if the bank reports the results of payouts.
  readAcknowledgement(response: Response, transfers: readonly Transfer[]): Outcome[]
  enquireName(accountNumber: string): Message
  serve(app: FastifyInstance, api: ApiContext): void
}

// The data that the bank's API works on.
export type ApiContext = {
  bank: Bank
  resend(from: Date, to: Date): void // Resends notifications that were not acknowledged.
}

export type Query = { Querystring: Record<string, string | undefined> }

// Returns the outcome for a response code, as most banks read it: 00 taken, 01 known, 02 refused, 03 try
// again.
export function outcomeOf(responseCode: unknown): Outcome {
  if (responseCode === '00' || responseCode === '01') return 'acknowledged'
  return responseCode === '02' ? 'rejected' : 'retry'
}

// Returns the outcome for banks that read an HTTP status as the acknowledgement.
export function outcomeOfStatus(httpStatus: number): Outcome {
  return httpStatus >= 200 && httpStatus < 300 ? 'acknowledged' : 'retry'
}

// Sends no answer: `silent` waits until the caller gives up, `dropped` breaks the connection.
export function keepQuiet(reply: FastifyReply, how: 'silent' | 'dropped'): FastifyReply {
  reply.hijack() // Keeps Fastify from sending an answer.
  if (how === 'dropped') reply.raw.destroy()
  return reply
}

// Parses JSON. Returns undefined if the text is not valid JSON.
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Returns the value if it is a JSON object, else an empty object, so that callers can read its fields
// unchecked.
export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}

// Returns the value if it is a text, else an empty text.
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
