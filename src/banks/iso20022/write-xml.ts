// Elements of the ISO 20022 messages we write.

// Returns nothing for an undefined text.
export function tag(name: string, text: string | undefined): string {
  return text === undefined ? '' : `<${name}>${escaped(text)}</${name}>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

// Text in the character set that every bank takes in a payment (the Latin set of ISO 20022 usage guides, the
// same as SWIFT's X): letters, digits, space and / - ? : ( ) . , ' +
//
// Letters lose their marks, signs become the nearest permitted sign, and everything else becomes a space. The
// result begins with a letter, a digit or a bracket, so that no spreadsheet takes it for a formula. It has no
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

// At most `lengthMax` characters; empty if no character of the text can be written.
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
