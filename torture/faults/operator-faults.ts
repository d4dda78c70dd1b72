// What operators do by mistake or on purpose: a second service on the same data folder, which must be
// refused and harm nothing; and a migration while the others serve.

import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { MAIN } from '../roles.ts'
import { type Fault, FaultFinding } from './fault.ts'

const COMMAND_MAX_MS = 600_000
const REFUSAL = /is already in use/

const secondService: Fault = {
  name: 'second-service',
  starts: 'many',
  isAlone: true,
  async inject({ roles, folder }) {
    const { DATABASE_URL: _, ...env } = roles.env
    const { code, output } = await run(['serve'], { cwd: folder, env: { ...env, PORT: '0' } })
    if (code !== 1 || !REFUSAL.test(output)) {
      throw new FaultFinding(`a second service on the data folder ended with ${code}: ${output}`)
    }
    return { lastsMs: 0, heal: async () => {} }
  },
}

const migration: Fault = {
  name: 'migrate',
  starts: 'many',
  isAlone: true,
  async inject({ roles, folder, database }) {
    await database.query('delete from schema_functions')
    return {
      lastsMs: 0,
      async heal() {
        const { code, output } = await run(['migrate'], { cwd: folder, env: roles.env })
        if (code !== 0) throw new FaultFinding(`migrate ended with ${code}: ${output}`)
        const { rows } = await database.query('select count(*)::int as n from schema_functions')
        if (rows[0]?.n === 0) throw new FaultFinding('migrate applied no functions')
      },
    }
  },
}

export const OPERATOR_FAULTS: readonly Fault[] = [secondService, migration]

async function run(args: readonly string[], { cwd, env }: Pick<SpawnOptions, 'cwd' | 'env'>) {
  const child = spawn(process.execPath, [MAIN, ...args], {
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
  return { code, output: output.slice(-2_000) }
}
