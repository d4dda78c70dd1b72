// Whether two names are of the same person or company: the same words, in any order and case. Accents
// and punctuation do not count, nor does how a company's form is abbreviated.

const MARKS = /\p{M}+/gu
const SEPARATORS = /[^\p{L}\p{N}]+/u
const SAME = new Map([
  ['LIMITED', 'LTD'],
  ['NIGERIA', 'NIG'],
  ['COMPANY', 'CO'],
  ['ENTERPRISES', 'ENT'],
  ['ENTERPRISE', 'ENT'],
  ['AND', ''],
])

export function isSameName(one: string, other: string): boolean {
  const words = wordsOf(one)
  return words.length > 0 && words.join(' ') === wordsOf(other).join(' ')
}

function wordsOf(name: string): string[] {
  const plain = name.normalize('NFKD').replace(MARKS, '').replace(/['’.]/g, '').toUpperCase()
  return plain
    .split(SEPARATORS)
    .map((word) => SAME.get(word) ?? word)
    .filter((word) => word !== '')
    .sort()
}
