// The terminal of this process.

import { homedir } from 'node:os'
import { readSecret } from './secret-prompt.ts'
import type { Terminal } from './terminal.ts'

export function processTerminal(interrupted: AbortSignal): Terminal {
  const { stdout, stderr, env } = process
  const isTerminal = stdout.isTTY === true
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    isTerminal,
    hasProgress: stderr.isTTY === true,
    hasColor: isTerminal && !env.NO_COLOR && env.TERM !== 'dumb',
    columns: stdout.columns || 80,
    env,
    homeDir: homedir(),
    interrupted,
    now: () => new Date(),
    fetch: globalThis.fetch,
    readSecret: (prompt) => readSecret(prompt, interrupted),
  }
}
