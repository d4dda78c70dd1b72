// What the commands may touch of the world around them: output, environment, time, network, Ctrl-C.
// Given as an object, so that tests run commands in process and read what they print.

import { homedir } from 'node:os'
import { readSecret } from './secret-prompt.ts'

export type Terminal = {
  out(text: string): void
  err(text: string): void
  isTerminal: boolean // Standard output is one: tables have headers and colours.
  hasProgress: boolean // Standard error is one: progress is shown there.
  hasColor: boolean
  columns: number
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
  interrupted: AbortSignal // Ctrl-C, or the request to end.
  now(): Date
  fetch: typeof fetch
  readSecret(prompt: string): Promise<string>
}

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
