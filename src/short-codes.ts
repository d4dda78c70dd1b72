// Short codes: references that a person can read over the phone, such as PAY-7K3M-Q2XT. A code is computed
// from the full reference, never stored (docs/decisions/0031). Three letters name the kind; the last
// character checks the others. The alphabet has no I, L, O or U, and reads I and L as 1 and O as 0.
//
// Codes of two objects may be equal, so a search returns all of them. Only a credit's code names one object.
// The dashboard's pages also use this file, so it imports nothing.

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CREDIT = 'CRD'
const LETTERS_OF_IDS = ['PAY', 'REQ'] as const // Payments and payment requests have a UUID.
const LETTERS_OF_NUMBERS = ['PYT', 'RFD', 'STL', 'RTN'] // The letters of newReference() (ids.ts).

type IdLetters = (typeof LETTERS_OF_IDS)[number]

const MINUTE_MS = 60_000
const LENGTH = 7 // Characters after the letters, without the check character.
const CREDIT_LENGTH = 10 // 50 bits hold every public id.
const LOW_BITS = 15 // How many of the last bits of an id, which are random, its code contains.
const HIGH_BITS = 20 // How many of the low bits of an id's minute its code contains.
const LOW = 2 ** LOW_BITS
const HIGH = 2 ** HIGH_BITS
const DIGITS = 10 // How many digits of a reference its code contains. Ten need 34 bits.

// Codes repeat after 2^20 minutes, almost two years.
export const CYCLE_MS = HIGH * MINUTE_MS

// Returns the code of a UUID: the minute at which it was made, and its last 15 bits, which are random.
export function codeOfId(letters: IdLetters, id: string): string {
  const hex = id.replaceAll('-', '')
  const minute = Math.floor(Number.parseInt(hex.slice(0, 12), 16) / MINUTE_MS) % HIGH
  return formatCode(letters, pack(minute, Number.parseInt(hex.slice(-4), 16) % LOW), LENGTH)
}

// Returns the short code of a payout, refund, settlement or return, by its reference. Returns any other
// reference unchanged.
export function codeOf(reference: string): string {
  const [, letters, digits] = /^([A-Z]{3})(\d{10})\d{5}$/.exec(reference) ?? []
  if (letters === undefined || !LETTERS_OF_NUMBERS.includes(letters)) return reference
  const number = Number(digits)
  return formatCode(letters, pack(Math.floor(number / LOW), number % LOW), LENGTH)
}

// `id` is the credit's public id.
export function codeOfCredit(id: number): string {
  return formatCode(CREDIT, id, CREDIT_LENGTH)
}

export type ShortCode =
  | { kind: 'id'; letters: readonly IdLetters[]; minuteMs: number; endings: string[] } // One of the minutes.
  | { kind: 'number'; prefix: string } // The start of the reference.
  | { kind: 'credit'; id: string }

// Reads a short code. A code without its three letters is read as that of a payment or a payment request.
// Returns `mistyped` if the text has the letters and the form of a code but the wrong check character, and
// undefined if the text is no code.
export function readCode(text: string): ShortCode | 'mistyped' | undefined {
  const [, letters = '', body = ''] =
    /^(?:([A-Z]{3})[- ]*)?([0-9A-Z]{4}[- ]*[0-9A-Z]{4}(?:[- ]*[0-9A-Z]{3})?)$/.exec(
      text.trim().toUpperCase(),
    ) ?? []
  const characters = body.replace(/[- ]/g, '').replace(/[IL]/g, '1').replaceAll('O', '0')
  const isId = LETTERS_OF_IDS.some((idLetters) => idLetters === letters) || letters === ''
  const isKnown = isId || letters === CREDIT || LETTERS_OF_NUMBERS.includes(letters)
  const length = letters === CREDIT ? CREDIT_LENGTH : LENGTH
  if (!isKnown || characters.length !== length + 1) return undefined
  const data = characters.slice(0, -1)
  if (checkOf(data) !== characters.at(-1)) return letters === '' ? undefined : 'mistyped'
  const value = [...data].reduce((sum, character) => sum * 32 + ALPHABET.indexOf(character), 0)
  if (letters === CREDIT) return { kind: 'credit', id: String(value) }
  const { high, low } = unpack(value)
  if (isId) {
    // The code has 15 of the last 16 bits of the id, so the id has one of two endings.
    const ending = (number: number) => number.toString(16).padStart(4, '0')
    return {
      kind: 'id',
      letters: LETTERS_OF_IDS.filter((idLetters) => letters === '' || idLetters === letters),
      minuteMs: high * MINUTE_MS,
      endings: [ending(low), ending(low + LOW)],
    }
  }
  return { kind: 'number', prefix: letters + String(high * LOW + low).padStart(DIGITS, '0') }
}

// Writes the value with characters of the alphabet, adds the check character, and groups the characters by
// four.
function formatCode(letters: string, value: number, length: number): string {
  const data = Array.from(
    { length },
    (_, index) => ALPHABET[Math.floor(value / 32 ** (length - 1 - index)) % 32],
  ).join('')
  return `${letters}-${(data + checkOf(data)).replace(/(.{4})(?=.)/g, '$1-')}`
}

// Mixes the random part into the minute, so that codes of about the same time look different.
function pack(high: number, low: number): number {
  return low * HIGH + (high ^ spread(low))
}

// Splits the value of a code into the two numbers that pack() combined.
function unpack(value: number): { high: number; low: number } {
  const low = Math.floor(value / HIGH)
  return { high: (value % HIGH) ^ spread(low), low }
}

// Spreads the low bits over the bits of the minute (multiplicative hashing).
function spread(low: number): number {
  return Math.imul(low, 0x9e3779b1) >>> (32 - HIGH_BITS)
}

// Computes the check character. Multiplies by two in the field of 32 elements for each character, so that one
// wrong character, or two exchanged ones, result in a different check character. Returns undefined if a
// character is not in the alphabet.
function checkOf(data: string): string | undefined {
  let sum = 0
  for (const character of data) {
    const value = ALPHABET.indexOf(character)
    if (value < 0) return undefined
    sum ^= value
    // Multiplies by two. An overflow into bit 5 is reduced by the field's polynomial, x^5 + x^2 + 1.
    sum = (sum << 1) ^ (sum & 16 ? 0b100101 : 0)
  }
  return ALPHABET[sum]
}
