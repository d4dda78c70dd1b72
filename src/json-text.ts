// What JSON.parse does not see of a text: a key that occurs twice in one object (it keeps the last
// one without a word, and the sender may have meant the first), and how deep it nests. Run before
// JSON.parse; what is not JSON gives a meaningless result, and JSON.parse refuses it.

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const DEPTH_MAX = 32

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
