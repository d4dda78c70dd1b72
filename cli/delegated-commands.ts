// Commands that run on the service’s own machine, without the API: its roles, the operator’s
// commands, benchmarks. scripts/manilla.mjs starts them; here they are known to help and completion.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import type { Run } from './command-context.ts'
import delegated from './delegated.json' with { type: 'json' }
import type { ExitCode } from './problems.ts'

const LAUNCHER = fileURLToPath(new URL('../scripts/manilla.mjs', import.meta.url))

export type Delegated = {
  name: string
  summary: string
  takesNothing?: boolean
  words: readonly string[]
}

export const DELEGATED: readonly Delegated[] = delegated

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

// Only when global options stood before its name; otherwise the launcher was there first.
async function launch(words: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [LAUNCHER, ...words], { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}
