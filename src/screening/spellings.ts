// Reduces a name to what its spellings have in common: plain Latin letters, words without titles and
// articles, the legal form of a company, and the sound of each word.

import anyAscii from 'any-ascii'

// A word of a name. Spellings of one name in English, French, Arabic, Hausa, Yoruba or Igbo orthography have
// the same `sound`: Muhammad, Mohamed and Muhammadu.
// `spelling` has the vowels too.
export type Word = { text: string; sound: string; spelling: string }

// A name as it is compared: `fathers` are the words that follow "bin", `initials` the letters that stand
// alone, `forms` are the legal forms of a company or null, `joined` has the letters of the other words, and
// `letters` those of the whole name.
export type Reading = {
  words: readonly Word[]
  fathers: readonly Word[]
  initials: readonly string[]
  forms: ReadonlySet<string> | null
  joined: string
  letters: string
}

// Letters that stand for vowels within an Arabic word.
const ARABIC_VOWELS = /(?<=\p{Script=Arabic})[وي]/gu
const INITIALS = /^[^aeiouy\d]{2}$/ // JC Juncker.
const LETTERS_MAX = 300 // Banks send at most 140.
const WORD_LETTERS_MAX = 30
const WORDS_MAX = 40

const TITLES = wordSet(
  'mr mrs miss ms dr prof engr barr arc hon sir alhaji alhaja alh mallam malam hajiya hajia chief otunba ' +
    'oba pastor rev bishop imam sheikh shaikh sheik mullah maulavi president general',
)
// Words that spellings add and leave out: al-Assad and Assad, "Procter & Gamble" and "Procter Gamble".
const ARTICLES = wordSet('al el ul ad an ar at az the and of de la le')
const FATHER_OF = wordSet('bin ibn ben')
// Short forms and spellings that do not resemble the name. Those that begin or end it need no entry.
const SAME_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries({
    muhammad: 'md mohd muhd mamman mamadou',
    usman: 'uthman othman',
    khadija: 'hadiza adiza',
    jibril: 'jibrin',
    aleksandr: 'sasha sacha',
    anthony: 'tony',
    barack: 'barry',
    benjamin: 'bibi',
    catherine: 'kate katie kitty',
    charles: 'chuck',
    dmitri: 'dima mitya',
    edward: 'ted ned',
    elizabeth: 'liz betty lizzy',
    evgeny: 'zhenya',
    francisco: 'paco pancho',
    james: 'jim jimmy jamie',
    john: 'jack juan',
    jose: 'pepe',
    joseph: 'joe',
    margaret: 'peggy maggie meg',
    michael: 'mike mick misha',
    nikolai: 'kolya',
    richard: 'dick rick ricky',
    robert: 'bob bobby',
    vladimir: 'vova volodya volodymyr',
    william: 'bill billy',
  }).flatMap(([name, others]) => others.split(' ').map((other) => [other, name] as const)),
)

// Numbers in words: ordinals count as their number.
const UNITS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const ORDINALS = 'zeroth first second third fourth fifth sixth seventh eighth ninth tenth'.split(
  ' ',
)
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')

// Spellings of each legal form, which stand at the beginning or end of a name. Names that differ only in them
// are equal. "Corporation Limited" is read from the end: limited, then corporation.
const LEGAL_FORMS: Readonly<Record<string, string>> = {
  ltd: 'ltd, limited, ltda, limitada, private limited company, private limited, pvt ltd, pty ltd',
  plc: 'plc, public limited company',
  guarantee: 'gte, limited by guarantee',
  llc: 'llc, limited liability company, ooo, too, obshchestvo s ogranichennoy otvetstvennostyu',
  partnership: 'llp, limited liability partnership, lp, limited partnership',
  corporation: 'inc, incorporated, corp, corporation',
  'joint stock':
    'jsc, ojsc, pjsc, cjsc, oao, pao, zao, joint stock company, open joint stock company, ' +
    'public joint stock company, closed joint stock company',
  ag: 'ag, aktiengesellschaft, aktiengeselschaft',
  gmbh: 'gmbh, gesellschaft mit beschrankter haftung',
  sa: 'sa, sa de cv, sociedad anonima, societe anonyme',
  sarl: 'sarl, srl, sl, sp z oo, sp zoo, societe a responsabilite limitee, societatea cu raspundere limitata',
  bv: 'bv, nv',
  share: 'ab, as, asa, oy, oyj, spa, sas, se',
  '': 'co, company, cie, compagnie', // Stands beside any other form.
}

