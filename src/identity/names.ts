// Scores how well the name of an account matches the name that belongs to a BVN or a NIN. Pure.
//
// Nigerian names come in any order, surname first or last, with or without the middle names, titles, tone
// marks and dots below, and with compound names written as one word or two (“Oluwa Seun”). So names are
// compared word by word, in any order. Each word of the account's name must be a word of the official name,
// which may have more words. Two words must match in full: a first name alone, or initials, prove no
// identity.

const MARKS = /\p{M}+/gu
const APOSTROPHES = /['’ʼ`.]/g
const SEPARATORS = /[^\p{L}\p{N}]+/u
const TITLES = new Set(
  (
    'MR MRS MS MISS MASTER DR PROF ENGR BARR ARC CHIEF HRH HON SIR LADY REV PASTOR BISHOP EVANG ' +
    'ALHAJI ALHAJA MALLAM MALAM HAJIYA HAJIA OTUNBA IMAM'
  ).split(' '),
)

const NEAR_LENGTH_MIN = 5 // Shorter words that differ in a letter are different names: Ola, Ope; Musa, Musi.
// The score of a word of the account's name, by how it matches a word of the official name.
const WORTH = { same: 1, near: 0.9, initial: 0.6 } as const
const FULL_WORDS_MIN = 2

const NAME_SCORE_MIN = 80 // From this score on, the names are treated as those of the same person.

// Returns a score from 0 to 100.
export function scoreNames(accountName: string, officialName: string): number {
  const account = wordsOf(accountName)
  const person = wordsOf(officialName)
  const accountWords = joinCompounds(account, person)
  const unmatched = joinCompounds(person, account)
  if (accountWords.length === 0) return 0
  let missing = accountWords
  let sum = 0
  let full = 0
  for (const kind of ['same', 'near', 'initial'] as const) {
    missing = missing.filter((word) => {
      const at = unmatched.findIndex((other) => MATCHES[kind](word, other))
      if (at < 0) return true
      unmatched.splice(at, 1)
      sum += WORTH[kind]
      if (kind !== 'initial') full++
      return false
    })
  }
  const score = Math.floor((100 * sum) / accountWords.length)
  return full >= FULL_WORDS_MIN ? score : Math.min(score, NAME_SCORE_MIN - 1)
}

export function isSamePerson(score: number): boolean {
  return score >= NAME_SCORE_MIN
}

const MATCHES: Readonly<Record<keyof typeof WORTH, (one: string, other: string) => boolean>> = {
  same: (one, other) => one === other,
  near: isNear,
  initial: (one, other) =>
    one[0] === other[0] && (one.length === 1 || other.length === 1) && one !== other,
}

function wordsOf(name: string): string[] {
  return name
    .normalize('NFKD')
    .replace(MARKS, '')
    .replace(APOSTROPHES, '')
    .toUpperCase()
    .split(SEPARATORS)
    .filter((word) => word !== '' && !TITLES.has(word))
}

// Joins two neighbouring words that the other name writes as one.
function joinCompounds(words: readonly string[], others: readonly string[]): string[] {
  const joined: string[] = []
  for (const word of words) {
    const compound = `${joined.at(-1) ?? ''}${word}`
    if (joined.length > 0 && others.includes(compound)) joined[joined.length - 1] = compound
    else joined.push(word)
  }
  return joined
}

// Whether the words differ by one added, missing or changed letter, or by two swapped neighbours.
function isNear(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (short.length < NEAR_LENGTH_MIN || long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at++
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1)
  const isSwapped = short[at] === long[at + 1] && short[at + 1] === long[at]
  return (
    short.slice(at + 1) === long.slice(at + 1) ||
    (isSwapped && short.slice(at + 2) === long.slice(at + 2))
  )
}
