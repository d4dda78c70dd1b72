// `manilla …` as a process. Ctrl-C stops the command; a second one exits at once.

import { processTerminal } from './process-terminal.ts'
import { runCli } from './program.ts'

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (interruption.signal.aborted) process.exit(EXIT_CODES[signal])
    interruption.abort()
  })
}
// `manilla … | head` closes the pipe, which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

process.exitCode = await runCli(process.argv.slice(2), processTerminal(interruption.signal))
