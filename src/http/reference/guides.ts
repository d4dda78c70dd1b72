// The documents of docs/ as pages of the running service (/docs/guides/<name>), for readers without a clone
// of the repository. Links between documents stay; links to the code become text.

import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { toHtml } from './markdown.ts'

export type Guide = { name: string; title: string; html: string }

const DOCS = join(import.meta.dirname, '../../../docs')
const GUIDES = 'guides' // The folder of docs/ whose documents the menu lists.

const NAME = /^[a-z0-9-]+\.md$/

// Returns the path below docs/ of each document, by its name. Empty if the service was installed without
// them.
function findGuides(): Map<string, string> {
  const namesIn = (folder: string) => {
    try {
      return readdirSync(join(DOCS, folder)).filter((name) => NAME.test(name))
    } catch {
      return []
    }
  }
  const paths = [...namesIn('.'), ...namesIn(GUIDES).map((name) => `${GUIDES}/${name}`)]
  return new Map(paths.map((path) => [basename(path, '.md'), path]))
}

const PATHS = findGuides()

const textOf = (path: string) => readFileSync(join(DOCS, path), 'utf8')
const titleOf = (text: string) => /^# (.+)$/m.exec(text)?.[1] ?? ''

// Returns the menu's guides, ordered by title.
export function listGuides(): Pick<Guide, 'name' | 'title'>[] {
  return [...PATHS]
    .filter(([, path]) => path.startsWith(`${GUIDES}/`))
    .map(([name, path]) => ({ name, title: titleOf(textOf(path)) }))
    .sort((one, other) => one.title.localeCompare(other.title))
}

export function readGuide(name: string): Guide | undefined {
  const path = PATHS.get(name)
  if (path === undefined) return undefined
  const text = textOf(path)
  const html = toHtml(text, (href) => addressOf(posix.dirname(path), href))
  return { name, title: titleOf(text), html }
}

// Returns the address in the service that a link in a document of this folder leads to, or undefined if the
// service does not serve it.
export function addressOf(folder: string, href: string): string | undefined {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href
  const [path = '', anchor] = href.split('#', 2)
  const target = posix.join(folder, path)
  if (target === '../openapi.json') return '/openapi.json'
  const name = basename(target, '.md')
  if (PATHS.get(name) !== target) return undefined
  return `/docs/guides/${name}${anchor ? `#${anchor}` : ''}`
}
