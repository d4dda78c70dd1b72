// What the commands may touch of the world around them: output, environment, time, network, Ctrl-C.
// Given as an object, so that tests run commands in process and read what they print.

export type Launched = { exitCode: number; out: string; err: string }

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
  launch(words: readonly string[]): Promise<Launched> // Another command, on this machine.
  readSecret(prompt: string): Promise<string>
}
