// The commands' access to the world: output, environment, time, network, Ctrl-C. Passed as an
// object, so that tests run commands in process and read their output.

export type LaunchResult = { exitCode: number; out: string; err: string }

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
  launch(words: readonly string[]): Promise<LaunchResult> // Runs another command on this machine.
  readSecret(prompt: string): Promise<string>
}
