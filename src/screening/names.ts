// Finds names of a list that are similar to a name: words in another order, changed letters, missing words,
// words that are written together or apart.
//
//   letters accents, case, punctuation and invisible characters are dropped; letters that look like a Latin
//           letter are replaced by it
//   words   single letters and common titles are dropped
//   search  candidates are the listed names that share two words with the name, or one word if both have
//           only one; words that differ by one letter are treated as shared. Listed names with the same
//           letters in the same order are candidates too, wherever the spaces are
//   score   each word of the shorter name is paired with its most similar word of the longer one
//           (Jaro-Winkler), weighted by its number of letters; each unpaired word costs two points of 100,
//           at most ten in total
//
// Matching is pure: the same name and the same version of a list always have the same match.

import { jaroWinkler } from '@skyra/jaro-winkler'

export type ListEntry = { id: string; names: readonly string[] } // The first is the primary name.

type NameMatch = { entry: string; listed: string; score: number }

const TITLES = new Set([
  'mr',
  'mrs',
  'miss',
  'ms',
  'dr',
  'alhaji',
  'alhaja',
  'chief',
  'engr',
  'prof',
])
const WORDS_MAX = 40
const JOINED_MIN = 6 // Names with fewer letters are only compared word by word.
const LEFT_OVER_COST = 2
const LEFT_OVER_COST_MAX = 10
const SHARED_MIN = 2 // Two shared words; one suffices if both names have one word.
const CACHED_MAX = 50_000

// Latin letters that normalisation leaves unchanged, and Cyrillic and Greek letters that look like Latin
// ones. Someone can type the latter in the name of a beneficiary to evade screening.
const LOOKALIKES = new Map<string, string>(
  Object.entries({
    ...{ ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ŋ: 'n' },
    ...{ þ: 'th', ß: 'ss', æ: 'ae', œ: 'oe' },
    ...{ ɓ: 'b', ɗ: 'd', ƙ: 'k', ƴ: 'y', ə: 'e', ɔ: 'o', ɛ: 'e' },
    ...{ а: 'a', в: 'b', е: 'e', ѕ: 's', і: 'i', ј: 'j', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p' },
    ...{ с: 'c', т: 't', у: 'y', х: 'x', һ: 'h', ԁ: 'd', ԛ: 'q', ԝ: 'w' },
    ...{ α: 'a', β: 'b', ε: 'e', ζ: 'z', η: 'h', ι: 'i', κ: 'k', μ: 'm', ν: 'n', ο: 'o', ρ: 'p' },
    ...{ τ: 't', υ: 'y', χ: 'x' },
  }),
)

// Returns the words of a name in plain lower-case letters, without titles.
function lettersOf(name: string): string[] {
  const plainName = name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/[^\x00-\x7f]/gu, (letter) => LOOKALIKES.get(letter) ?? letter)
  return (plainName.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !TITLES.has(word))
}

// Returns the words of a name that are compared: those with more than one letter, at most WORDS_MAX.
export function wordsOf(name: string): string[] {
  return lettersOf(name)
    .filter((word) => word.length > 1)
    .slice(0, WORDS_MAX)
}

// Returns the word, and for words of more than three letters each variant that lacks one letter. Two such
// words that differ by one letter have a key in common.
function keysOf(word: string): Set<string> {
  const keys = new Set([word])
  for (let index = 0; index < word.length && word.length > 3; index++) {
    keys.add(word.slice(0, index) + word.slice(index + 1))
  }
  return keys
}

// Scores two names from 0 to 100, as described at the top of this file.
function scoreOf(words: readonly string[], otherWords: readonly string[]): number {
  const [short, long] =
    words.length <= otherWords.length ? [words, otherWords] : [otherWords, words]
  const unpairedWords = [...long]
  let sum = 0
  let letters = 0
  for (const word of short) {
    let bestLikeness = 0
    let bestIndex = 0
    for (const [index, candidate] of unpairedWords.entries()) {
      const likeness = jaroWinkler(word, candidate)
      if (likeness > bestLikeness) [bestLikeness, bestIndex] = [likeness, index]
    }
    unpairedWords.splice(bestIndex, 1)
    sum += bestLikeness * word.length
    letters += word.length
  }
  const cost = Math.min(LEFT_OVER_COST * unpairedWords.length, LEFT_OVER_COST_MAX)
  return Math.max(0, Math.round((100 * sum) / letters) - cost)
}

// One name of a listed entry. `joined` is all its letters without spaces.
type Listed = { entry: string; name: string; words: string[]; joined: string }

// An index of one version of a list, which finds the listed name most similar to a name. Remembers results,
// because the same payers pay again and again.
export class NameIndex {
  readonly #listed: Listed[] = []
  readonly #byKey = new Map<string, number[]>() // Places in #listed.
  readonly #byJoined = new Map<string, number[]>()
  readonly #best = new Map<string, NameMatch | null>()

  constructor(entries: readonly ListEntry[]) {
    for (const { id, names } of entries) {
      for (const name of names) {
        this.#add({ entry: id, name, words: wordsOf(name), joined: lettersOf(name).join('') })
      }
    }
  }

  // Indexes one listed name by the keys of its words and, if it is long enough, by all of its letters.
  #add(listed: Listed): void {
    const place = this.#listed.push(listed) - 1
    for (const key of new Set(listed.words.flatMap((word) => [...keysOf(word)]))) {
      addTo(this.#byKey, key, place)
    }
    if (listed.joined.length >= JOINED_MIN) addTo(this.#byJoined, listed.joined, place)
  }

  // Returns the best match, or null if its score is below `min`. Of equal matches, the first in the list.
  match(name: string, min: number): NameMatch | null {
    const cachedMatch = this.#best.get(name)
    const best = cachedMatch === undefined ? this.#findBest(name) : cachedMatch
    return best && best.score >= min ? best : null
  }

  // Returns the best match whatever its score, or null if no listed name is a candidate.
  #findBest(name: string): NameMatch | null {
    const words = wordsOf(name)
    const joined = lettersOf(name).join('')
    let best: NameMatch | null = null
    for (const place of this.#candidates(words, joined)) {
      const { entry, name: listed, ...candidate } = this.#listed[place] as Listed
      const score = candidate.joined === joined ? 100 : scoreOf(words, candidate.words)
      if (!best || score > best.score) best = { entry, listed, score }
    }
    if (this.#best.size >= CACHED_MAX) this.#best.clear()
    this.#best.set(name, best)
    return best
  }

  // Returns the places in #listed that may match, in ascending order.
  #candidates(words: readonly string[], joined: string): number[] {
    const sharedWords = new Map<number, number>()
    for (const word of words) {
      const places = new Set<number>()
      for (const key of keysOf(word)) {
        for (const place of this.#byKey.get(key) ?? []) places.add(place)
      }
      for (const place of places) sharedWords.set(place, (sharedWords.get(place) ?? 0) + 1)
    }
    const isCandidate = ([place, count]: [number, number]) =>
      count >=
      Math.min(SHARED_MIN, Math.max(words.length, (this.#listed[place] as Listed).words.length))
    const byWords = [...sharedWords].filter(isCandidate).map(([place]) => place)
    const allPlaces = new Set([...byWords, ...(this.#byJoined.get(joined) ?? [])])
    return [...allPlaces].sort((one, other) => one - other)
  }
}

function addTo(placesByKey: Map<string, number[]>, key: string, place: number): void {
  const places = placesByKey.get(key)
  if (places) places.push(place)
  else placesByKey.set(key, [place])
}
