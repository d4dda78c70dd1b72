// Runs the command line in process: its output, its exit code, and Ctrl-C at a chosen moment. It has a
// folder of its own.

import { runCli } from '../../cli/program.ts'
import type { Terminal } from '../../cli/terminal.ts'
import { createTempFolder } from './temp-folder.ts'

export type Ran = { exitCode: number; out: string; err: string }

export function createCli(env: Record<string, string> = {}) {
  const folder = createTempFolder()

  // Starts a run; `press` is Ctrl-C.
  function start(words: readonly string[], changes: Partial<Terminal> = {}) {
    const pressed = new AbortController()
    const said = { out: '', err: '' }
    const terminal: Terminal = {
      out: (text) => {
        said.out += text
      },
      err: (text) => {
        said.err += text
      },
      isTerminal: false,
      hasProgress: false,
      hasColor: false,
      columns: 100,
      env: { XDG_CONFIG_HOME: folder.path, ...env },
      homeDir: folder.path,
      interrupted: pressed.signal,
      now: () => new Date(),
      fetch: globalThis.fetch,
      launch: async () => ({ exitCode: 1, out: '', err: 'No command is started in tests.' }),
      readSecret: async () => '',
      ...changes,
    }
    const ended: Promise<Ran> = runCli(words, terminal).then((exitCode) => ({ exitCode, ...said }))
    const press = () => pressed.abort()
    return { said, ended, press, [Symbol.dispose]: press }
  }

  return {
    folder: folder.path,
    start,
    run: (...words: string[]) => start(words).ended,
    runOn: (changes: Partial<Terminal>, ...words: string[]) => start(words, changes).ended,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}
