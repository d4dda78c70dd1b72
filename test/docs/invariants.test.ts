// docs/invariants.md names files, and functions, constants and constraints in them: all have to exist.

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

type Named = { line: number; path: string; name: string | undefined }

// Returns the files named in the text, each with the names in brackets behind it: `src/a.ts` (`b`, `c`).
function namedIn(text: string): Named[] {
  return text.split('\n').flatMap((row, at) =>
    Array.from(row.matchAll(/`([\w.-]+\/[\w./-]+)`(?: \(([^)]*)\))?/g)).flatMap(
      ([, path = '', names = '']) => {
        const inBrackets = Array.from(names.matchAll(/`([^`]+)`/g), ([, name]) => name)
        return [undefined, ...inBrackets].map((name) => ({ line: at + 1, path, name }))
      },
    ),
  )
}

const wordsOf = (text: string) => new Set(text.match(/#?\w+/g))

// Returns the entries whose file does not exist, or does not contain the name.
function missing(text: string): string[] {
  return namedIn(text).flatMap(({ line, path, name }) => {
    const file = join(ROOT, path)
    if (!existsSync(file)) return [`line ${line}: ${path} does not exist`]
    if (name === undefined || statSync(file).isDirectory()) return []
    const words = wordsOf(readFileSync(file, 'utf8'))
    return words.has(name) ? [] : [`line ${line}: ${path} has no ${name}`]
  })
}

const text = readFileSync(join(ROOT, 'docs/invariants.md'), 'utf8')

test('every file named in docs/invariants.md exists and has the functions named with it', () => {
  const named = namedIn(text)
  assert(named.filter(({ name }) => name !== undefined).length > 20)
  assert.deepEqual(missing(text), [])
})

test('every constraint, trigger and function that enforces an invariant exists', () => {
  const sources = globSync(['src/**/*.ts', 'db/**/*.sql', 'torture/**/*.ts'], { cwd: ROOT })
  const words = wordsOf(sources.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n'))
  // `…` stands for the different beginnings of several names.
  const exists = (name: string) =>
    name.startsWith('…')
      ? [...words].some((word) => word.endsWith(name.slice(1)))
      : name.split(/[^\w#]+/).every((word) => words.has(word))
  const unknown = text.split('\n').flatMap((row, at) => {
    const enforcedBy = /^\| I\d/.test(row) ? (row.split(' | ')[2] ?? '') : ''
    return Array.from(enforcedBy.matchAll(/`([^`]+)`/g), ([, name = '']) => name)
      .filter((name) => !name.includes('/') && !exists(name))
      .map((name) => `line ${at + 1}: ${name}`)
  })
  assert.deepEqual(unknown, [])
})

test('no row of docs/invariants.md names a file twice in one cell', () => {
  const repeated = text.split('\n').flatMap((row, at) =>
    row.split(' | ').flatMap((cell) => {
      const paths = Array.from(cell.matchAll(/`((?:src|test|db)\/[^`]+)`/g), ([, path]) => path)
      return new Set(paths).size < paths.length ? [`line ${at + 1}: ${cell}`] : []
    }),
  )
  assert.deepEqual(repeated, [])
})

test('a file or a function that does not exist is noticed', () => {
  assert.deepEqual(missing('| `src/money.ts` (`kobo`, `kob`) | `src/gold.ts` |'), [
    'line 1: src/money.ts has no kob',
    'line 1: src/gold.ts does not exist',
  ])
})
