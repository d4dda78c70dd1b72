// The amounts of one entry of camt.054: what the bank booked, and the parts that it is made of.
//
// Nothing is taken from an entry unless its parts make up exactly what the bank booked. ISO 20022
// writes up to five decimals and any leading zeros: zeros that mean nothing are dropped, a third
// decimal that means something stays and is refused as an amount.

import { children, leafText, type XmlElement } from '#banks/iso20022/xml.ts'
import { parseKobo } from '#money.ts'

const DECIMAL = /^0{0,17}([0-9]{1,16})(?:\.([0-9]{1,2})0{0,16})?$/
const UNREADABLE = 'unreadable'

export type Money = { amount: string; currency: string | undefined }
export type Part = { amount: string | undefined; isOpposite: boolean }
export type Sum = 'exact' | 'net_of_charges' | 'amount_mismatch'

// Undefined when there is none. One that occurs twice, or holds elements, is there and unreadable.
export function moneyOf(element: XmlElement | undefined, name = 'Amt'): Money | undefined {
  const found = children(element, name)
  if (found.length === 0) return undefined
  const [only] = found as [XmlElement]
  const text = found.length === 1 ? leafText(only) : undefined
  return { amount: plainDecimal(text ?? UNREADABLE), currency: only.attributes.get('Ccy') }
}

// An amount that cannot be read is refused by itself; its neighbours stand if they fit.
export function sumUp(booked: string | undefined, parts: readonly Part[], charged: boolean): Sum {
  const bookedKobo = parseKobo(booked ?? '')
  const known = parts.flatMap(({ amount, isOpposite }) => {
    const kobo = parseKobo(amount ?? '')
    return kobo === undefined ? [] : [isOpposite ? -kobo : kobo]
  })
  const sumKobo = known.reduce((sum, kobo) => sum + kobo, 0n)
  const isNet = charged || parts.some(({ isOpposite }) => isOpposite)
  if (bookedKobo === undefined) return known.length === 0 ? 'exact' : 'amount_mismatch'
  const isExact = known.length === parts.length ? sumKobo === bookedKobo : sumKobo <= bookedKobo
  if (isExact && !parts.some(({ isOpposite }) => isOpposite)) return 'exact'
  return isNet && sumKobo >= bookedKobo ? 'net_of_charges' : 'amount_mismatch'
}

function plainDecimal(text: string): string {
  const match = DECIMAL.exec(text)
  if (!match) return text
  const [, whole, fraction] = match
  return fraction === undefined ? `${whole}` : `${whole}.${fraction}`
}
