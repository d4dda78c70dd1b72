// Runs the CLI in the test process and returns its output and exit code. A test can press Ctrl-C at a chosen
// moment. The CLI has a folder of its own; operator commands run on the database of the test.

import { AdminProblem, type Answer, type Context } from '#admin/operator-command.ts'
import { perform } from '#admin/run-command.ts'
import { systemClock } from '#clock.ts'
import { runCli } from '../../cli/program.ts'
import type { Terminal } from '../../cli/terminal.ts'
import { createTempFolder } from './temp-folder.ts'

export type Ran = { exitCode: number; out: string; err: string }

// Makes a CLI with an empty home folder. `env` are its environment variables.
export function createCli(env: Record<string, string> = {}) {
  const folder = createTempFolder()

  // Starts a command. `press` presses Ctrl-C; `ended` resolves with the output and exit code.
  function start(words: readonly string[], changes: Partial<Terminal> = {}) {
    const pressed = new AbortController()
    const output = { out: '', err: '' }
    const terminal: Terminal = {
      out: (text) => {
        output.out += text
      },
      err: (text) => {
        output.err += text
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
      operate: async () => {
        throw new AdminProblem('No database is used in this test.')
      },
      readSecret: async () => '',
      ...changes,
    }
    const ended: Promise<Ran> = runCli(words, terminal).then((exitCode) => ({
      exitCode,
      ...output,
    }))
    const press = () => pressed.abort()
    return { output, ended, press, [Symbol.dispose]: press }
  }

  return {
    folder: folder.path,
    start,
    run: (...words: string[]) => start(words).ended,
    runOn: (changes: Partial<Terminal>, ...words: string[]) => start(words, changes).ended,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

// Runs an operator command. Returns its data, and the text that it prints into a pipe. If it fails, throws an
// error with the printed text and the exit code.
export async function operate(context: Partial<Context>, words: readonly string[]) {
  using cli = createCli()
  let answer: Answer | undefined
  const world = {
    env: {},
    clock: systemClock,
    actor: 'cli:ada',
    showProgress: () => {},
    ...context,
  }
  const { exitCode, out, err } = await cli.runOn(
    {
      operate: async (command) => {
        answer = await perform(command, (work) =>
          work(world as Context, command.options as never, command.subject),
        )
        return answer
      },
    },
    ...words,
  )
  if (exitCode !== 0) throw Object.assign(new Error(err.trimEnd()), { exitCode })
  // biome-ignore lint/suspicious/noExplicitAny: what a command answers is for its test to know
  return { data: answer?.data as any, text: out.trimEnd() }
}
