// Runs the command line `manilla …` as an operator does, on the database of a test service.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { PASSED_ON } from './child-service.ts'
import { type Bench, SECRETS } from './running-service.ts'

export const MANILLA = join(import.meta.dirname, '../../scripts/manilla.mjs')

// Starts `manilla` with these words, and does not wait for its end. The process is detached: it has its own
// process group, so that a test can kill it together with the child process that does the work.
export function startManilla(bench: Bench, cwd: string, words: readonly string[]) {
  const env = { ...PASSED_ON, ...SECRETS, DATABASE_URL: bench.database.connectionString }
  return spawn(process.execPath, [MANILLA, ...words], { cwd, env, detached: true })
}

// Runs `manilla` with these words; returns its exit code and its output.
export async function runManilla(bench: Bench, cwd: string, words: readonly string[]) {
  const child = startManilla(bench, cwd, words)
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, out, err }
}
