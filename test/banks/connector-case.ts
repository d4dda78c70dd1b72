// The type of a connector's case in the conformance suite: a valid configuration, how the bank signs a
// call, and sample notifications, byte for byte as the bank publishes them. Banks that publish none
// (manilla, iso20022, wema, template) have samples of our own.

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
  // The body with which the service acknowledges a new notification, and a repeated one.
  taken: object
  again: object
}

export type Headers = Record<string, string>

export type ConnectorCase = {
  connector: string
  label: string // Distinguishes configurations of one connector.
  settings: Readonly<Record<string, unknown>>
  secrets: Readonly<Record<string, string>>
  contentType: string
  // Returns the headers with which the bank signs this body.
  signs(call: { body: Buffer; now: Date; secret: string }): Headers
  secret: string // The signing secret.
  signatureHeader: string
  signsFields?: readonly string[] // Set if the signature covers only the fields at these paths.
  hintsOnly?: true // The bank signs nothing: the service books only what it queries from the bank.
  signsNoAmount?: true // The bank sends a constant token, or signs fields without the amount.
  // A signed part of the body and a forged value for it; null if no part is signed.
  signedPart: readonly [part: string, forged: string] | null
  samples: readonly Sample[]
  rendering?: NestedRendering // The bank's form of a credit, if it sends one JSON object per credit.
  api?: CaseApi
}

// The settings of the connector's outgoing calls, and how the bank words the answers that every connector
// must tell apart.
export type CaseApi = {
  settings: Readonly<Record<string, unknown>>
  secrets?: Readonly<Record<string, string>>
  asksBy?: IdentifierKind // By which identifier the connector queries a transfer. Default session_id.
  // The request line of a login (method and path), and the bank's answer with this token.
  login?: { line: string; answer(token: string): object }
  // A request that must succeed before an order goes out, such as creating the recipient.
  beforeOrder?: { line: string; status: number; answer: object }
  payoutNotFound?: object // The body with which the bank answers 404 to a query for a payout.
  // Returns the bank's answer to a query for a payout that it has paid under this reference of ours.
  payoutPaid?(reference: string): object
  // Returns the bank's answer that refuses a name enquiry with this message.
  nameRefusal?(message: string): object
  otherScope?: Readonly<Record<string, unknown>> // The settings of another customer of the same bank.
}

const SAMPLES = join(import.meta.dirname, 'samples')

export function readSample(connector: string, file: string): Buffer {
  return readFileSync(join(SAMPLES, connector, file))
}

// Returns the charges that a sample must be read with, in kobo.
export const charged = (fee: bigint, vat = 0n): { charges: BankCharges } => ({
  charges: { feeKobo: kobo(fee), vatKobo: kobo(vat), dutyKobo: kobo(0n) },
})
export const reference = (value: string) => ({ kind: 'bank_reference', value }) as const
export const hmac = (algorithm: string, secret: string, text: Buffer | string) =>
  createHmac(algorithm, secret).update(text)
