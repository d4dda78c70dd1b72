// Elements of ISO 20022 messages: reads amounts, parties, narrations and times, and writes tags and Latin
// text.
//
// An entry yields credits only if its parts sum to exactly the booked amount. ISO 20022 allows up to five
// decimals and leading zeros. Zeros without meaning are dropped. A third decimal other than zero is kept, so
// that the amount is refused later.

import { isAccountNumber } from '#banks/nuban.ts'
import { parseBankTime } from '#clock.ts'
import { parseKobo } from '#money.ts'
import { child, children, leafText, textOf, type XmlElement } from './xml.ts'

const DECIMAL = /^0{0,17}([0-9]{1,16})(?:\.([0-9]{1,2})0{0,16})?$/
const UNREADABLE = 'unreadable'

export type Money = { amount: string; currency: string | undefined }
export type Part = { amount: string | undefined; isOpposite: boolean }
type Sum = 'exact' | 'net_of_charges' | 'amount_mismatch'

// Returns undefined if the element has no amount. An amount that occurs twice or contains elements is
// returned as unreadable.
export function moneyOf(element: XmlElement | undefined, name = 'Amt'): Money | undefined {
  const found = children(element, name)
  if (found.length === 0) return undefined
  const [only] = found as [XmlElement]
  const text = found.length === 1 ? leafText(only) : undefined
  return { amount: plainDecimal(text ?? UNREADABLE), currency: only.attributes.get('Ccy') }
}

// An unreadable amount refuses only its own part. The other parts are accepted if they fit the entry.
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

// The next functions read the fields of a transaction that affect neither its identity nor its amount:
// account number, payer, narration and time.

// A Nigerian IBAN ends in the account number. We do not verify its check digits: they catch typing errors,
// and a bank's report is not typed.
const NIGERIAN_IBAN = /^NG[0-9]{2}[A-Z0-9]{0,20}([0-9]{10})$/

// Returns the account number: another identification (a proprietary one in version 01), the end of an IBAN,
// or a proxy. If none of them is an account number, returns the first text, which the caller then refuses.
export function accountOf(account: XmlElement | undefined): string | undefined {
  const id = child(account, 'Id')
  const plain = [
    textOf(id, 'Othr', 'Id'),
    textOf(id, 'PrtryAcct', 'Id'),
    textOf(id, 'BBAN'),
    NIGERIAN_IBAN.exec(textOf(id, 'IBAN')?.replaceAll(' ', '') ?? '')?.[1],
    textOf(account, 'Prxy', 'Id'),
  ]
  const found = plain.find((text) => text !== undefined && isAccountNumber(text))
  return found ?? textOf(id, 'Othr', 'Id') ?? textOf(id, 'PrtryAcct', 'Id')
}

export function payerOf(transaction: XmlElement) {
  const parties = child(transaction, 'RltdPties')
  const account = child(parties, 'DbtrAcct')
  const id = child(account, 'Id')
  const agent = child(transaction, 'RltdAgts', 'DbtrAgt', 'FinInstnId')
  return {
    sourceAccountNumber:
      textOf(id, 'Othr', 'Id') ??
      textOf(id, 'IBAN') ??
      textOf(id, 'BBAN') ??
      textOf(id, 'PrtryAcct', 'Id') ??
      textOf(account, 'Prxy', 'Id'),
    // Version 08 put a level between the debtor and its name.
    sourceAccountName: textOf(parties, 'Dbtr', 'Nm') ?? textOf(parties, 'Dbtr', 'Pty', 'Nm'),
    // Version 03 renamed BIC.
    sourceBankCode:
      textOf(agent, 'ClrSysMmbId', 'MmbId') ?? textOf(agent, 'BICFI') ?? textOf(agent, 'BIC'),
  }
}

// Free text comes first, then the contents of structured remittance: the creditor's reference, the documents.
export function narrationOf(transaction: XmlElement): string | undefined {
  const remittance = child(transaction, 'RmtInf')
  if (!remittance) return undefined
  const structured = children(remittance, 'Strd').flatMap((one) => [
    textOf(one, 'CdtrRefInf', 'Ref') ?? textOf(one, 'CdtrRefInf', 'CdtrRef'),
    ...children(one, 'RfrdDocInf').map(
      (document) => textOf(document, 'Nb') ?? textOf(document, 'RfrdDocNb'),
    ),
    ...children(one, 'AddtlRmtInf').map(leafText),
  ])
  const lines = [...children(remittance, 'Ustrd').map((line) => line.text), ...structured]
  return lines.filter((line) => line !== undefined && line !== '').join(' ')
}

// Returns the first valid time of these: when the payer's bank accepted the transfer, when our bank booked
// it, its value date. If none is valid, returns the first text, which the caller then refuses.
export function timeOf(entry: XmlElement, transaction: XmlElement): string | undefined {
  const times = [
    textOf(transaction, 'RltdDts', 'AccptncDtTm'),
    dateOf(child(entry, 'BookgDt')),
    dateOf(child(entry, 'ValDt')),
  ].filter((time) => time !== undefined)
  return times.find((time) => parseBankTime(time) !== undefined) ?? times[0]
}

function dateOf(element: XmlElement | undefined): string | undefined {
  return textOf(element, 'DtTm') ?? textOf(element, 'Dt')
}

// Writes an element. Returns an empty string for an undefined text.
export function tag(name: string, text: string | undefined): string {
  return text === undefined ? '' : `<${name}>${escaped(text)}</${name}>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

// latinText() writes text in the character set that every bank accepts in a payment (the Latin set of ISO
// 20022 usage guides, which is SWIFT's set X): letters, digits, space and / - ? : ( ) . , ' +
//
// Letters lose their marks, signs become the nearest permitted sign, and everything else becomes a space. The
// result begins with a letter, a digit or a bracket, so that no spreadsheet treats it as a formula. It has no
// double slash, which some banks refuse.

// Letters that Unicode does not decompose into a letter and its marks. The hooked letters are Hausa.
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
  ɓ: 'b',
  ɗ: 'd',
  ƙ: 'k',
  ƴ: 'y',
  ɛ: 'e',
  ǝ: 'e',
  ə: 'e',
  ɔ: 'o',
}

const SIGNS: readonly [sign: RegExp, latin: string][] = [
  [/&/g, '+'],
  [/[‘’ʼʻ`´"“”„]/g, "'"],
  [/[‐‑‒–—―−_]/g, '-'],
  [/[[{<]/g, '('],
  [/[\]}>]/g, ')'],
  [/;/g, ','],
  [/[\\|]/g, '/'],
  [/₦/g, 'NGN'],
]

const OTHERS = /[^A-Za-z0-9/\-?:().,'+ ]+/g

// Returns at most `lengthMax` characters; an empty string if no character of the text can be written.
export function latinText(text: string, lengthMax: number): string {
  const letters = text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/\p{L}/gu, latinLetter)
  return SIGNS.reduce((latin, [sign, instead]) => latin.replace(sign, instead), letters)
    .replace(OTHERS, ' ')
    .replace(/ {2,}/g, ' ')
    .replace(/\/{2,}/g, '/')
    .replace(/^[^A-Za-z0-9(]+/, '')
    .slice(0, lengthMax)
    .replace(/[ /]+$/, '')
}

function latinLetter(letter: string): string {
  const lower = letter.toLowerCase()
  const latin = LETTERS[lower]
  if (latin === undefined) return letter
  return lower === letter ? latin : latin.toUpperCase()
}
