// One connector as the conformance suite runs it: a configuration that is right, how the bank signs a
// call, and its samples, byte for byte as the bank publishes them. Samples of banks that publish none
// (manilla, iso20022, wema, template) are ours.

import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BankCharges, IdentifierKind, IncomingCredit } from '#banks/notifications.ts'
import { type Kobo, kobo } from '#money.ts'
import type { NestedRendering } from './renderings.ts'

export type Expected = Pick<
  IncomingCredit,
  'sessionId' | 'identifiedBy' | 'otherIdentifiers' | 'charges'
> & { accountNumber: string; amountKobo: Kobo }

export type Sample = {
  file: string
  expected: Expected
  // Where the bank says what it takes for taken, and for seen before.
  taken: object
  again: object
}

export type Headers = Record<string, string>

export type ConnectorCase = {
  connector: string
  label: string // Tells two configurations of one connector apart.
  settings: Readonly<Record<string, unknown>>
  secrets: Readonly<Record<string, string>>
  contentType: string
  signs(call: { body: Buffer; now: Date; secret: string }): Headers
  secret: string // The one that it signs with.
  signatureHeader: string
  signsFields?: readonly string[] // Their paths; rather than the body or nothing.
  hintsOnly?: true // Nothing is signed: the bank is asked for what it reports.
  signsNoAmount?: true // A constant token, or fields without the amount.
  // A part of the body that the signature covers, and what it might be forged to; null: none is.
  signedPart: readonly [part: string, forged: string] | null
  samples: readonly Sample[]
  rendering?: NestedRendering // How the bank writes a credit, where it sends one JSON object each.
  api?: CaseApi
}

// What its outgoing calls need, and how the bank words the answers that every connector must tell apart.
export type CaseApi = {
  settings: Readonly<Record<string, unknown>>
  secrets?: Readonly<Record<string, string>>
  asksBy?: IdentifierKind // What it finds a transfer by. Default session_id.
  login?: { line: string; answer(token: string): object }
  // A request that has to succeed before an order goes out, such as one that makes the recipient.
  beforeOrder?: { line: string; status: number; answer: object }
  payoutNotFound?: object // With 404.
  nameRefusal?(message: string): object
  otherScope?: Readonly<Record<string, unknown>> // The settings of somebody else at the same bank.
}

const SAMPLES = join(import.meta.dirname, 'samples')

export function readSample(connector: string, file: string): Buffer {
  return readFileSync(join(SAMPLES, connector, file))
}

export const charged = (fee: bigint, vat = 0n): { charges: BankCharges } => ({
  charges: { feeKobo: kobo(fee), vatKobo: kobo(vat), dutyKobo: kobo(0n) },
})
export const reference = (value: string) => ({ kind: 'bank_reference', value }) as const
export const hmac = (algorithm: string, secret: string, text: Buffer | string) =>
  createHmac(algorithm, secret).update(text)
