// `manilla admin database`: shows the hosts of DATABASE_URL, which host is used and why, and whether
// acknowledged work survives the loss of that host.
// `manilla doctor`: the part about messages to people.

import { databaseSettings, messageSettings } from '#config/config.ts'
import { type Replication, readReplication } from '#db/health.ts'
import {
  type DatabaseUrl,
  type Finding,
  hostsOf,
  nameOf,
  parseDatabaseUrl,
  probeHost,
} from '#db/hosts.ts'
import { findVersionProblem, readServerVersion } from '#db/server-version.ts'
import { checkGateway, checkServer } from '#messages/transports.ts'
import type { Context } from './operator-command.ts'

type HostLine = { host: string; state: Finding['state']; reason?: string; isUsed: boolean }

// `manilla admin database`: the hosts of the database, and how it is replicated.
export async function showDatabase(context: Context) {
  const hosts = await readHosts(context)
  const replication = await readReplication(context.db)
  const version = await readServerVersion(context.db)
  const { rowCount } = await context.db.query(`select from database_mode where mode = 'live'`)
  const versionProblem = findVersionProblem(version, rowCount === 1) ?? null
  const rows = hosts.map(({ host, state, reason, isUsed }) => [
    host,
    reason ? `${state} (${reason})` : state,
    isUsed ? 'used' : '',
  ])
  const sentences = [
    versionProblem?.sentence ?? `The server is PostgreSQL ${version}.`,
    describeReplication(replication),
  ].join(' ')
  const view =
    rows.length > 0 ? [{ columns: ['host', 'state', 'use'], rows }, sentences] : sentences
  return { data: { hosts, version, versionProblem, ...replication }, view }
}

// Returns no hosts for the embedded database, which has no host name.
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
        isUsed: !hosts || host === hosts.inUse, // `hosts` is undefined if the URL has only one host.
      }
    }),
  )
}

function describeReplication(replication: Replication): string {
  const { isSynchronous, synchronousCommit, synchronousStandbyNames, standbys } = replication
  const following = standbys === 1 ? '1 standby follows' : `${standbys} standbys follow`
  const names = synchronousStandbyNames || 'empty'
  const settings = `synchronous_commit ${synchronousCommit}, synchronous_standby_names ${names}`
  if (isSynchronous) return `Replication is synchronous: ${settings}; ${following}.`
  return `Replication is not synchronous: ${settings}; ${following}.`
}

type Transport = { name: string; problem: string | null; pausedUntil: Date | null }

// `manilla doctor` calls this. Checks whether the mail server accepts our credentials and the gateway can be
// reached, and shows the last problem that the workers met. Sends nothing.
export async function showMessages({ env, db }: Context) {
  const { smtp, gateway } = messageSettings(env)
  const { rows } = await db.query<Transport>(
    'select name, problem, paused_until from message_transports order by name',
  )
  const problemOf = (transport: string) => rows.find(({ name }) => name === transport)?.problem
  const data = {
    mail: smtp
      ? {
          problem: (await checkServer(smtp)) ?? problemOf('smtp') ?? null,
          isSignedIn: smtp.user !== undefined,
        }
      : null,
    gateway: gateway
      ? { problem: (await checkGateway(gateway)) ?? problemOf('gateway') ?? null }
      : null,
  }
  return { data, view: JSON.stringify(data) }
}
