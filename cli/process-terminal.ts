// The Terminal of this process: its streams, signals and environment.

import { homedir } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Answer, OperatorCommand } from '#admin/operator-command.ts'
import { CliProblem, EXIT } from './problems.ts'
import { showProgress, type Terminal } from './terminal.ts'

const PIPED_MAX = 4_096

// Returns the terminal of this process. Output is for people, with headers and colours, only if it goes to a
// terminal; a pipe or a file gets plain rows for programs.
export function processTerminal(interrupted: AbortSignal): Terminal {
  const { stdout, stderr, env } = process
  const isTerminal = stdout.isTTY === true
  const terminal: Terminal = {
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
    operate: (command) => operate(command, terminal),
    readSecret: (prompt) => readSecret(prompt, interrupted),
  }
  return terminal
}

// Runs an operator command. Signals end it at once, because each command is safe to kill at any point.
async function operate(command: OperatorCommand, terminal: Terminal): Promise<Answer> {
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal)
  const { runCommand } = await import('#admin/run-command.ts')
  using progress = showProgress(terminal)
  return await runCommand(command, progress.show)
}

// Asks for a secret on the terminal without echoing it, or reads it from a pipe.
async function readSecret(prompt: string, signal: AbortSignal): Promise<string> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) return readPiped(stdin)
  stderr.write(prompt)
  // Discards the echo; line editing still works.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: stdin, output, terminal: true })
  const closing = new AbortController()
  const stopped = AbortSignal.any([signal, closing.signal])
  // While a line is edited, only the reader receives Ctrl-C.
  reader.on('SIGINT', () => closing.abort())
  reader.on('close', () => closing.abort()) // Ctrl-D.
  try {
    return await reader.question('', { signal: stopped })
  } catch (error) {
    throw stopped.aborted ? new CliProblem('Interrupted.', EXIT.interrupted) : error
  } finally {
    reader.close()
    stderr.write('\n')
  }
}

// Returns the first line of what is piped in, and stops reading when the input is too long for a secret.
async function readPiped(stdin: NodeJS.ReadStream): Promise<string> {
  let text = ''
  for await (const chunk of stdin.setEncoding('utf8')) {
    text += chunk
    if (text.length > PIPED_MAX) break
  }
  return text.replace(/\r?\n[\s\S]*$/, '')
}
