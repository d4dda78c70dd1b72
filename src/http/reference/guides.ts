// Serves the documents of docs/ as pages (/docs/guides/<name>), for readers without a clone of the
// repository. Links between documents work there too. Links to the code become plain text.

import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { toHtml } from './markdown.ts'

export type Guide = { name: string; title: string; html: string }

const DOCS = join(import.meta.dirname, '../../../docs')
const GUIDES = 'guides' // The folder of docs/ whose documents the menu lists.

const NAME = /^[a-z0-9-]+\.md$/

// Returns the path below docs/ of each document, by its name. The map is empty if the service was installed
// without the documents.
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

// Returns the guides that the menu lists, ordered by title.
export function listGuides(): Pick<Guide, 'name' | 'title'>[] {
  return [...PATHS]
    .filter(([, path]) => path.startsWith(`${GUIDES}/`))
    .map(([name, path]) => ({ name, title: titleOf(textOf(path)) }))
    .sort((one, other) => one.title.localeCompare(other.title))
}

// Renders a document, or returns undefined if there is none of this name.
export function readGuide(name: string): Guide | undefined {
  const path = PATHS.get(name)
  if (path === undefined) return undefined
  const text = textOf(path)
  const html = toHtml(text, (href) => addressOf(posix.dirname(path), href))
  return { name, title: titleOf(text), html }
}

// Converts a link in a document to the address that works in the service. `folder` is the document's folder
// below docs/. Returns undefined for a file that the service does not serve, such as code.
export function addressOf(folder: string, href: string): string | undefined {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href
  const [path = '', anchor] = href.split('#', 2)
  const target = posix.join(folder, path)
  if (target === '../openapi.json') return '/openapi.json'
  const name = basename(target, '.md')
  if (PATHS.get(name) !== target) return undefined
  return `/docs/guides/${name}${anchor ? `#${anchor}` : ''}`
}
