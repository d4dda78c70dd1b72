// The database section of `manilla doctor`, on a machine that has DATABASE_URL.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findVersionProblem } from '#db/server-version.ts'
import { describeDatabase } from '../../cli/doctor-command.ts'
import { createCli } from '../support/cli-terminal.ts'

test('doctor tells of the database hosts and their replication where it has their address', async () => {
  using cli = createCli()
  const MANILLA_URL = 'http://127.0.0.1:9' // Nothing listens there.
  const env = { MANILLA_URL, DATABASE_URL: 'postgres://m@db1,db2/manilla' }
  const described = {
    hosts: [
      { host: 'db1:5432', state: 'unreachable', reason: 'ECONNREFUSED', isUsed: false },
      { host: 'db2:5432', state: 'writable', isUsed: true },
    ],
    version: '17.10',
    versionProblem: null,
    isSynchronous: false,
    synchronousCommit: 'on',
    synchronousStandbyNames: '',
    standbys: 1,
  }
  const operate = async () => ({ data: described, view: '' })
  const degraded = (await cli.runOn({ env, operate }, 'doctor')).out
  const failing = await cli.runOn({ env }, 'doctor')
  const synchronous = { isSynchronous: true, synchronousStandbyNames: 'db1' }
  const [standby, primary] = [
    { host: 'db1:5432', state: 'standby', isUsed: false },
    described.hosts[1],
  ]
  const hosts = [standby, primary] as typeof described.hosts
  const states = (changes: object) =>
    describeDatabase({ ...described, ...changes }).map(({ state }) => state)

  assert.match(
    degraded,
    /warn {2}Hosts {9}db1:5432 is unreachable \(ECONNREFUSED\); db2:5432 is writable and used\. While/,
  )
  assert.match(degraded, /warn {2}Replication {3}Not synchronous .* 1 standby follows\. A failover/)
  assert.match(failing.out, /fail {2}Hosts {9}No database is used in this test\.$/m)
  assert.equal(failing.exitCode, 3)
  assert.deepEqual(states({ ...synchronous, hosts }), ['ok', 'ok', 'ok'])
  assert.deepEqual(states({ ...synchronous, hosts, standbys: 0 }), ['ok', 'ok', 'fail'])
  assert.deepEqual(states({ hosts: [standby, standby] }), ['fail', 'ok', 'warn'])
  assert.deepEqual(states({ hosts: [primary, primary] }), ['fail', 'ok', 'warn'])
  assert.deepEqual(states({ hosts: [primary], standbys: 0 }), ['ok', 'ok', 'ok'])
})

test('doctor warns of a server that may crash, and fails where the start refuses it', () => {
  const state = {
    hosts: [{ host: 'db1:5432', state: 'writable', isUsed: true }],
    isSynchronous: false,
    synchronousCommit: 'on',
    synchronousStandbyNames: '',
    standbys: 0,
  }
  const check = (version: string, isLive: boolean) => {
    const versionProblem = findVersionProblem(version, isLive) ?? null
    return describeDatabase({ ...state, version, versionProblem }).find(
      ({ name }) => name === 'PostgreSQL',
    )
  }

  assert.deepEqual(check('17.10', true), { state: 'ok', name: 'PostgreSQL', finding: '17.10.' })
  assert.equal(check('18.4', false)?.state, 'warn')
  assert.equal(check('18.4', true)?.state, 'fail')
  assert.match(check('18.4', true)?.finding ?? '', /PostgreSQL 18\.4, which may crash/)
})
