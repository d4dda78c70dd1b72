// Every link in the documents leads to something that exists, and docs/README.md links to every document.

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
const FOLDERS = 'docs,deploy,sdk,fake-bank,statement-profiles'
const DOCUMENTS = globSync(['*.md', `{${FOLDERS}}/**/*.md`], {
  cwd: ROOT,
  exclude: (name) => name.split('/').includes('node_modules'),
})
const LINK = /\]\(([^)\s]+)\)|\b(?:src|href)="([^"]+)"/g
const ELSEWHERE = /^(?:[a-z]+:|\/)/ // Other hosts, and paths of a running service.

type Link = { target: string; path: string; anchor: string | undefined }

function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8').replace(/^```.*?^```$/gms, '')
}

// Returns the links of a document to other documents and files of the repository.
function linksOf(path: string): Link[] {
  return Array.from(textOf(path).matchAll(LINK), ([, markdown, html]) => markdown ?? html ?? '')
    .filter((target) => !ELSEWHERE.test(target))
    .map((target) => {
      const [file = '', anchor] = target.split('#')
      return { target, anchor, path: file ? normalize(join(dirname(path), file)) : path }
    })
}

// Returns the anchors that GitHub makes from the headings. If headings repeat, only the first has this
// anchor.
function anchorsOf(path: string): string[] {
  const text = textOf(path)
  const headings = Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return [...headings, ...Array.from(text.matchAll(/<a id="([^"]+)">/g), ([, id = '']) => id)]
}

// Tells whether the linked file does not exist, or has no heading with the link's anchor.
function isDead({ path, anchor }: Link): boolean {
  if (!existsSync(join(ROOT, path))) return true
  return anchor !== undefined && path.endsWith('.md') && !anchorsOf(path).includes(anchor)
}

test('every link of every document leads to a file and a heading that exist', () => {
  const dead = DOCUMENTS.flatMap((path) =>
    linksOf(path)
      .filter(isDead)
      .map(({ target }) => `${path}: ${target}`),
  )
  assert.deepEqual(dead, [])
  assert(DOCUMENTS.length > 60 && DOCUMENTS.includes('README.md'))
})

test('docs/README.md leads to every document and picture of docs/', () => {
  const listed = linksOf('docs/README.md').map(({ path }) => path)
  const isFolder = (path: string) => statSync(join(ROOT, path)).isDirectory()
  const folders = listed.filter(isFolder)
  const unlisted = DOCUMENTS.filter(
    (path) =>
      path.startsWith('docs/') &&
      path !== 'docs/README.md' &&
      !listed.includes(path) &&
      !folders.includes(dirname(path)),
  )
  assert.deepEqual(unlisted, [])

  const linkedPaths = DOCUMENTS.flatMap(linksOf).map(({ path }) => path)
  const pictures = globSync('docs/**/*.{png,svg}', { cwd: ROOT })
  assert.deepEqual(
    pictures.filter((path) => !linkedPaths.includes(path)),
    [],
  )
})
