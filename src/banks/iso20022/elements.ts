// Reads the elements that ISO 20022 messages have in common: amounts, parties, narrations and times. Also
// writes tags and Latin text.
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
// An amount of an entry. `isOpposite`: it goes in the other direction than the entry.
export type Part = { amount: string | undefined; isOpposite: boolean }
type Sum = 'exact' | 'net_of_charges' | 'amount_mismatch'

// Returns the amount of an element, or undefined if it has none. An amount that occurs twice or contains
// elements is returned as unreadable.
export function moneyOf(element: XmlElement | undefined, name = 'Amt'): Money | undefined {
  const amounts = children(element, name)
  if (amounts.length === 0) return undefined
  const [first] = amounts as [XmlElement]
  const text = amounts.length === 1 ? leafText(first) : undefined
  return { amount: plainDecimal(text ?? UNREADABLE), currency: first.attributes.get('Ccy') }
}

// Compares the sum of an entry's parts with its booked amount. Returns 'exact' if both are equal and no part
// is opposite, and 'net_of_charges' if charges or opposite parts may explain that less was booked. An
// unreadable amount refuses only its own part: the sum of the other parts may then be less than the booked
// amount.
export function sumUp(
  booked: string | undefined,
  parts: readonly Part[],
  hasCharges: boolean,
): Sum {
  const bookedKobo = parseKobo(booked ?? '')
  const readableAmounts = parts.flatMap(({ amount, isOpposite }) => {
    const kobo = parseKobo(amount ?? '')
    return kobo === undefined ? [] : [isOpposite ? -kobo : kobo]
  })
  const sumKobo = readableAmounts.reduce((sum, kobo) => sum + kobo, 0n)
  const isNet = hasCharges || parts.some(({ isOpposite }) => isOpposite)
  if (bookedKobo === undefined) return readableAmounts.length === 0 ? 'exact' : 'amount_mismatch'
  const isExact =
    readableAmounts.length === parts.length ? sumKobo === bookedKobo : sumKobo <= bookedKobo
  if (isExact && !parts.some(({ isOpposite }) => isOpposite)) return 'exact'
  return isNet && sumKobo >= bookedKobo ? 'net_of_charges' : 'amount_mismatch'
}

// Drops leading zeros, and zeros after the second decimal.
function plainDecimal(text: string): string {
  const match = DECIMAL.exec(text)
  if (!match) return text
  const [, whole, fraction] = match
  return fraction === undefined ? `${whole}` : `${whole}.${fraction}`
}

// accountOf(), payerOf(), narrationOf() and timeOf() read the fields of a transaction that affect neither its
// identity nor its amount.

// A Nigerian IBAN ends in the account number. We do not verify its check digits: they catch typing errors,
// and a bank's report is not typed.
const NIGERIAN_IBAN = /^NG[0-9]{2}[A-Z0-9]{0,20}([0-9]{10})$/

// Returns the account number: another identification (a proprietary one in version 01), the end of an IBAN,
// or a proxy. If none of them is an account number, returns the first text, which the caller then refuses.
export function accountOf(account: XmlElement | undefined): string | undefined {
  const id = child(account, 'Id')
  const candidates = [
    textOf(id, 'Othr', 'Id'),
    textOf(id, 'PrtryAcct', 'Id'),
    textOf(id, 'BBAN'),
    NIGERIAN_IBAN.exec(textOf(id, 'IBAN')?.replaceAll(' ', '') ?? '')?.[1],
    textOf(account, 'Prxy', 'Id'),
  ]
  const accountNumber = candidates.find((text) => text !== undefined && isAccountNumber(text))
  return accountNumber ?? textOf(id, 'Othr', 'Id') ?? textOf(id, 'PrtryAcct', 'Id')
}

// Returns the payer's account, name and bank.
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

// Returns the narration: free text first, then the contents of structured remittance, such as the creditor's
// reference and document numbers.
export function narrationOf(transaction: XmlElement): string | undefined {
  const remittance = child(transaction, 'RmtInf')
  if (!remittance) return undefined
  const structured = children(remittance, 'Strd').flatMap((block) => [
    textOf(block, 'CdtrRefInf', 'Ref') ?? textOf(block, 'CdtrRefInf', 'CdtrRef'),
    ...children(block, 'RfrdDocInf').map(
      (document) => textOf(document, 'Nb') ?? textOf(document, 'RfrdDocNb'),
    ),
    ...children(block, 'AddtlRmtInf').map(leafText),
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
  return text === undefined ? '' : `<${name}>${escapeXml(text)}</${name}>`
}

function escapeXml(text: string): string {
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

const UNWRITABLE = /[^A-Za-z0-9/\-?:().,'+ ]+/g

// Returns the text in the Latin set, at most `lengthMax` characters; an empty string if no character of the
// text can be written.
export function latinText(text: string, lengthMax: number): string {
  const letters = text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/\p{L}/gu, latinLetter)
  return SIGNS.reduce((latin, [sign, instead]) => latin.replace(sign, instead), letters)
    .replace(UNWRITABLE, ' ')
    .replace(/ {2,}/g, ' ')
    .replace(/\/{2,}/g, '/')
    .replace(/^[^A-Za-z0-9(]+/, '')
    .slice(0, lengthMax)
    .replace(/(?<![ /])[ /]+$/, '')
}

// Replaces a letter that Unicode does not decompose, such as ß or ɓ. Keeps upper case.
function latinLetter(letter: string): string {
  const lower = letter.toLowerCase()
  const latin = LETTERS[lower]
  if (latin === undefined) return letter
  return lower === letter ? latin : latin.toUpperCase()
}
