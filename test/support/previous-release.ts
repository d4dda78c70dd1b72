// Reads the previous release of the service, which `npm run keep-release` stored, for tests of upgrades that
// run both releases.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

export const PREVIOUS_RELEASE = join(import.meta.dirname, '../upgrade/previous-release.json.br')

// Files by path: main.mjs, db/migrations/…, db/functions/…, statement-profiles/….
export type KeptRelease = { version: string; files: Record<string, string> }

export function readPreviousRelease(): KeptRelease {
  return JSON.parse(brotliDecompressSync(readFileSync(PREVIOUS_RELEASE)).toString('utf8'))
}

// Writes the release's files into a folder; returns the path of its program.
export function unpackRelease({ files }: KeptRelease, folder: string): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return join(folder, 'main.mjs')
}
