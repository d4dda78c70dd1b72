// Finds faults that JSON.parse does not report: duplicate keys in an object (it silently keeps the last, but
// the sender may have meant the first), deep nesting, and numbers that it rounds. Use it before JSON.parse.
// For invalid JSON the result is meaningless, but JSON.parse then refuses the text.

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const DEPTH_MAX = 32
// A double holds every decimal of 15 digits exactly, but not every longer one.
const LONG_NUMBER = /(?:^|[[:,\s])-?[0-9][0-9.]{15}/
const NUMBER = /-?[0-9][0-9.]*(?:[eE][+-]?[0-9]+)?/y
const NUMBER_LENGTH_MAX = 40
const INFINITE = '1e999'
const DECIMAL = /^-?(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

// Finds the first fault of a text, except rounded numbers, which withoutRounding() replaces.
export function findFault(text: string): 'repeated key' | 'too deep' | undefined {
  const keys: Set<string>[] = [] // One set per open object or array.
  for (let offset = 0; offset < text.length; offset++) {
    const code = text.charCodeAt(offset)
    if (code === QUOTE) {
      const end = closingQuote(text, offset)
      if (end === -1) return undefined
      if (text.charCodeAt(skipSpace(text, end + 1)) === COLON) {
        const key = keyText(text, offset, end)
        const ownKeys = keys.at(-1)
        if (ownKeys?.has(key)) return 'repeated key'
        ownKeys?.add(key)
      }
      offset = end
    } else if (code === 0x7b || code === 0x5b) {
      // An opening brace or bracket.
      if (keys.push(new Set()) > DEPTH_MAX) return 'too deep'
    } else if (code === 0x7d || code === 0x5d) {
      // A closing brace or bracket.
      keys.pop()
    }
  }
  return undefined
}

// Returns the position of the next character that is no space.
export function skipSpace(text: string, from: number): number {
  let offset = from
  while (offset < text.length && text.charCodeAt(offset) <= 0x20) offset++
  return offset
}

// Returns the position of the quote that closes a string, or -1.
export function closingQuote(text: string, opening: number): number {
  let end = text.indexOf('"', opening + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

// Returns whether an odd number of backslashes precedes the quote.
function isEscaped(text: string, offset: number): boolean {
  let before = offset - 1
  while (text.charCodeAt(before) === BACKSLASH) before--
  return (offset - before) % 2 === 0
}

// Returns the key without escapes: "\u0061mount" is the key "amount".
export function keyText(text: string, opening: number, end: number): string {
  const key = text.slice(opening + 1, end)
  if (!key.includes('\\')) return key
  try {
    return JSON.parse(`"${key}"`)
  } catch {
    return key
  }
}

// Replaces every number that JSON.parse would round, so that 0.10000000000000001 is not read as the amount
// 0.1. The default replacement parses as Infinity, so the text stays valid JSON and is refused only if a
// field that the service reads has such a number.
export function withoutRounding(
  text: string,
  replacementFor: (written: string) => string = () => INFINITE,
): string {
  if (!LONG_NUMBER.test(text)) return text
  const pieces: string[] = []
  let copiedTo = 0
  for (let offset = 0; offset < text.length; offset++) {
    const code = text.charCodeAt(offset)
    if (code === QUOTE) {
      const end = closingQuote(text, offset)
      if (end === -1) return text
      offset = end
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      // A minus sign or a digit: a number begins.
      NUMBER.lastIndex = offset
      const written = NUMBER.exec(text)?.[0] ?? '-'
      if (!isExact(written)) {
        pieces.push(text.slice(copiedTo, offset), replacementFor(written))
        copiedTo = offset + written.length
      }
      offset += written.length - 1
    }
  }
  return pieces.join('') + text.slice(copiedTo)
}

// Returns whether JSON.parse reads the number without rounding. It never rounds a decimal of up to 15 digits.
function isExact(written: string): boolean {
  if (written.length <= 15 || !DECIMAL.test(written)) return true
  if (written.length > NUMBER_LENGTH_MAX) return false
  return plainForm(written) === plainForm(String(Number(written)))
}

// Normalises a number: "0.0150e2" becomes "15e-1", the digits without outer zeros and the exponent.
function plainForm(number: string): string | undefined {
  const match = DECIMAL.exec(number)
  if (!match) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = match
  const digits = (whole + fraction).replace(/^0+/, '')
  const plain = digits.replace(/(?<!0)0+$/, '')
  if (plain === '') return '0'
  return `${plain}e${Number(exponent) - fraction.length + digits.length - plain.length}`
}
