// Finds crashes in PostgreSQL's logs. Two signals are expected: the faults kill backends with signal 9, and a
// full WAL volume makes a backend abort with signal 6.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// With the line after it, which names the statement.
const CRASHED = /^.*\bterminated by signal (?!6\b|9\b)\d+.*$(\n.*\bDETAIL: .*$)?/gm

// Returns a finding for each line of PostgreSQL's logs that reports an unexpected crash.
export function checkLogs(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith('postgres'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').match(CRASHED) ?? [])
    .map((line) => `PostgreSQL crashed: ${line}`)
}
