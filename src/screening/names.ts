// Finds the name of a list that is most similar to a name: words in another order, spelt otherwise, missing,
// written together or apart, in another script.
//
//   reading spellings.ts reduces both names to words, their sounds, and the legal form of a company
//   search  candidates are the listed names that share two words with the name, or one rare word; words that
//           sound alike or differ by one letter count as shared. Listed names with the same letters or the
//           same sound in the same order are candidates too, wherever the spaces are
//   score   100 less what differs. Words are paired, the most similar first. A word that sounds the same
//           costs one point; one that differs costs 25 times the share of letters that differ, so that two
//           different words cost about 20; a name of a single word twice as much. Each word that only the
//           longer name has costs two points, at most eight; other fathers ("bin") twelve; other legal
//           forms three
//
// Matching is pure: the same name and the same version of a list always have the same match.

import { type Reading, readName, type Word } from './spellings.ts'

export type ListEntry = { id: string; names: readonly string[] } // The first is the primary name.

type NameMatch = { entry: string; listed: string; score: number }

const SHARED_MIN = 2 // Two shared words; one suffices if both names have one word, or if it is rare.
const RARE_MAX = 100 // A word of at most so many listed names is rare.
const JOINED_MIN = 6 // Names with fewer letters are only compared word by word.
const CACHED_MAX = 50_000

const COST = {
  sound: 1, // Same sound, other letters.
  letters: 24, // All letters differ.
  single: 2, // Factor for a name of a single word.
  part: 7, // The beginning or end of the other word, or another number of a series: Fund V, Fund VI.
  initial: 1, // An initial for a word.
  leftOver: 2,
  leftOverMax: 8,
  father: 12,
  form: 7,
}
const ALIKE = { sound: 0.4, shortSound: 0.6, father: 0.6, joined: 0.75 } // The least share of equal letters.
const SOUND_MIN = 2 // Shorter sounds say too little.
const CHANGES_MAX = 3 // Words with so many changed letters are different words.
const COMPANY_WORD_MIN = 6
const NUMERAL = /^(?:[ivx]+|\d+)$/

// Words that alone name no company.
const GENERIC = new Set(
  (
    'bank company construction enterprise enterprises global group holding holdings industries ' +
    'international investment investments management nigeria oil services stores trading ventures'
  ).split(' '),
)

// Scores two readings from 0 to 100, as described at the top of this file.
function scoreOf(one: Reading, other: Reading, likeness: Likeness): number {
  if (one.letters === other.letters) return 100
  if (one.joined === other.joined) return 100 - formCost(one, other)
  return Math.max(
    0,
    Math.floor(Math.max(scoreWords(one, other, likeness), scoreJoined(one, other))),
  )
}

function scoreWords(one: Reading, other: Reading, likeness: Likeness): number {
  const [short, long] = one.words.length <= other.words.length ? [one, other] : [other, one]
  if (short.words.every(({ text }) => GENERIC.has(text))) return 0
  const { likenesses, unpaired } = pairWords(short.words, long.words, likeness)
  const initials = pairInitials(short.initials, [
    ...unpaired.map(({ text }) => text),
    ...long.initials,
  ])
  const isSingle = short.words.length === 1 && initials.paired === 0
  if (isSingle && long.words.length > 1 && !isShortOfCompany(short, long)) return 0
  const pairCost = likenesses.reduce((sum, likeness) => sum + COST.letters * (1 - likeness), 0)
  return (
    100 -
    pairCost * (isSingle ? COST.single : 1) -
    COST.initial * initials.paired -
    Math.min(
      COST.leftOver * (unpaired.length - initials.paired + initials.unpaired),
      COST.leftOverMax,
    ) -
    (haveOtherFathers(one, other) ? COST.father : 0) -
    formCost(one, other)
  )
}

// Pairs initials with words that begin so.
function pairInitials(
  initials: readonly string[],
  words: readonly string[],
): { paired: number; unpaired: number } {
  const rest = [...words]
  let paired = 0
  for (const initial of initials) {
    const at = rest.findIndex((word) => word.startsWith(initial))
    if (at < 0) continue
    rest.splice(at, 1)
    paired++
  }
  return { paired, unpaired: initials.length - paired }
}

// Whether the long name is that of a company which the short one leaves incomplete: "Faberlic" and "Faberlic
// Europe Ltd". The single word of a person's name says too little.
function isShortOfCompany(short: Reading, long: Reading): boolean {
  const { text } = short.words[0] as Word
  return long.forms !== null && text.length >= COMPANY_WORD_MIN && long.words[0]?.text === text
}

// Scores two names whose spaces differ by all of their letters.
function scoreJoined(one: Reading, other: Reading): number {
  if (one.words.length === other.words.length) return 0
  if (Math.min(one.joined.length, other.joined.length) < JOINED_MIN) return 0
  const changes = countChanges(one.joined, other.joined)
  const likeness = shareOf(changes, one.joined, other.joined)
  return likeness < ALIKE.joined || changes >= CHANGES_MAX
    ? 0
    : 100 - COST.letters * (1 - likeness) - formCost(one, other)
}

