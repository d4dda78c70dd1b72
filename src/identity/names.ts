// Scores how well the name of an account matches the official name that belongs to a BVN or a NIN.
//
// Nigerian names come in any order, surname first or last, with or without the middle names, titles, tone
// marks and dots below, and with compound names written as one word or two (“Oluwa Seun”). So names are
// compared word by word, in any order. Each word of the account's name must match a word of the official
// name, which may have more words. At least two words must match fully or nearly: a first name alone, or
// initials, do not prove an identity.

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
const WORD_SCORES = { same: 1, near: 0.9, initial: 0.6 } as const
const FULL_MATCHES_MIN = 2

const NAME_SCORE_MIN = 80 // From this score on, the names are treated as those of the same person.

// Returns a score from 0 to 100: the average score of the words of the account's name. Matches equal words
// first, then words with a typing error, then initials, so that no word is used up by a worse match.
export function scoreNames(accountName: string, officialName: string): number {
  const writtenWords = wordsOf(accountName)
  const writtenOfficialWords = wordsOf(officialName)
  const accountWords = joinCompounds(writtenWords, writtenOfficialWords)
  const unusedOfficialWords = joinCompounds(writtenOfficialWords, writtenWords)
  if (accountWords.length === 0) return 0
  let unmatchedWords = accountWords
  let sum = 0
  let fullMatches = 0
  for (const kind of ['same', 'near', 'initial'] as const) {
    unmatchedWords = unmatchedWords.filter((word) => {
      const index = unusedOfficialWords.findIndex((other) => MATCHERS[kind](word, other))
      if (index < 0) return true
      unusedOfficialWords.splice(index, 1)
      sum += WORD_SCORES[kind]
      if (kind !== 'initial') fullMatches++
      return false
    })
  }
  const score = Math.floor((100 * sum) / accountWords.length)
  // A match of one full word, or of initials only, does not prove an identity, so the score stays below
  // NAME_SCORE_MIN.
  return fullMatches >= FULL_MATCHES_MIN ? score : Math.min(score, NAME_SCORE_MIN - 1)
}

// Whether the score is high enough to verify the identity.
export function isSamePerson(score: number): boolean {
  return score >= NAME_SCORE_MIN
}

const MATCHERS: Readonly<
  Record<keyof typeof WORD_SCORES, (one: string, other: string) => boolean>
> = {
  same: (one, other) => one === other,
  near: isNear,
  initial: (one, other) =>
    one[0] === other[0] && (one.length === 1 || other.length === 1) && one !== other,
}

// Splits a name into upper-case words without accents, apostrophes, full stops and titles.
function wordsOf(name: string): string[] {
  return name
    .normalize('NFKD')
    .replace(MARKS, '')
    .replace(APOSTROPHES, '')
    .toUpperCase()
    .split(SEPARATORS)
    .filter((word) => word !== '' && !TITLES.has(word))
}

// Joins neighbouring words that the other name writes as one word.
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
  let index = 0 // The position of the first letter that differs.
  while (index < short.length && short[index] === long[index]) index++
  if (short.length < long.length) return short.slice(index) === long.slice(index + 1)
  const isSwapped = short[index] === long[index + 1] && short[index + 1] === long[index]
  return (
    short.slice(index + 1) === long.slice(index + 1) ||
    (isSwapped && short.slice(index + 2) === long.slice(index + 2))
  )
}
