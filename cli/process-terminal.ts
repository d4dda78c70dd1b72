// The terminal of this process.

import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { readSecret } from './secret-prompt.ts'
import type { LaunchResult, Terminal } from './terminal.ts'

const LAUNCHER = fileURLToPath(new URL('../scripts/manilla.mjs', import.meta.url))

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
    launch,
    readSecret: (prompt) => readSecret(prompt, interrupted),
  }
}

function launch(words: readonly string[]): Promise<LaunchResult> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [LAUNCHER, ...words], (_error, out, err) =>
      resolve({ exitCode: child.exitCode ?? 1, out, err }),
    )
  })
}
