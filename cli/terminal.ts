// A command's access to the machine: output, environment, time, network and Ctrl-C. Commands get it as an
// object, so that tests run them in process and read their output.

import type { Answer, OperatorCommand } from '#admin/operator-command.ts'

const CLEAR = '\r\u001b[K'

export type Terminal = {
  out(text: string): void
  err(text: string): void
  isTerminal: boolean // Standard output is a terminal: tables have headers and colours.
  hasProgress: boolean // Standard error is a terminal: progress is shown there.
  hasColor: boolean
  columns: number
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
  interrupted: AbortSignal // Ctrl-C or a termination signal.
  now(): Date
  fetch: typeof fetch
  operate(command: OperatorCommand): Promise<Answer> // Runs it on the service's database.
  readSecret(prompt: string): Promise<string>
}

// A progress line on standard error; nothing if that is not a terminal.
export function showProgress({ hasProgress, err }: Terminal) {
  let isShown = false
  return {
    show(text: string): void {
      if (!hasProgress) return
      err(`${CLEAR}${text}`)
      isShown = true
    },
    [Symbol.dispose](): void {
      if (isShown) err(CLEAR)
    },
  }
}