// The longest first, so that "limited liability company" is not read as "company".
const FORMS = Object.entries(LEGAL_FORMS)
  .flatMap(([form, spellings]) =>
    spellings.split(', ').map((text) => ({ form, words: text.split(' ') })),
  )
  .sort((one, other) => other.words.length - one.words.length)

// Cyrillic and Greek letters that look like Latin ones. Someone can type them in the name of a beneficiary to
// evade screening.
const LOOKALIKES = new Map<string, string>(
  Object.entries({
    ...{ а: 'a', в: 'b', е: 'e', ѕ: 's', і: 'i', ј: 'j', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p' },
    ...{ с: 'c', т: 't', у: 'y', х: 'x', һ: 'h', ԁ: 'd', ԛ: 'q', ԝ: 'w' },
    ...{ α: 'a', β: 'b', ε: 'e', ζ: 'z', η: 'h', ι: 'i', κ: 'k', μ: 'm', ν: 'n', ο: 'o', ρ: 'p' },
    ...{ τ: 't', υ: 'y', χ: 'x' },
  }),
)
const LOOKALIKE_DIGITS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
}

// Returns the readings of a name: its letters as they sound and, if all letters of other scripts look like
// Latin ones, also as they look.
export function readName(name: string): Reading[] {
  const letters = name
    .slice(0, LETTERS_MAX)
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .toLowerCase()
  const asTheyLook = letters
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x00-\x7f]/gu, (letter) => LOOKALIKES.get(letter) ?? letter)
  const readings = /[^\x00-\x7f]/.test(asTheyLook) ? [letters] : [letters, asTheyLook]
  return [...new Set(readings.map(toLatin))].map(readLatin)
}

