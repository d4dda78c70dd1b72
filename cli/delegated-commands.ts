// Commands that run on the service’s own machine without the API: its roles, operator commands,
// benchmarks. scripts/manilla.mjs starts them; this file adds them to help and completion.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import type { Run } from './command-context.ts'
import delegated from './delegated.json' with { type: 'json' }
import type { ExitCode } from './problems.ts'

const LAUNCHER = fileURLToPath(new URL('../scripts/manilla.mjs', import.meta.url))

type Delegated = {
  name: string
  summary: string
  takesNothing?: boolean // The command has no arguments (delegated.json).
  words: readonly string[]
}

export const DELEGATED: readonly Delegated[] = delegated

// Adds the commands that the launcher starts, mainly so that help and completion know them. Unless a command
// takes nothing, its words are passed on unread.
export function addDelegatedCommands(program: Command, run: Run): void {
  for (const { name, summary, takesNothing } of DELEGATED) {
    const command = program.command(name).description(summary)
    command.action(async () => {
      run.exitCode = (await launch([name, ...command.args])) as ExitCode
    })
    if (takesNothing) continue
    command.allowUnknownOption().allowExcessArguments().argument('[words...]').helpOption(false)
  }
}

// Runs the command through the launcher, scripts/manilla.mjs. Needed only if global options precede the
// command's name: otherwise the launcher itself has run the command and this program never starts.
async function launch(words: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [LAUNCHER, ...words], { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}
