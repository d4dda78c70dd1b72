// One connector in the conformance suite: a valid configuration, the bank's signature of a call,
// and its samples, byte for byte as the bank publishes them. Samples of banks that publish none
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
  // The acknowledgement of a new notification, and of a known one.
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
  signs(call: { body: Buffer; now: Date; secret: string }): Headers
  secret: string // The signing secret.
  signatureHeader: string
  signsFields?: readonly string[] // The paths of the signed fields, instead of the whole body or nothing.
  hintsOnly?: true // Nothing is signed: the service queries the bank instead.
  signsNoAmount?: true // A constant token, or fields without the amount.
  // A signed part of the body and a forged value for it; null if no part is signed.
  signedPart: readonly [part: string, forged: string] | null
  samples: readonly Sample[]
  rendering?: NestedRendering // The bank's form of a credit, if it sends one JSON object per credit.
  api?: CaseApi
}

// Settings of its outgoing calls, and the bank's wording of the answers that every connector must
// distinguish.
export type CaseApi = {
  settings: Readonly<Record<string, unknown>>
  secrets?: Readonly<Record<string, string>>
  asksBy?: IdentifierKind // The identifier of its transfer queries. Default session_id.
  login?: { line: string; answer(token: string): object }
  // A request that must succeed before an order goes out, such as creating the recipient.
  beforeOrder?: { line: string; status: number; answer: object }
  payoutNotFound?: object // The body with a 404.
  nameRefusal?(message: string): object
  otherScope?: Readonly<Record<string, unknown>> // The settings of another customer of the same bank.
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
