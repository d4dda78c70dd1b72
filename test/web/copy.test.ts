// The words of the pages are in one catalogue, web/copy/, and another language is one more file
// there (docs/translating.md). Tested with a language that no page was written in.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { buildWeb } from '../../scripts/build-web.ts'
import { makePseudoLanguage, type Node, nodesIn } from '../support/pseudo-language.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const { text: pseudo, english } = makePseudoLanguage('pseudo')
// Leaves out single words, which may also occur in code as identifiers, and the name of the sample customer,
// which all languages share.
const sentences = [...new Set(english)].filter(
  (text) => /\p{L}{2,} \p{L}{2,}/u.test(text) && text !== 'Ada Obi',
)

test('a language that lacks a string, or a section, does not compile', async () => {
  using folder = createTempFolder()
  const save = (name: string, text: string) => writeFileSync(join(folder.path, name), text)
  const named = (name: string) => pseudo.replace('./pseudo.ts', `./${name}.ts`)
  save('pseudo.ts', pseudo)
  save('no-string.ts', named('no-string').replace(/^ {4}clearAll: .*\n/m, ''))
  save('no-section.ts', named('no-section').replace('const alertsStrings', 'const otherStrings'))
  save('no-function.ts', named('no-function').replace('copied: (', 'copied: 7, spare: ('))
  save(
    'tsconfig.json',
    JSON.stringify({ extends: join(ROOT, 'web/tsconfig.json'), include: ['*'] }),
  )

  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const failed = await run(process.execPath, [tsc, '-p', folder.path]).then(
    () => '',
    ({ stdout }) => String(stdout),
  )
  for (const [file, lacks] of [
    ['no-string', 'clearAll'],
    ['no-section', 'alertsStrings'],
    ['no-function', 'copied'],
  ] as const) {
    assert.match(failed, new RegExp(`${file}\\.ts\\(2,[^]*?${lacks}' (?:is|are) `), failed)
  }
  assert.doesNotMatch(failed, /pseudo\.ts/)
})

test('pages built in another language say nothing in English', async () => {
  using folder = createTempFolder()
  const catalogue = join(folder.path, 'pseudo.ts')
  writeFileSync(catalogue, pseudo)
  await buildWeb(folder.path, catalogue)

  // The English sentences that the scripts of a build contain.
  const sentencesIn = (build: string) => {
    const scripts = globSync('web/*/**/*.js', { cwd: build }).sort()
    assert(scripts.length > 20)
    const code = scripts.map((path) => readFileSync(join(build, path), 'utf8')).join('\n')
    return sentences.filter((text) => code.includes(text))
  }
  assert.deepEqual(sentencesIn(folder.path), [])
  assert(
    sentencesIn(join(ROOT, 'build')).length > sentences.length * 0.9,
    'or it would not be noticed',
  )

  const server = pathToFileURL(join(folder.path, 'web/checkout-server/server.js')).href
  const { drawCheckout, drawMissing, drawUnavailable } = await import(server)
  const files = { script: '', styles: [] }
  const pages = STATUSES.map((status) => drawCheckout(pageOf(status), files))
  for (const page of [...pages, drawMissing(files), drawUnavailable(files, '/pay')]) {
    assert.match(page, /<html lang="en">/)
    assert.match(wordsOf(page), /\p{L}{2}/u)
    assert.doesNotMatch(wordsOf(page), /[a-z]{2}/i)
  }
})

const STATUSES = [
  'Pending',
  'Processing',
  'PartPayment',
  'Successful',
  'Expired',
  'Cancelled',
  'Reversed',
]

// The data of a checkout page, with digits in place of names, so that every letter on the rendered page
// comes from the page itself.
function pageOf(status: string) {
  const number = { bankCode: '058', bankName: '058', accountNumber: '0123456789' }
  const at = '2026-11-15T08:00:48.000Z'
  const checkout = {
    ...{ status, now: at, expiresAt: at, closesAt: at, paidAt: at, isTest: true, canRequery: true },
    ...{ adviceReference: '1', paymentReference: '2', merchantRef: '3', narration: '4' },
    ...{ merchantName: '5', accountName: '6', logo: null, returnUrl: '#', amountPolicy: 'exact' },
    ...{ amount: 6, amountPaid: 5, amountRemaining: 1, amountRefunded: 1, amountHeld: 1 },
    ...{ supportEmail: null, supportPhone: '7', supportUrl: null, payerBanks: ['8'] },
    ...{ shortCode: '9', payerNames: ['9'], sessionIds: ['9'] },
    ...{
      numbers: [number],
      paidInto: [number],
      banks: [{ code: '035', name: '035', otherNames: [] }],
    },
    fees: { amount: 3, fee: 1, vat: 1, rounding: 1 },
  }
  return { checkout, bankCode: undefined, problem: 'other', isSent: false }
}

