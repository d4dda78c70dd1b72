// What a bank withheld from a transfer, from what its notification says of it.
//
// The settled amount decides, because it is what the bank's statement shows: fee, VAT and duty must
// make up exactly the difference between it and the amount. Some banks give the VAT as a part of the
// fee; what no reading explains is a fee.

import { type Kobo, kobo, koboOf } from '#money.ts'
import type { BankCharges } from './notifications.ts'

// As the bank wrote them. Null, undefined and '' mean not said.
export type ChargeFields = { settled?: unknown; fee?: unknown; vat?: unknown; duty?: unknown }

// Undefined when nothing was withheld; 'mismatch' when the figures cannot be true.
export function readCharges(
  amountKobo: Kobo,
  fields: ChargeFields,
  readAmount: (value: unknown) => Kobo | undefined = koboOf,
): BankCharges | undefined | 'mismatch' {
  const read = (value: unknown) => readPart(value, readAmount)
  const settled = read(fields.settled)
  const parts = [fields.fee, fields.vat, fields.duty].map(read)
  if (settled === 'unreadable' || parts.includes('unreadable')) return 'mismatch'
  const [fee = 0n, vat = 0n, duty = 0n] = parts as (bigint | undefined)[]
  const withheld = settled === undefined ? fee + vat + duty : amountKobo - settled
  if (withheld < 0n || withheld >= amountKobo) return 'mismatch'
  if (withheld === 0n) return undefined
  const isWhole = fee + vat + duty === withheld
  if (isWhole) return charges(fee, vat, duty)
  const isInside = fee + duty === withheld && vat <= fee
  if (isInside) return charges(fee - vat, vat, duty)
  const rest = withheld - vat - duty
  return rest >= 0n ? charges(rest, vat, duty) : charges(withheld, 0n, 0n)
}

function readPart(
  value: unknown,
  readAmount: (value: unknown) => Kobo | undefined,
): bigint | undefined | 'unreadable' {
  if (value === undefined || value === null || value === '') return undefined
  const amount = readAmount(value)
  return amount === undefined || amount < 0n ? 'unreadable' : amount
}

function charges(fee: bigint, vat: bigint, duty: bigint): BankCharges {
  return { feeKobo: kobo(fee), vatKobo: kobo(vat), dutyKobo: kobo(duty) }
}
