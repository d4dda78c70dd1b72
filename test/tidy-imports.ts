// The rules of who may import whom: the layers of src/, the capabilities of src/domain/, the apps of
// web/, what everybody may install, sdk/, and cli/ on top of it; and no cycles.

import { posix } from 'node:path'
import { CAPABILITIES, LAYERS } from '../scripts/capabilities.ts'
import { code, lineAt, type Rule, type Source } from './tidy-rules.ts'

// What puts the parts together may know them all.
const WIRING = ['src/main.ts', 'src/wiring.ts', 'src/prepare-database.ts', 'src/welcome.ts']

export const imports: Rule = ({ path, text }) => {
  if (!/^(?:src|web|sdk|cli)\//.test(path) || WIRING.includes(path)) return []
  return importsIn(text).flatMap(({ target, index }) => {
    const why = importFault(path, target)
    return why ? [`${path}:${lineAt(text, index)}: imports ${target}: ${why}`] : []
  })
}

function importsIn(text: string) {
  const found = code(text).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([#.][^']*)'/g)
  return [...found].map(({ 1: target = '', index }) => ({ target, index }))
}

// Of types too: files that need each other can be read and moved only together.
export function importCycles(files: readonly Source[]): string[] {
  const graph = new Map(
    files
      .filter(({ path }) => /^(?:src|web|sdk|cli)\/.*\.tsx?$/.test(path))
      .map(({ path, text }) => [path, importsIn(text).map(({ target }) => reached(path, target))]),
  )
  const done = new Set<string>()
  const cycles: string[] = []
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

function reached(path: string, target: string): string {
  if (target.startsWith('#')) return target.replace('#', 'src/')
  return posix.join(posix.dirname(path), target)
}

function importFault(path: string, target: string): string | undefined {
  if (path.startsWith('web/')) return webImportFault(path, target)
  if (path.startsWith('sdk/')) {
    return reached(path, target).startsWith('sdk/') ? undefined : 'sdk/ knows only itself'
  }
  if (path.startsWith('cli/')) {
    const isKnown = /^(?:cli|sdk\/src|package\.json$)/.test(reached(path, target))
    return isKnown ? undefined : 'cli/ knows only itself and sdk/'
  }
  if (target.startsWith('.')) {
    return /^\.\/[^/]+$/.test(target) ? undefined : "another folder's file is imported as #folder/…"
  }
  const folder = topFolder(path)
  const to = topFolder(target.replace('#', 'src/'))
  if (to === folder && folder === 'domain') return capabilityFault(path, target)
  if (to === undefined || to === folder) return undefined
  if (folder === undefined) return 'a file at the top of src/ imports no folder'
  const layer = LAYERS[folder]
  if (!layer) return `say in scripts/capabilities.ts what src/${folder}/ may import`
  return layer.includes(to) ? undefined : `${folder}/ may not know ${to}/`
}

// Within src/domain/, files at its top join the capabilities and may import all of them.
function capabilityFault(path: string, target: string): string | undefined {
  const [user, used] = [capabilityOf(path), capabilityOf(target.replace('#', 'src/'))]
  if (user === undefined || user === used) return undefined
  if (used === undefined) return 'a capability does not know what joins capabilities'
  const capability = CAPABILITIES[user]
  if (!capability) return `say in scripts/capabilities.ts what ${user} may use`
  return capability.uses.includes(used) ? undefined : `${user} may not use ${used}`
}

// An app of web/ knows itself, the loose files at the top of web/, which know only each other, sdk/, and
// of another app what that shows of itself: its preview. web/copy.ts stands for all languages.
function webImportFault(path: string, target: string): string | undefined {
  if (target.startsWith('#')) return 'web/ knows nothing of src/'
  const [root, app, file] = reached(path, target).split('/')
  if (root === 'sdk') return undefined
  const isLoose = root === 'web' && file === undefined
  const isOwn = root === 'web' && app === path.split('/')[1]
  const isCopy = root === 'web' && app === 'copy' && path === 'web/copy.ts'
  const isShown = root === 'web' && file === 'preview.tsx' && path.split('/').length > 2
  return isLoose || isOwn || isCopy || isShown
    ? undefined
    : 'an app of web/ knows only itself and the top of web/'
}

function topFolder(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1]
}

function capabilityOf(path: string): string | undefined {
  return /^src\/domain\/([^/]+)\//.exec(path)?.[1]
}
