// Hostile texts for a regular expression: long texts that make it backtrack, derived from its own source. A
// linear expression answers each of them at once; a quadratic one takes half a second, since it tries every
// start, and from each start every end.

export const HOSTILE_LENGTH = 20_000

// A part of an expression. Each occurs at least `min` times; `repeats` tells whether it may occur often.
type Part = { min: number; repeats: boolean } & (
  | { kind: 'character'; source: string }
  | { kind: 'group'; alternatives: Part[][] }
)

// The characters that the shapes are made of, unless no part of the expression tells them apart.
const CHARACTERS = [
  ...' \t\r\n\u0000\u00a0\u200b\ufeff',
  ...'aeknxzAEKNXZ_059-+=@.,;:|/\\"\'<>()[]{}#?&%$!*^~`',
  ...'é₦−＝٣ß',
]

const OPENING = /^\((?:\?(?:<?[=!]|:|<[A-Za-z]+>|[a-z-]+:))?/
const ESCAPE = /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|k<[^>]*>|[\s\S])/
const CHARACTER = new RegExp(`^(?:${ESCAPE.source}|\\[(?:[^\\]\\\\]|\\\\[\\s\\S])*\\]|[\\s\\S])`)
const QUANTIFIER = /^(?:([*+?])|\{([0-9]+)(,?)([0-9]*)\})\??/
const ANCHOR = /^(?:[$^]|\\[bB0-9]|\\k<.*)$/

// Reads the parts of an expression. What matches no character, such as an anchor, is left out.
export function readParts(source: string): Part[][] {
  let rest = source
  const take = (pattern: RegExp) => {
    const match = pattern.exec(rest)
    if (match) rest = rest.slice(match[0].length)
    return match
  }
  const readQuantifier = () => {
    const match = take(QUANTIFIER)
    if (!match) return { min: 1, repeats: false }
    const [, sign, least, comma, most] = match
    if (sign) return { min: sign === '+' ? 1 : 0, repeats: sign !== '?' }
    return { min: Number(least), repeats: (comma ? Number(most || Infinity) : Number(least)) > 9 }
  }
  const readAlternatives = (): Part[][] => {
    const alternatives: Part[][] = [[]]
    while (rest !== '') {
      if (take(/^\)/)) break
      if (take(/^\|/)) {
        alternatives.push([])
        continue
      }
      const current = alternatives.at(-1) as Part[]
      if (take(OPENING)) {
        const inner = readAlternatives()
        current.push({ kind: 'group', alternatives: inner, ...readQuantifier() })
        continue
      }
      const text = (take(CHARACTER) as RegExpExecArray)[0]
      if (ANCHOR.test(text)) {
        take(QUANTIFIER)
        continue
      }
      current.push({ kind: 'character', source: text, ...readQuantifier() })
    }
    return alternatives
  }
  return readAlternatives()
}

// Returns the texts to try. All have HOSTILE_LENGTH characters or a few more.
export function hostileTexts({ source, flags }: RegExp): Set<string> {
  const parts = readParts(source)
  const classes = [...new Set(charactersOf(parts))].map(
    (each) => new RegExp(`^(?:${each})$`, flags.replaceAll(/[gym]/g, '')),
  )
  const alphabet = representatives(classes)
  const sample = (part: Part): string => {
    if (part.kind === 'group') return sampleAll(part.alternatives[0] ?? []).repeat(part.min || 1)
    const own = new RegExp(`^(?:${part.source})$`, flags.replaceAll(/[gym]/g, ''))
    return (alphabet.find((character) => own.test(character)) ?? '').repeat(part.min || 1)
  }
  const sampleAll = (all: readonly Part[]) => all.map(sample).join('')
  const texts = new Set<string>()
  const add = (prefix: string, unit: string, ends: readonly string[]) => {
    if (unit === '') return
    const run = unit.repeat(Math.ceil(HOSTILE_LENGTH / unit.length))
    for (const end of ends) texts.add(prefix + run + end)
  }
  for (const character of alphabet) {
    add('', character, ['', ...alphabet])
    for (const other of alphabet) add('', character + other, [''])
  }
  const ends = ['', '\n', alphabet.at(-1) as string]
  // For every part that repeats: the least text before it, then each character, and each sample of it.
  const pump = (all: readonly Part[], before: string) => {
    for (const [index, part] of all.entries()) {
      const prefix = before + sampleAll(all.slice(0, index))
      if (part.kind === 'group') for (const each of part.alternatives) pump(each, prefix)
      if (!part.repeats) continue
      for (const character of alphabet) add(prefix, character, ends)
      if (part.kind === 'character') continue
      for (const each of part.alternatives) add(prefix, sampleAll(each), ends)
    }
  }
  for (const all of parts) {
    pump(all, '')
    const whole = sampleAll(all)
    add('', whole, ends)
    add('', whole.slice(0, -1), ends)
    add(whole, whole.slice(-1), ends)
  }
  return texts
}

// Returns one character for each set of classes that characters belong to, and last one that belongs to none.
function representatives(classes: readonly RegExp[]): string[] {
  const byClasses = new Map<string, string>()
  for (const character of CHARACTERS) {
    const key = classes.map((each) => Number(each.test(character))).join('')
    if (!byClasses.has(key)) byClasses.set(key, character)
  }
  const none = '0'.repeat(classes.length)
  const outside = byClasses.get(none) ?? '\u0000'
  byClasses.delete(none)
  return [...byClasses.values(), outside]
}

function charactersOf(alternatives: readonly Part[][]): string[] {
  return alternatives
    .flat()
    .flatMap((part) =>
      part.kind === 'character' ? [part.source] : charactersOf(part.alternatives),
    )
}
