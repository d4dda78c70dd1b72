// Checks that names are nouns and that comments and test names do not begin with a vague pronoun.

import { code, lineAt, type Rule } from './tidy-rules.ts'

const PLAIN_FOLDERS = /^(?:src|web|test|scripts|bench|fuzz|torture|tools|fake-bank|sdk|cli)\//

const PARTICIPLES = ['given', 'asked', 'told', 'shown', 'wanted', 'taken', 'kept', 'said', 'heard']
// The banned names: participles, such as `given`, which do not name a thing.
const NAME = `(?:${PARTICIPLES.join('|')})`
// A banned name is found where it is declared (DECLARED), or as an element of a list (LISTED): a parameter,
// an argument or a part of a pattern. An argument counts too, because it was declared somewhere. Keys of
// objects do not count (isKey).
const DECLARED = new RegExp(`\\b(?:const|let|var|function)\\s+(${NAME})\\b`, 'g')
const LISTED = new RegExp(`[({[,:]\\s*(?:\\.\\.\\.)?(${NAME})\\s*(?=[,)}\\]=]|\\??:)`, 'g')

// Matches comments that begin with a pronoun instead of a noun.
const VAGUE_COMMENT = /(?<=^|[ \t])(?:\/\/|--|\/?\*\*?) (?:What|Of|Who|Whoever|Whatever|Whose)\b/gm

// The names of tests must begin with their subject too.
const VAGUE_TEST = /^ *test\((?:`|'|")(?:What|Who|Whom|Whoever|Whatever|Whose)\b/gim

// Applies the three rules of this file: on names of variables, on comments and on test names.
export const words: Rule = ({ path, text }) => {
  if (path.startsWith('db/')) return vagueComments(path, text)
  if (!PLAIN_FOLDERS.test(path) || !/\.(?:tsx?|m?js)$/.test(path)) return []
  return [
    ...participles(path, text),
    ...vagueComments(path, text),
    ...[...text.matchAll(VAGUE_TEST)].map(
      ({ index }) => `${path}:${lineAt(text, index)}: the name of a test begins with its subject`,
    ),
  ]
}

// Returns one fault for each banned name of a file.
function participles(path: string, text: string): string[] {
  const plain = code(text).replace(/`[^`]*`|'[^'\n]*'|"[^"\n]*"/g, (quoted) =>
    quoted.replace(/[^\n]/g, ' '),
  )
  const hits = [
    ...plain.matchAll(DECLARED),
    ...[...plain.matchAll(LISTED)].filter((hit) => !isKey(plain, hit)),
  ]
  // A Map keeps the last entry of each name. Since the matches are sorted backwards, that entry is the
  // first line with the name.
  const lines = new Map(
    hits
      .toSorted((one, other) => other.index - one.index)
      .map((hit) => [
        hit[1] as string,
        lineAt(plain, hit.index + hit[0].indexOf(hit[1] as string)),
      ]),
  )
  return [...lines].map(([name, line]) => `${path}:${line}: ${name} is no noun; name the thing`)
}

// Returns whether a banned name before a colon is an object’s key, as in `{ a, told: b }`, rather than a
// parameter, as in `(a, told: B)`: the last open bracket decides.
function isKey(text: string, { index, 0: hit }: RegExpExecArray): boolean {
  if (!/^\??:/.test(text.slice(index + hit.length))) return false
  let depth = 0
  for (let at = index; at >= 0; at--) {
    const mark = text[at] as string
    if (')]}'.includes(mark)) depth++
    else if ('([{'.includes(mark) && depth-- === 0) return mark === '{'
  }
  return true
}

// Returns one fault for each comment that begins with a vague pronoun.
function vagueComments(path: string, text: string): string[] {
  return [...text.matchAll(VAGUE_COMMENT)].map(
    ({ index, 0: opening }) => `${path}:${lineAt(text, index)}: ${opening}: name the actor`,
  )
}
