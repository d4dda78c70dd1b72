// Asks for a secret on the terminal without echoing it, or reads it from a pipe.

import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { CliProblem, EXIT } from './problems.ts'

const PIPED_MAX = 4_096

export async function readSecret(prompt: string, signal: AbortSignal): Promise<string> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) return readPiped(stdin)
  stderr.write(prompt)
  // Discards the echo; line editing still works.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: stdin, output, terminal: true })
  const leaving = new AbortController()
  const either = AbortSignal.any([signal, leaving.signal])
  // While a line is edited, only the reader receives Ctrl-C.
  reader.on('SIGINT', () => leaving.abort())
  reader.on('close', () => leaving.abort()) // Ctrl-D.
  try {
    return await reader.question('', { signal: either })
  } catch (error) {
    throw either.aborted ? new CliProblem('Interrupted.', EXIT.interrupted) : error
  } finally {
    reader.close()
    stderr.write('\n')
  }
}

async function readPiped(stdin: NodeJS.ReadStream): Promise<string> {
  let text = ''
  for await (const chunk of stdin.setEncoding('utf8')) {
    text += chunk
    if (text.length > PIPED_MAX) break
  }
  return text.replace(/\r?\n[\s\S]*$/, '')
}
