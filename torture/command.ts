// Runs a program of the service as an operator does, and returns its exit code and output.

import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'

const COMMAND_MAX_MS = 600_000
const OUTPUT_MAX = 2_000

// Runs a program to its end, and kills it if it takes too long. Returns its exit code and the end of its
// output, from both streams.
export async function runCommand(
  program: string,
  args: readonly string[],
  { cwd, env }: Pick<SpawnOptions, 'cwd' | 'env'>,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: COMMAND_MAX_MS,
    killSignal: 'SIGKILL',
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output: output.slice(-OUTPUT_MAX) }
}