// Pairs each word of the shorter name with one of the longer name, the most similar first. Returns the
// likeness of each pair, and the words of the longer name that are left.
function pairWords(
  short: readonly Word[],
  long: readonly Word[],
  likeness: Likeness,
): { likenesses: number[]; unpaired: Word[] } {
  const shortRest = [...short]
  const unpaired = [...long]
  const likenesses: number[] = []
  while (shortRest.length > 0) {
    let best = { likeness: -1, from: 0, to: 0 }
    for (let from = 0; from < shortRest.length && best.likeness < 1; from++) {
      for (let to = 0; to < unpaired.length && best.likeness < 1; to++) {
        const alike = likeness(shortRest[from] as Word, unpaired[to] as Word)
        if (alike > best.likeness) best = { likeness: alike, from, to }
      }
    }
    shortRest.splice(best.from, 1)
    unpaired.splice(best.to, 1)
    likenesses.push(best.likeness)
  }
  return { likenesses, unpaired }
}

type Likeness = (one: Word, other: Word) => number

// Returns likenessOf() with a memory: the words of one name are compared with few words of a list many times.
function rememberedLikeness(): Likeness {
  const known = new Map<Word, Map<Word, number>>()
  return (one, other) => {
    if (one === other) return 1
    const ofOne = known.get(one) ?? new Map<Word, number>()
    if (ofOne.size === 0) known.set(one, ofOne)
    const likeness = ofOne.get(other) ?? likenessOf(one, other)
    ofOne.set(other, likeness)
    return likeness
  }
}

function likenessOf(one: Word, other: Word): number {
  if (one.text === other.text) return 1
  if (one.spelling === other.spelling) return 1 - COST.sound / COST.letters
  const isPart = isPartOf(one.text, other.text) || isPartOf(other.text, one.text)
  const isNumber = NUMERAL.test(one.text) && NUMERAL.test(other.text)
  const least = isPart || isNumber ? 1 - COST.part / COST.letters : 0
  const soundsAlike = one.sound === other.sound && one.sound.length >= SOUND_MIN
  const difference = Math.abs(one.text.length - other.text.length)
  if (!soundsAlike && difference >= CHANGES_MAX) return least
  const changes = countChanges(one.text, other.text)
  const likeness = shareOf(changes, one.text, other.text)
  if (soundsAlike && likeness >= leastLikeness(one.sound)) return 1 - COST.sound / COST.letters
  return changes < CHANGES_MAX ? Math.max(likeness, least) : least
}

// Few consonants say little: Omar and Amir.
const leastLikeness = (sound: string) =>
  sound.replace('A', '').length > 2 ? ALIKE.sound : ALIKE.shortSound

// Whether one word is the other's short form: Ben and Benjamin, Seun and Oluwaseun, Emeka and Chukwuemeka.
function isPartOf(short: string, long: string): boolean {
  return (short.length > 2 && long.startsWith(short)) || (short.length > 3 && long.endsWith(short))
}

// Whether both names say whose child the person is, and neither lists all fathers that the other one does.
function haveOtherFathers(one: Reading, other: Reading): boolean {
  const has = (fathers: readonly Word[], searched: readonly Word[]) =>
    searched.every((word) => fathers.some((father) => likenessOf(father, word) >= ALIKE.father))
  return !has(one.fathers, other.fathers) && !has(other.fathers, one.fathers)
}

// Legal forms differ if both names have some, none in common. "Company" goes with any.
function formCost({ forms: one }: Reading, { forms: other }: Reading): number {
  if (!one || !other || one.has('') || other.has('')) return 0
  return [...one].some((form) => other.has(form)) ? 0 : COST.form
}

const shareOf = (changes: number, one: string, other: string) =>
  1 - changes / Math.max(one.length, other.length, 1)

