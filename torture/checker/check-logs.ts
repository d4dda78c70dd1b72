// Unexpected crashes of PostgreSQL. Backends are killed (9), and a full WAL volume aborts one (6);
// any other signal is a finding.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const CRASHED = /^.*\bterminated by signal (?!6\b|9\b)\d+.*$/gm

export function checkLogs(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith('postgres'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').match(CRASHED) ?? [])
    .map((line) => `PostgreSQL crashed: ${line}`)
}
