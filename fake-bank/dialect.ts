// What the other side of a connector says: how the bank signs and words a notification, how it reads
// the acknowledgement, how often it tries, and the API it can be asked through.
//
// Written from the bank's documentation, not from the connector: shared code would share its mistakes.

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

// `rejected` is final; `retry` is tried again as the bank does.
export type Outcome = 'acknowledged' | 'rejected' | 'retry'

// A value of the bank's entry in the banks file: plain under `settings`, or a secret, in an
// environment variable of that name.
export type Credential = { value: string; variable?: string }

export type Dialect = {
  connector: string
  credentials: Readonly<Record<string, Credential>> // With the values used unless others are given.
  settings?: Readonly<Record<string, string>> // Of the banks file, besides the credentials.
  numbers?: 'perCustomer' // Where they come from. Default: ranges that it grants.
  tries: number
  retryAfterMs: number | readonly number[] // The same each time, or one for each retry.
  batchMax: number // Transfers in one notification.
  hasApi: boolean // It can be asked.
  signsCreditsOnly?: true // And so nothing else of it is believed.
  hidesCharges?: true // Neither a notification nor an answer tells them.
  hidesUnknownAccounts?: true // Its words for nobody's account are those for a bank that is silent.
  speak(party: Party): Speaker
}

export type Party = {
  bankCode: string
  clock: Clock
  credentials: Readonly<Record<string, string>>
}

export type Speaker = {
  notify(transfers: readonly Transfer[]): Message
  notifyPayout?(news: PayoutNews): Message // Where the bank reports what became of payouts.
  readAcknowledgement(response: Response, transfers: readonly Transfer[]): Outcome[]
  enquireName(accountNumber: string): Message
  serve(app: FastifyInstance, asked: Asked): void
}

// What its API works on.
export type Asked = {
  bank: Bank
  resend(from: Date, to: Date): void // Notifications that were not acknowledged.
}

export type Query = { Querystring: Record<string, string | undefined> }

// The words most of them share: 00 taken, 01 known, 02 refused, 03 try again.
export function outcomeOf(responseCode: unknown): Outcome {
  if (responseCode === '00' || responseCode === '01') return 'acknowledged'
  return responseCode === '02' ? 'rejected' : 'retry'
}

// For banks that take an HTTP status for an acknowledgement.
export function outcomeOfStatus(httpStatus: number): Outcome {
  return httpStatus >= 200 && httpStatus < 300 ? 'acknowledged' : 'retry'
}

// Silence lasts until the caller gives up; a dropped answer breaks the connection.
export function keepQuiet(reply: FastifyReply, how: 'silent' | 'dropped'): FastifyReply {
  reply.hijack()
  if (how === 'dropped') reply.raw.destroy()
  return reply
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