// Counts the letters that are inserted, deleted, changed, or exchanged with their neighbour.
function countChanges(one: string, other: string): number {
  let before: number[] = []
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current.push(
        Math.min(
          (above[column] as number) + 1,
          (current[column - 1] as number) + 1,
          (above[column - 1] as number) + (isSame ? 0 : 1),
          isSwap ? (before[column - 2] as number) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    before = above
    above = current
  }
  return above[other.length] as number
}

// Returns the keys by which the words of a name are found.
function keysOf({ words }: Reading): Set<string>[] {
  return words.map(({ text, sound }) => {
    const keys = withoutLetter([text])
    if (words.length === 1) for (const key of withoutLetter(keys)) keys.add(key)
    return sound.length >= SOUND_MIN ? keys.add(`~${sound}`) : keys
  })
}

// Returns the words and each variant that lacks one letter. Two words that differ by one letter have a
// variant in common.
function withoutLetter(words: Iterable<string>): Set<string> {
  const variants = new Set(words)
  for (const word of words) {
    for (let index = 0; index < word.length && word.length > 3; index++) {
      variants.add(word.slice(0, index) + word.slice(index + 1))
    }
  }
  return variants
}

// Returns the keys by which a name is found wherever its spaces are.
function joinedKeysOf({ joined, letters, words }: Reading): string[] {
  if (letters.length < JOINED_MIN) return []
  return [joined, letters, `~${words.map(({ sound }) => sound).join('')}`]
}

// One reading of one name of a listed entry.
type Listed = { entry: string; name: string; reading: Reading }

// An index of one version of a list, which finds the listed name most similar to a name. Remembers results,
// because the same payers pay again and again.
export class NameIndex {
  readonly #listed: Listed[] = []
  readonly #words = new Map<string, Word>() // One object for each word of the list.
  readonly #byKey = new Map<string, number[]>() // Places in #listed.
  readonly #byJoined = new Map<string, number[]>()
  readonly #best = new Map<string, NameMatch | null>()
  // For each place, while candidates are counted: the number of shared words, and the last of them.
  readonly #shared: Uint8Array
  readonly #lastShared: Int32Array
  #wordsCounted = 0

  constructor(entries: readonly ListEntry[]) {
    for (const { id, names } of entries) {
      for (const name of names) {
        for (const reading of readName(name)) this.#add({ entry: id, name, reading })
      }
    }
    this.#shared = new Uint8Array(this.#listed.length)
    this.#lastShared = new Int32Array(this.#listed.length)
  }

  // Indexes one listed name by the keys of its words and, if it is long enough, by all of its letters.
  #add({ entry, name, reading }: Listed): void {
    const words = reading.words.map((word) => this.#words.get(word.text) ?? word)
    for (const word of words) this.#words.set(word.text, word)
    const place = this.#listed.push({ entry, name, reading: { ...reading, words } }) - 1
    for (const key of new Set(keysOf(reading).flatMap((keys) => [...keys])))
      addTo(this.#byKey, key, place)
    for (const key of joinedKeysOf(reading)) addTo(this.#byJoined, key, place)
  }

  // Returns the best match, or null if its score is below `min`. Of equal matches, the first in the list.
  match(name: string, min: number): NameMatch | null {
    const cachedMatch = this.#best.get(name)
    const best = cachedMatch === undefined ? this.#findBest(name) : cachedMatch
    return best && best.score >= min ? best : null
  }

  // Returns the best match whatever its score, or null if no listed name is a candidate.
  #findBest(name: string): NameMatch | null {
    let best: NameMatch | null = null
    for (const read of readName(name)) {
      const reading = {
        ...read,
        words: read.words.map((word) => this.#words.get(word.text) ?? word),
      }
      const likeness = rememberedLikeness()
      for (const place of this.#candidates(reading)) {
        const { entry, name: listed, reading: listedReading } = this.#listed[place] as Listed
        if (best?.score === 100) break
        const score = scoreOf(reading, listedReading, likeness)
        if (!best || score > best.score) best = { entry, listed, score }
      }
    }
    if (this.#best.size >= CACHED_MAX) this.#best.clear()
    this.#best.set(name, best)
    return best
  }

  // Returns the places in #listed that may match, in ascending order.
  #candidates(reading: Reading): number[] {
    const touched: number[] = []
    for (const keys of keysOf(reading)) {
      const places = this.#placesOf(keys)
      const weight = places.length <= RARE_MAX ? SHARED_MIN : 1
      for (const place of places) {
        const shared = this.#shared[place] as number
        if (shared === 0) touched.push(place)
        this.#shared[place] = Math.min(shared + weight, SHARED_MIN)
      }
    }
    const candidates = new Set(
      joinedKeysOf(reading).flatMap((key) => this.#byJoined.get(key) ?? []),
    )
    for (const place of touched) {
      const { words } = (this.#listed[place] as Listed).reading
      const isSingle = reading.words.length === 1 && words.length === 1
      if (isSingle || this.#shared[place] === SHARED_MIN) candidates.add(place)
      this.#shared[place] = 0
    }
    return [...candidates].sort((one, other) => one - other)
  }

  // Returns each place once that has one of the keys.
  #placesOf(keys: Iterable<string>): number[] {
    const word = ++this.#wordsCounted
    const places: number[] = []
    for (const key of keys) {
      for (const place of this.#byKey.get(key) ?? []) {
        if (this.#lastShared[place] === word) continue
        this.#lastShared[place] = word
        places.push(place)
      }
    }
    return places
  }
}

function addTo(placesByKey: Map<string, number[]>, key: string, place: number): void {
  const places = placesByKey.get(key)
  if (places) places.push(place)
  else placesByKey.set(key, [place])
}