// The text of a rendered page, including the attributes that are shown or read aloud.
function wordsOf(page: string): string {
  const attributes = page.matchAll(/ (?:aria-label|alt|title|placeholder)="([^"]*)"/g)
  const text = page.replace(/<[^>]*>/g, ' ').replace(/&\w+;/g, ' ')
  return [text, ...[...attributes].map(([, value]) => value)].join(' ')
}

// Strings that need no translation, by file.
const EXEMPT: Readonly<Record<string, RegExp>> = {
  'web/dashboard/device-names.ts': /./, // Browsers and systems by their names.
  'web/dashboard/format.ts': /^Africa\/Lagos$/,
  'web/dashboard/views/developers/quick-start.tsx': /./, // Commands to copy, and their sample.
  'web/dashboard/views/accounts/account-csv.ts': /./, // The columns of the API, and a sample.
}
const CODES = /^(?:Pending|Processing|PartPayment|Successful|Paid|Expired|Cancelled|Reversed|Mon)$/
const KEYS = /^(?:Escape|Enter|\/ Meta\+K Control\+K)$/
const READ_ALOUD =
  /^(?:aria-(?:label|description|roledescription|valuetext)|alt|title|placeholder|label)$/

test('no page has words of its own: text, labels and sentences are in the catalogue', () => {
  const paths = globSync('web/{checkout,dashboard}/**/*.{ts,tsx}', { cwd: ROOT })
  assert(paths.length > 100)
  // The texts for people that are in the pages' code instead of the catalogue.
  const faults = paths.flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8')
    const words = wordsInCode(path, text).filter((word) => !EXEMPT[path]?.test(word))
    return words.map((word) => `${path}: ${word}`)
  })
  assert.deepEqual(faults, [])
})

test('words in a page would be noticed, as text, label or sentence', () => {
  const page = (inside: string) => `const View = () => <p>${inside}</p>`
  for (const [words, code] of [
    ['Net', page('Net')],
    ['due', page('{amount} due')],
    ['search', page('<input placeholder="search" />')],
    ['Close it', page('<button aria-label={`Close it`} />')],
    ['Payments', "const tab = { name: 'Payments' }"],
    ['Saved. Go on', 'toast(`Saved. Go on`)'],
  ] as const) {
    assert.deepEqual(wordsInCode('a.tsx', code), [words], code)
  }
  const fine = "const View = () => <p class='One two' key={'Escape'}>{strings.one} · {1} – 2</p>"
  assert.deepEqual(wordsInCode('a.tsx', fine), [])
})

// The strings in a source file that a person would read.
function wordsInCode(path: string, text: string): string[] {
  const found: string[] = []
  for (const [node, parent] of nodesIn(path, text)) {
    const words = wordsOfNode(node)
    if (words !== undefined && isForPeople(words, node, parent)) found.push(words.trim())
  }
  return found
}

// The text of a syntax node, if it is a string or a part of a template.
function wordsOfNode(node: Node): string | undefined {
  if (node.type === 'TemplateElement') return (node.value as { cooked: string }).cooked
  return typeof node.value === 'string' ? node.value : undefined
}

// Whether a string is text that a person reads or a screen reader speaks, and not an identifier, code or key.
function isForPeople(words: string, node: Node, parent: Node | undefined): boolean {
  if (node.type === 'JSXText') return /\p{L}{2}/u.test(words)
  const attribute = parent?.type === 'JSXAttribute' ? String((parent.name as Node).name) : ''
  if (READ_ALOUD.test(attribute)) return /\p{L}{2}/u.test(words) && words !== 'https://'
  if (attribute !== '') return false
  if (CODES.test(words) || KEYS.test(words)) return false
  // Only a whole string may be a single word: in a template such as `${step}Title`, a single word is part of
  // an identifier.
  const sentence = /^\s*\p{Lu}\p{Ll}+[\s.,:;!?…]/u
  return sentence.test(words) || (node.type === 'Literal' && /^\p{Lu}\p{Ll}+$/u.test(words))
}
