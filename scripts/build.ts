// Builds the pages (build-web.ts) and the bundle of the service (build-service.ts) if one of their sources
// has changed since the last build. Runs as `npm run build` and as the first step of `npm start`. The check
// reads names, sizes and times of the sources, not their contents, so that it delays a start by only a few
// milliseconds.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const BUILD = join(ROOT, 'build')
const STAMP = join(BUILD, 'stamp')
const FOLDERS = ['src', 'web']
const FILES = [
  'sdk/src/api-types.ts',
  'package.json',
  'package-lock.json',
  'scripts/build.ts',
  'scripts/build-service.ts',
  'scripts/build-web.ts',
  '.env', // Has the language of the pages.
]

export const BUNDLE = join(BUILD, 'service/main.js')

// Whether the last build was made from the sources as they are now.
export const isCurrent = (stamp = stampOf(listSources())): boolean =>
  isBuilt() && readFileSync(STAMP, 'utf8') === stamp

// Builds the pages and the bundle, unless they are current.
export async function buildIfChanged(): Promise<void> {
  const stamp = stampOf(listSources())
  if (isCurrent(stamp)) return
  // Imported only here, because importing takes longer than finding out that nothing has changed.
  const { buildWeb, chosenCatalogue } = await import('./build-web.ts')
  const { buildService } = await import('./build-service.ts')
  await Promise.all([buildWeb(BUILD, chosenCatalogue()), buildService(BUILD, stamp)])
  writeFileSync(STAMP, stamp)
}

function isBuilt(): boolean {
  return [STAMP, BUNDLE, join(BUILD, 'web')].every((path) => existsSync(path))
}

// Every file that the pages or the bundle may depend on, in a fixed order, for stampOf().
function listSources(): string[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  return [...inFolders.sort(), ...FILES.map((file) => join(ROOT, file))]
}

// A hash of the names, sizes and times of the files.
function stampOf(paths: readonly string[]): string {
  const hash = createHash('sha256').update(`${process.env.MANILLA_LANGUAGE}\n`)
  for (const path of paths) {
    const stat = statSync(path, { throwIfNoEntry: false })
    hash.update(`${path} ${stat?.size} ${stat?.mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

if (import.meta.main) await buildIfChanged()
