// Asks for a secret on the terminal without echoing it, or reads it from a pipe.

import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

const PIPED_MAX = 4_096

export async function readSecret(prompt: string, signal: AbortSignal): Promise<string> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) return readPiped(stdin)
  stderr.write(prompt)
  // A terminal that swallows what it is told to show; the line is still edited as usual.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: stdin, output, terminal: true })
  const leaving = new AbortController()
  reader.on('SIGINT', () => leaving.abort())
  try {
    return await reader.question('', { signal: AbortSignal.any([signal, leaving.signal]) })
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
