// A test language made from English: every letter of every string becomes a letter that English does not
// have, so text that still reads as English is missing from the catalogue.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'

const WEB = join(import.meta.dirname, '../../web')
const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const STRANGE = [...'àƀćđéƒĝĥíĵķļɱñöþɋŕšţùṽŵẋýžÀƁĆĐÉƑĜĤÍĴĶĻṀÑÖÞɊŔŠŢÙṼŴẊÝŽ']
// Not words: they tell machines the language.
const FOR_MACHINES = ['tag', 'locale']

export type Node = { type: string; start: number; end: number } & Record<string, unknown>
type Words = { start: number; end: number; text: string }

export type PseudoLanguage = {
  text: string // The text of a file that replaces web/copy/en.ts.
  english: readonly string[] // Texts that must not appear.
}

export function makePseudoLanguage(name: string): PseudoLanguage {
  const english = readFileSync(join(WEB, 'copy/en.ts'), 'utf8')
  const words = wordsIn(english)
  let [text, past] = ['', 0]
  for (const each of words) {
    text += english.slice(past, each.start) + strange(each.text)
    past = each.end
  }
  text += english.slice(past)
  return {
    text:
      `import type { Complete } from '${join(WEB, 'copy.ts')}'\n` +
      `export type Language = Complete<typeof import('./${name}.ts')>\n` +
      text.replaceAll("'../../sdk/", `'${join(WEB, '../sdk/')}`),
    english: words.map(({ text }) => text.replace(/^['`}]|['`]$|\$\{$/g, '')),
  }
}

// All nodes of a file in order, each with its parent.
export function* nodesIn(path: string, text: string): Generator<[Node, Node | undefined]> {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  yield* walk(program as unknown as Node, undefined)
}

function* walk(node: Node, parent: Node | undefined): Generator<[Node, Node | undefined]> {
  if (isType(node) || node.type === 'ImportDeclaration') return
  yield [node, parent]
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') yield* walk(child, node)
    }
  }
}

// Types have no text for people; a typed value may.
function isType({ type }: Node): boolean {
  return type.startsWith('TS') && !/^TS(?:As|Satisfies|NonNull)Expression$/.test(type)
}

function wordsIn(text: string): Words[] {
  const words: Words[] = []
  for (const [node, parent] of nodesIn('en.ts', text)) {
    const { type, start, end } = node
    const isKey = parent?.type === 'Property' && parent.key === node
    const key = parent?.key as { name?: string } | undefined
    const isText = type === 'Literal' && typeof node.value === 'string'
    const isCompared = parent?.type === 'BinaryExpression' && parent.operator !== '+'
    if (type !== 'TemplateElement' && !isText) continue
    if (isKey || isCompared || FOR_MACHINES.includes(key?.name ?? '')) continue
    words.push({ start, end, text: text.slice(start, end) })
  }
  return words.sort((a, b) => a.start - b.start)
}

// Keeps escapes: \n stays one.
function strange(text: string): string {
  return text.replace(/\\.|[a-zA-Z]/g, (letter) => STRANGE[PLAIN.indexOf(letter)] ?? letter)
}
