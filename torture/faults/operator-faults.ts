// Actions of operators, mistaken or deliberate: a second service on the same data folder, which must be
// refused and harm nothing; and a migration while the other processes serve.

import { MAIN } from '../../test/support/child-service.ts'
import { runCommand } from '../command.ts'
import { type Fault, FaultFinding } from './fault.ts'

const REFUSAL = /is already in use/

const secondService: Fault = {
  name: 'second-service',
  starts: 'many',
  isAlone: true,
  async inject({ roles, folder }) {
    // Without DATABASE_URL, the second service tries to start the database of the data folder, which
    // is in use already.
    const { DATABASE_URL: _, ...env } = roles.env
    const { code, output } = await runCommand(MAIN, ['serve'], {
      cwd: folder,
      env: { ...env, PORT: '0' },
    })
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
    // The migration applies all functions again, because none is recorded as applied.
    await database.query('delete from schema_functions')
    return {
      lastsMs: 0,
      async heal() {
        const { code, output } = await runCommand(MAIN, ['migrate'], {
          cwd: folder,
          env: roles.env,
        })
        if (code !== 0) throw new FaultFinding(`migrate ended with ${code}: ${output}`)
        const { rows } = await database.query('select count(*)::int as n from schema_functions')
        if (rows[0]?.n === 0) throw new FaultFinding('migrate applied no functions')
      },
    }
  },
}

export const OPERATOR_FAULTS: readonly Fault[] = [secondService, migration]
