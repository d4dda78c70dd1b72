// Makes a test language from the English catalogue: each letter of each text becomes a letter that English
// does not have. Text on a page that still reads as English is then missing from the catalogue.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'

const WEB = join(import.meta.dirname, '../../web')
const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const STRANGE = [...'àƀćđéƒĝĥíĵķļɱñöþɋŕšţùṽŵẋýžÀƁĆĐÉƑĜĤÍĴĶĻṀÑÖÞɊŔŠŢÙṼŴẊÝŽ']
// Keys whose values tell machines the language; people do not read them.
const FOR_MACHINES = ['tag', 'locale']

export type Node = { type: string; start: number; end: number } & Record<string, unknown>
type Words = { start: number; end: number; text: string }

export type PseudoLanguage = {
  text: string // The text of a file that replaces web/copy/en.ts.
  english: readonly string[] // Texts that must not appear.
}

// Makes the catalogue of a test language from the English one. `name` is the name of the file that the test
// writes it to, without its ending.
export function makePseudoLanguage(name: string): PseudoLanguage {
  const english = readFileSync(join(WEB, 'copy/en.ts'), 'utf8')
  const words = wordsIn(english)
  let [text, position] = ['', 0]
  for (const word of words) {
    text += english.slice(position, word.start) + replaceLetters(word.text)
    position = word.end
  }
  text += english.slice(position)
  return {
    text:
      `import type { Complete } from '${join(WEB, 'copy.ts')}'\n` +
      `export type Language = Complete<typeof import('./${name}.ts')>\n` +
      text.replaceAll("'../../sdk/", `'${join(WEB, '../sdk/')}`),
    english: words.map(({ text }) => text.replace(/^['`}]|['`]$|\$\{$/g, '')),
  }
}

// The nodes of a source file's syntax tree in order, each with its parent, without types and imports.
export function* nodesIn(path: string, text: string): Generator<[Node, Node | undefined]> {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  yield* walk(program as unknown as Node, undefined)
}

// Yields a node and its descendants, except types and imports.
function* walk(node: Node, parent: Node | undefined): Generator<[Node, Node | undefined]> {
  if (isType(node) || node.type === 'ImportDeclaration') return
  yield [node, parent]
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') yield* walk(child, node)
    }
  }
}

// Whether a node is only a type. The value in `value as Type` is not.
function isType({ type }: Node): boolean {
  return type.startsWith('TS') && !/^TS(?:As|Satisfies|NonNull)Expression$/.test(type)
}

// The strings of a file that people read. Leaves out keys, strings that are only compared, and values for
// machines.
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

// Leaves escapes such as \n alone.
function replaceLetters(text: string): string {
  return text.replace(/\\.|[a-zA-Z]/g, (letter) => STRANGE[PLAIN.indexOf(letter)] ?? letter)
}