// Transliterates to lower-case letters and digits, separated by spaces. Abbreviations lose their full stops.
function toLatin(letters: string): string {
  return anyAscii(letters.replace(ARABIC_VOWELS, (letter) => (letter === 'و' ? 'u' : 'i')))
    .toLowerCase()
    .replace(/['`]/g, '')
    .replace(/(?<![a-z])(?:[a-z]\.){2,}[a-z]?(?![a-z])/g, (letters) => letters.replaceAll('.', ''))
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
}

function readLatin(latin: string): Reading {
  const all = writeNumbers(joinLetters(latin.split(' ').filter((word) => word !== '')))
  const { words: unformed, forms } = splitForms(
    all.slice(0, WORDS_MAX).map((word) => word.slice(0, WORD_LETTERS_MAX)),
  )
  const named = unformed.filter((word) => !TITLES.has(word))
  const isLong = forms === null && named.some((word) => word.length > 3)
  const parts = named.flatMap((word) =>
    isLong && INITIALS.test(word) ? [...word] : splitCompound(word),
  )
  const isNumeral = (word: string, at: number) =>
    forms !== null && at === parts.length - 1 && /^[ivx]$/.test(word)
  const words = parts.filter(
    (word, at) =>
      isNumeral(word, at) || ((word.length > 1 || /\d/.test(word)) && !ARTICLES.has(word)),
  )
  const isLink = (at: number) => at > 0 && FATHER_OF.has(words[at] as string)
  return {
    words: words.filter((_, at) => !isLink(at)).map(toWord),
    fathers: words.filter((_, at) => isLink(at - 1) && !isLink(at)).map(toWord),
    initials: parts.filter((word, at) => /^[a-z]$/.test(word) && !isNumeral(word, at)),
    forms,
    joined: parts.join(''),
    letters: all.join(''),
  }
}

// Joins three or more letters that stand alone: "A B C Company", "M u s a".
function joinLetters(words: readonly string[]): string[] {
  const joined: string[] = []
  let letters: string[] = []
  for (const word of [...words, null]) {
    if (word?.length === 1) {
      letters.push(word)
      continue
    }
    joined.push(...(letters.length > 2 ? [letters.join('')] : letters))
    letters = []
    if (word !== null) joined.push(word)
  }
  return joined
}

// Writes numbers in digits: "Brigade Forty-Four" and "Brigade 44", "First Bank" and "1st Bank".
function writeNumbers(words: readonly string[]): string[] {
  const numbers: string[] = []
  let tens = ''
  for (const word of words) {
    const digits = digitsOf(word)
    numbers.push(
      tens !== '' && digits.length === 1
        ? `${(numbers.pop() as string).slice(0, -1)}${digits}`
        : digits || word,
    )
    tens = TENS.includes(word.replace('ou', 'o')) ? digits : ''
  }
  return numbers
}

function digitsOf(word: string): string {
  const tens = TENS.indexOf(word.replace('ou', 'o'))
  if (tens >= 0) return String((tens + 2) * 10)
  const unit = Math.max(UNITS.indexOf(word), ORDINALS.indexOf(word))
  return unit >= 0 ? String(unit) : (/^(\d+)(?:st|nd|rd|th)?$/.exec(word)?.[1] ?? '')
}

// Splits the legal forms from the beginning and end of a name, unless nothing else is left.
function splitForms(all: readonly string[]): { words: string[]; forms: Set<string> | null } {
  let words = [...all]
  const forms = new Set<string>()
  for (;;) {
    const atEnd = FORMS.find((form) => isAt(words, form.words, words.length - form.words.length))
    const found = atEnd ?? FORMS.find((form) => isAt(words, form.words, 0))
    const count = found?.words.length ?? 0
    if (!found || count >= words.length) return { words, forms: forms.size > 0 ? forms : null }
    words = atEnd ? words.slice(0, -count) : words.slice(count)
    forms.add(found.form)
  }
}

function isAt(words: readonly string[], searched: readonly string[], at: number): boolean {
  return at >= 0 && searched.every((word, index) => words[at + index] === word)
}

// Splits names that are written as one word or as several: Abdulrahman and Abd al-Rahman, Abubakar and Abu
// Bakr, Saifuddin and Saif al-Din.
function splitCompound(word: string): string[] {
  const servant = /^abd(?:[aeiou]+l|[aeiou]+(?=([drsntz])\1))([a-z]{3,})$/.exec(word)
  if (servant && !servant[2]?.startsWith('la')) return ['abdul', servant[2] as string]
  if (/^ab(?:d|d[aeiou]l)$/.test(word)) return ['abdul']
  const father = /^a(?:bu|bou)(b[aeou]*[ck]+[aeou]*r[aeiou]*)$/.exec(word)
  if (father) return ['abu', father[1] as string]
  const faith = /^([a-z]{3,})(?:[aeiou]dd?|dd)(?:in|een|ine)$/.exec(word)
  return faith ? [faith[1] as string, 'din'] : [word]
}

function toWord(text: string): Word {
  const letters = /[a-z]/.test(text)
    ? text.replace(/[01345]/g, (digit) => LOOKALIKE_DIGITS[digit] as string)
    : text
  const word = SAME_NAME.get(letters) ?? letters
  const spelling = spell(word)
  const sound = spelling
    .replace(/^[aeiou]+/, 'A')
    .replace(/(?<=.)[aeiouy]+/g, '')
    .replace(/(.)\1+/g, '$1')
  return { text: word, sound, spelling }
}

// Writes one letter for the consonants that orthographies exchange.
function spell(word: string): string {
  return word
    .replace(/^oluwa/, 'olu')
    .replace(/(.)\1+/g, '$1')
    .replace(/t?s?ch|sh/g, 's')
    .replace(/^hs(?=i)|^x/, 's')
    .replace(/x/g, 'ks')
    .replace(/ph/g, 'f')
    .replace(/c(?=[eiy])/g, 's')
    .replace(/[kg]h|ck|q|c/g, 'k')
    .replace(/([kg])w/g, '$1')
    .replace(/dj|g(?=[eiy])/g, 'j')
    .replace(/th/g, 't')
    .replace(/z/g, 's')
    .replace(/w/g, 'v')
    .replace(/p/g, 'b')
    .replace(/(?<=[^aeiou])h|h$/g, '')
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '))
}
