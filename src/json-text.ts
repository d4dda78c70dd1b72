// What JSON.parse does not report: duplicate keys in an object (it silently keeps the last, and the
// sender may have meant the first), nesting depth, and numbers that it rounds. Run before
// JSON.parse; for invalid JSON the result is meaningless, and JSON.parse refuses it.

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const DEPTH_MAX = 32
// A double holds every decimal of 15 digits; a longer one need not be what was written.
const LONG_NUMBER = /(?:^|[[:,\s])-?[0-9][0-9.]{15}/
const NUMBER = /-?[0-9][0-9.]*(?:[eE][+-]?[0-9]+)?/y
const NUMBER_LENGTH_MAX = 40
const INFINITE = '1e999'
const DECIMAL = /^-?(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

export function findFault(text: string): 'repeated key' | 'too deep' | undefined {
  const keys: Set<string>[] = [] // Of each object and array that is open.
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = closingQuote(text, at)
      if (end === -1) return undefined
      if (text.charCodeAt(skipSpace(text, end + 1)) === COLON) {
        const key = keyText(text, at, end)
        const seen = keys.at(-1)
        if (seen?.has(key)) return 'repeated key'
        seen?.add(key)
      }
      at = end
    } else if (code === 0x7b || code === 0x5b) {
      if (keys.push(new Set()) > DEPTH_MAX) return 'too deep'
    } else if (code === 0x7d || code === 0x5d) {
      keys.pop()
    }
  }
  return undefined
}

export function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  return at
}

export function closingQuote(text: string, opening: number): number {
  let end = text.indexOf('"', opening + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1
  while (text.charCodeAt(before) === BACKSLASH) before--
  return (at - before) % 2 === 0
}

// "\u0061mount" is the key "amount" too.
export function keyText(text: string, opening: number, end: number): string {
  const key = text.slice(opening + 1, end)
  if (!key.includes('\\')) return key
  try {
    return JSON.parse(`"${key}"`)
  } catch {
    return key
  }
}

// The text with every number that JSON.parse would round spelt otherwise, so that nothing takes
// 0.10000000000000001 for the amount 0.1: as one that reads as infinite, unless said otherwise.
// Unknown fields may be that long: the body as a whole is valid.
export function withoutRounding(
  text: string,
  spell: (written: string) => string = () => INFINITE,
): string {
  if (!LONG_NUMBER.test(text)) return text
  const pieces: string[] = []
  let kept = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = closingQuote(text, at)
      if (end === -1) return text
      at = end
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      NUMBER.lastIndex = at
      const written = NUMBER.exec(text)?.[0] ?? '-'
      if (!isExact(written)) {
        pieces.push(text.slice(kept, at), spell(written))
        kept = at + written.length
      }
      at += written.length - 1
    }
  }
  return pieces.join('') + text.slice(kept)
}

function isExact(written: string): boolean {
  if (written.length <= 15 || !DECIMAL.test(written)) return true
  if (written.length > NUMBER_LENGTH_MAX) return false
  return plainForm(written) === plainForm(String(Number(written)))
}

// "0.0150e2" is "15e-1": its digits without zeros around them, and where the point is.
function plainForm(number: string): string | undefined {
  const match = DECIMAL.exec(number)
  if (!match) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = match
  const digits = (whole + fraction).replace(/^0+/, '')
  const plain = digits.replace(/0+$/, '')
  if (plain === '') return '0'
  return `${plain}e${Number(exponent) - fraction.length + digits.length - plain.length}`
}
