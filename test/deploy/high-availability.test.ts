// The files of deploy/ha/ are consistent: its nodes know one another, Manilla finds them, and their
// settings keep acknowledged work.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { CONNECTIONS_PER_PROCESS } from '#db/connections.ts'
import { parseDatabaseUrl } from '#db/hosts.ts'
import { unitFile } from './deploy-files.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

test('the nodes of the highly available database know one another, and keep what is acknowledged', () => {
  const patroni = parse(read('deploy/ha/patroni.yml'))
  const { dcs, initdb } = patroni.bootstrap
  const patroniEnv = unitFile(read('deploy/ha/patroni.env')).last
  const etcd = unitFile(read('deploy/ha/etcd.env')).last
  const readme = read('deploy/ha/README.md')
  const [, url = ''] = /^DATABASE_URL=(\S+)$/m.exec(readme) ?? []
  const database = parseDatabaseUrl(url, assert.fail)
  const peers = (etcd.ETCD_INITIAL_CLUSTER ?? '').split(',').map((peer) => peer.split(/=http:..|:/))

  assert.deepEqual([dcs.synchronous_mode, dcs.synchronous_mode_strict], [true, true])
  assert.equal(dcs.postgresql.parameters.synchronous_commit, 'on')
  assert(dcs.loop_wait + 2 * dcs.retry_timeout <= dcs.ttl && dcs.ttl >= 20)
  // If one node fails, the remaining nodes still have a majority and a synchronous standby.
  assert(dcs.synchronous_node_count >= 1 && peers.length >= dcs.synchronous_node_count + 2)
  assert(initdb.includes('data-checksums') && dcs.postgresql.use_pg_rewind)
  // Enough connections for two API processes and one worker, as in deploy/compose.yml.
  assert(dcs.postgresql.parameters.max_connections >= 3 * CONNECTIONS_PER_PROCESS + 40)

  const addresses = peers.map(([, address]) => address)
  assert.deepEqual(
    database?.hosts,
    addresses.map((host) => ({ host, port: 5432 })),
  )
  assert.equal(database?.target, 'read-write')
  assert.equal(patroni.etcd3.hosts, addresses.map((address) => `${address}:2379`).join(','))
  assert.deepEqual([etcd.ETCD_NAME, patroniEnv.PATRONI_NAME], [peers[0]?.[0], peers[0]?.[0]])
  for (const [name, text] of Object.entries({ ...etcd, ...patroniEnv })) {
    for (const [address] of text?.matchAll(/10\.\d+\.\d+\.\d+/g) ?? []) {
      assert(name === 'ETCD_INITIAL_CLUSTER' || address === addresses[0], name)
    }
  }
  const users = ['SUPERUSER', 'REPLICATION', 'REWIND'].map(
    (role) => patroniEnv[`PATRONI_${role}_USERNAME`],
  )
  const allowed = patroni.postgresql.pg_hba.map((line: string) => line.split(/ +/)[2])
  for (const user of [...users, 'manilla']) assert(allowed.includes(user), user)
  for (const [, file = ''] of readme.matchAll(/(?:cp|install -m 600) (\S+)/g)) {
    assert(existsSync(join(ROOT, 'deploy/ha', file)), file)
  }
})

test('the documented number of connections is the number that a process opens', () => {
  const paths = [
    'docs/deploying.md',
    'docs/operating.md',
    'deploy/compose.yml',
    'deploy/ha/patroni.yml',
  ]
  for (const path of paths) {
    const [, count] = /(\d+) (?:connections )?(?:for each|per) process/.exec(read(path)) ?? []
    assert.equal(Number(count), CONNECTIONS_PER_PROCESS, path)
  }
})
