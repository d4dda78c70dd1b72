// The database checks of `manilla doctor`, on the service's own machine with DATABASE_URL. Runs
// `manilla admin database`.

import type { Run } from './command-context.ts'
import type { Check } from './doctor-checks.ts'
import { EXIT } from './problems.ts'

// The output of src/admin/database-commands.ts.
type DatabaseState = {
  hosts: { host: string; state: string; reason?: string; isUsed: boolean }[]
  isSynchronous: boolean
  synchronousCommit: string
  synchronousStandbyNames: string
  standbys: number
}

export async function checkDatabase({ terminal }: Run): Promise<Check[]> {
  if (!terminal.env.DATABASE_URL) return []
  const { exitCode, out, err } = await terminal.launch(['admin', 'database', '--json'])
  if (exitCode === 0) return describeDatabase(JSON.parse(out))
  const finding = err.trim().split('\n')[0] || 'manilla admin database failed.'
  const remedy = 'Check DATABASE_URL.'
  return [{ state: 'fail', name: 'Hosts', finding, remedy, exitCode: EXIT.unreachable }]
}

export function describeDatabase(database: DatabaseState): Check[] {
  return [describeHosts(database), describeReplication(database)]
}

function describeHosts({ hosts }: DatabaseState): Check {
  const name = 'Hosts'
  const finding = hosts
    .map(({ host, state, reason, isUsed }) => {
      return `${host} is ${state}${reason ? ` (${reason})` : ''}${isUsed ? ' and used' : ''}`
    })
    .join('; ')
  const written = hosts.filter(({ state }) => state === 'writable')
  if (written.length > 1) {
    const remedy = 'Two servers take writes: stop the one that was replaced, at once.'
    return { state: 'fail', name, finding: `${finding}.`, remedy }
  }
  const isWhole = hosts.every(({ state }) => state !== 'unreachable')
  if (written.length === 1 && isWhole) return { state: 'ok', name, finding: `${finding}.` }
  const remedy = isWhole ? 'Promote one.' : 'While a host is away, one less may fail.'
  const state = written.length === 1 ? 'warn' : 'fail'
  return { state, name, finding: `${finding}.`, remedy }
}

function describeReplication(database: DatabaseState): Check {
  const { hosts, isSynchronous, synchronousCommit, synchronousStandbyNames, standbys } = database
  const name = 'Replication'
  const following = standbys === 1 ? '1 standby follows' : `${standbys} standbys follow`
  const settings =
    `synchronous_commit is ${synchronousCommit}, ` +
    `synchronous_standby_names ${synchronousStandbyNames || 'empty'}`
  if (isSynchronous && standbys > 0) {
    return { state: 'ok', name, finding: `Synchronous (${settings}); ${following}.` }
  }
  if (isSynchronous) {
    const finding = `Synchronous (${settings}), and no standby follows: nothing can be written.`
    return { state: 'fail', name, finding, remedy: 'Start a standby.' }
  }
  if (hosts.length < 2 && standbys === 0) return { state: 'ok', name, finding: 'No standby.' }
  const finding = `Not synchronous (${settings}); ${following}.`
  const remedy = 'A failover may lose acknowledged work: docs/operating.md, High availability.'
  return { state: 'warn', name, finding, remedy }
}
