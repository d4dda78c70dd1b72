// Text in the character set that every bank takes in a payment (the Latin set of ISO 20022 usage
// guides, the same as SWIFT's X): letters, digits, space and / - ? : ( ) . , ' +
//
// Letters lose their marks, signs become their nearest neighbour, and all else a space. The result
// begins with a letter, a digit or a bracket, so no spreadsheet takes it for a formula, and holds no
// double slash, which some banks refuse.

// Those that Unicode does not take apart into a letter and its marks. Hooked ones are Hausa's.
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

// At most `lengthMax` characters; empty when nothing of the text can be written.
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
