// The rules of which files may import which others, and that imports form no cycle. A "room" is a folder of
// src/ with one capability, such as src/payouts/; the shared folders, such as src/db/, are the "layers"
// below. The rules also cover the apps of web/, sdk/, and cli/ on top of it.

import { posix } from 'node:path'
import { CAPABILITIES, LAYERS, ROOM_LAYERS } from '../scripts/capabilities.ts'
import { code, lineAt, type Rule, type Source } from './tidy-rules.ts'

// These files put the parts of the service together and may import all of them.
const WIRING = [
  'src/main.ts',
  'src/admin/main.ts',
  'src/wiring.ts',
  'src/http/app.ts',
  'src/workers/run-workers.ts',
  'src/workers/move-clock.ts',
]

// In a room, only files with these names may import src/http/ or src/workers/.
const HTTP_FILE = /\/(?:[a-z-]+-)?(?:routes|views)\.ts$/
// Events show the objects of the API, so their renderer knows the views of all rooms.
const RENDERER = 'src/webhooks/render.ts'
const WORKER_FILE = /\/(?:[a-z-]+-)?workers\.ts$/

// Reports the imports of a file that break a rule.
export const imports: Rule = ({ path, text }) => {
  if (!/^(?:src|web|sdk|cli)\//.test(path) || WIRING.includes(path)) return []
  return importsIn(text).flatMap(({ target, index }) => {
    const why = importFault(path, target)
    return why ? [`${path}:${lineAt(text, index)}: imports ${target}: ${why}`] : []
  })
}

// Returns the imports of other files in the text, with their positions.
function importsIn(text: string) {
  const matches = code(text).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([#.][^']*)'/g)
  return [...matches].map(({ 1: target = '', index }) => ({ target, index }))
}

// Returns a fault for each import cycle. Type imports count too, because files that need each other can be
// read and moved only together.
export function importCycles(files: readonly Source[]): string[] {
  const graph = new Map(
    files
      .filter(({ path }) => /^(?:src|web|sdk|cli)\/.*\.tsx?$/.test(path))
      .map(({ path, text }) => [
        path,
        importsIn(text).map(({ target }) => resolveImport(path, target)),
      ]),
  )
  const done = new Set<string>()
  const cycles: string[] = []
  // Follows the imports of a file. A file that is already on the trail closes a cycle.
  const visit = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path)
    if (start >= 0) cycles.push(`${[...trail.slice(start), path].join(' → ')}: an import cycle`)
    if (start >= 0 || done.has(path)) return
    for (const next of graph.get(path) ?? []) if (next !== path) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return cycles
}

// Returns the path from the root of the repository that an import in `path` leads to.
function resolveImport(path: string, target: string): string {
  if (target.startsWith('#')) return target.replace('#', 'src/')
  return posix.join(posix.dirname(path), target)
}

// Returns the rule that an import breaks, or undefined.
function importFault(path: string, target: string): string | undefined {
  if (path.startsWith('web/')) return webImportFault(path, target)
  if (path.startsWith('sdk/')) {
    return resolveImport(path, target).startsWith('sdk/') ? undefined : 'sdk/ knows only itself'
  }
  if (path.startsWith('cli/')) {
    const isKnown = /^(?:cli|sdk\/src|src\/admin|package\.json$)/.test(resolveImport(path, target))
    return isKnown ? undefined : 'cli/ knows only itself, sdk/ and src/admin/'
  }
  if (target.startsWith('.')) {
    return /^\.\/[^/]+$/.test(target) ? undefined : "another folder's file is imported as #folder/…"
  }
  const folder = topFolder(path)
  const to = topFolder(target.replace('#', 'src/'))
  if (to === undefined || to === folder) return undefined
  if (folder === undefined) return 'a file at the top of src/ imports no folder'
  const showsViews = folder === 'http' || HTTP_FILE.test(path) || path === RENDERER
  if (CAPABILITIES[to] && HTTP_FILE.test(target) && !showsViews) {
    return 'only routes and views know the routes and views of a room'
  }
  if (CAPABILITIES[to] && WORKER_FILE.test(target)) return "a room's workers are its own"
  return CAPABILITIES[folder] ? roomFault(path, folder, to) : layerFault(folder, to)
}

// Checks an import of a shared folder of src/, such as src/db/, against the layers that it may know.
function layerFault(folder: string, to: string): string | undefined {
  const layer = LAYERS[folder]
  if (!layer) return `say in scripts/capabilities.ts what src/${folder}/ may import`
  const isKnown = layer.includes(to) || (layer.includes('rooms') && to in CAPABILITIES)
  return isKnown ? undefined : `${folder}/ may not know ${to}/`
}

// Between rooms, imports follow the capability table. Routes, views and workers are the edges of their room:
// they may also use rooms that build on it.
function roomFault(path: string, room: string, to: string): string | undefined {
  if (to === 'http') return HTTP_FILE.test(path) ? undefined : 'only routes and views know http/'
  if (to === 'workers') return WORKER_FILE.test(path) ? undefined : 'only workers know workers/'
  if (!CAPABILITIES[to]) {
    return ROOM_LAYERS.includes(to) ? undefined : `a room may not know ${to}/`
  }
  if (HTTP_FILE.test(path) || WORKER_FILE.test(path)) return undefined
  return CAPABILITIES[room]?.uses.includes(to) ? undefined : `${room} may not use ${to}`
}

// These files of src/ import nothing. Pages of web/ import them too, so that they write short codes and CSV
// cells exactly as the service does.
const SHARED_WITH_PAGES = ['src/short-codes.ts', 'src/csv.ts']

// An app of web/ may import itself, the loose files at the top of web/ (which may import only each
// other), sdk/, short codes, cells of CSV, and another app's preview. web/copy.ts stands for all languages.
function webImportFault(path: string, target: string): string | undefined {
  if (target.startsWith('#')) return 'web/ knows nothing of src/'
  if (SHARED_WITH_PAGES.includes(resolveImport(path, target))) return undefined
  const [root, app, file] = resolveImport(path, target).split('/')
  if (root === 'sdk') return undefined
  const isLoose = root === 'web' && file === undefined
  const isOwn = root === 'web' && app === path.split('/')[1]
  const isCopy = root === 'web' && app === 'copy' && path === 'web/copy.ts'
  const isPreview = root === 'web' && file === 'preview.tsx' && path.split('/').length > 2
  return isLoose || isOwn || isCopy || isPreview
    ? undefined
    : 'an app of web/ knows only itself and the top of web/'
}

function topFolder(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1]
}
