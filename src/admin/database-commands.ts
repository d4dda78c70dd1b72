// `manilla admin database`: the hosts of DATABASE_URL, which one is used and why, and whether
// acknowledged work survives its loss.

import { databaseSettings } from '#config/config.ts'
import { type DatabaseUrl, parseDatabaseUrl } from '#database-url.ts'
import { type Finding, probeHost } from '#db/host-probe.ts'
import { hostsOf, nameOf } from '#db/hosts.ts'
import { type Replication, readReplication } from '#db/replication.ts'
import type { AdminCommand, Context } from './admin-command.ts'
import { columns } from './command-line.ts'

type HostLine = { host: string; state: Finding['state']; reason?: string; isUsed: boolean }

export const databaseCommands: readonly AdminCommand[] = [
  {
    name: 'database',
    summary: 'Show the database hosts, which one is used, and whether a standby has all writes.',
    options: [],
    async run(context) {
      const hosts = await readHosts(context)
      const replication = await readReplication(context.db)
      return { data: { hosts, ...replication }, text: describe(hosts, replication) }
    },
  },
]

// Empty for the embedded database, which has no host name.
async function readHosts({ env, db }: Context): Promise<HostLine[]> {
  const { databaseUrl } = databaseSettings(env)
  if (databaseUrl === undefined) return []
  await db.query('select 1') // Makes the pool choose a host.
  const hosts = hostsOf(databaseUrl)
  const url = hosts?.url ?? (parseDatabaseUrl(databaseUrl, () => {}) as DatabaseUrl)
  return Promise.all(
    url.hosts.map(async (host) => {
      const { state, ...finding } = await probeHost(url.urlOf(host), url.connectMaxMs)
      const reason = 'reason' in finding ? { reason: finding.reason } : {}
      return {
        host: nameOf(host),
        state,
        ...reason,
        isUsed: !hosts || host === hosts.inUse,
      }
    }),
  )
}

function describe(hosts: readonly HostLine[], replication: Replication): string {
  const lines = hosts.map(({ host, state, reason, isUsed }) => {
    const words = [state, reason && `(${reason})`, isUsed && '← used']
    return [host, words.filter(Boolean).join(' ')] as const
  })
  return [...(lines.length > 0 ? columns(lines) : []), describeReplication(replication)].join('\n')
}

function describeReplication(replication: Replication): string {
  const { isSynchronous, synchronousCommit, synchronousStandbyNames, standbys } = replication
  const following = standbys === 1 ? '1 standby follows' : `${standbys} standbys follow`
  const names = synchronousStandbyNames || 'empty'
  const settings = `synchronous_commit ${synchronousCommit}, synchronous_standby_names ${names}`
  if (isSynchronous) return `Replication is synchronous: ${settings}; ${following}.`
  return `Replication is not synchronous: ${settings}; ${following}.`
}
