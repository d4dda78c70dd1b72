// Executes the recipe of docs/backup.md for an operator's own PostgreSQL server as written: the blocks
// named `server` as the server's user, the blocks named `manilla` as ours. The embedded build takes the
// place of the operator's server.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { test } from 'node:test'
import { createClient } from '#access/secrets.ts'
import { systemClock } from '#clock.ts'
import { migrate } from '#db/migrate.ts'
import { createPool } from '#db/pool.ts'
import { prepareBinaries } from '#embedded/binaries.ts'
import { openDataDirectory, spawnOptions } from '#embedded/data-directory.ts'
import { PASSED_ON } from '../support/child-service.ts'
import { query, until } from '../support/embedded-bench.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const BLOCK = /^```sh (server|manilla)\n(.*?)^```$/gms

// A block of shell commands, and the user who runs it: `server` or `manilla`.
type Step = { by: string; commands: string }

// Reads the blocks of shell commands of the document, each with the user that it names.
function readRecipe(): Step[] {
  const text = readFileSync(join(ROOT, 'docs/backup.md'), 'utf8')
  return Array.from(text.matchAll(BLOCK), ([, by = '', commands = '']) => ({ by, commands }))
}

test('the recipe restores an own server to a moment, with payouts held and clean books', async () => {
  using folder = createTempFolder()
  await using server = ownServer(folder.path)
  const [archiving, backup, drill, check, ...more] = readRecipe() as [Step, Step, Step, Step]
  server.run({ by: 'server', commands: START })
  await query(server.urlOf('postgres'), 'create database manilla')
  const url = server.urlOf('manilla')
  await migrate(url)

  server.run(archiving)
  server.run(backup)
  await addClient(url, 'MAN0000002')
  const at = (await query(url, 'select clock_timestamp()')).flat()[0] as Date
  server.env.AT = new Date(at.getTime() + 1).toISOString().replace('Z', '+00:00')
  await until('it has passed', () => systemClock().getTime() > at.getTime() + 2)
  await addClient(url, 'MAN0000003')
  const [name] = (await query(url, 'select pg_walfile_name(pg_switch_wal())')).flat()
  await until('it is archived', () => existsSync(join(folder.path, 'archive', String(name))))
  server.run(drill)
  const output = server.run(check)

  const restored = server.urlOf('manilla', 5433)
  const clients = await query(restored, 'select client_id from clients order by 1')
  const holds = await query(restored, 'select count(*)::int from payout_holds')
  assert.deepEqual(more, [])
  assert.deepEqual(clients.flat(), ['MAN0000002'])
  assert.deepEqual(holds.flat(), [1])
  assert.match(output, /Prepared the restored database.*The books add up\.\n/s)
})

const START = `
initdb -D "$PGDATA" --username=manilla --auth=trust --locale=C --no-instructions >/dev/null
echo "listen_addresses = ''
unix_socket_directories = '$SOCKETS'
fsync = off" >> "$PGDATA/postgresql.conf"
pg_ctl start -w -D "$PGDATA" -l "$PGDATA/server.log" >/dev/null`

// Adds a client directly to the database, over a connection of its own.
async function addClient(connectionString: string, clientId: string): Promise<void> {
  const db = createPool({ connectionString, max: 1, onIdleError: () => {} })
  await createClient(db, systemClock(), {
    clientId,
    secretHash: 'none',
    name: clientId,
    isOperator: false,
  })
  await db.end()
}

// Prepares the folders, the environment and a function that runs a block of the recipe in a shell. `npx` is a
// script that runs this checkout in place of the published package.
function ownServer(folder: string) {
  const home = openDataDirectory(folder)
  const resolvePackage = (name: string) => import.meta.resolve(name)
  const bin = dirname(prepareBinaries({ ...home, resolvePackage }).postgres)
  const { uid, gid } = home.account
  const pathOf = (name: string) => join(folder, name)
  // The server's user owns its files.
  for (const name of ['', 'archive', 'backups']) {
    mkdirSync(pathOf(name), { recursive: true })
    if (uid !== undefined && gid !== undefined) chownSync(pathOf(name), uid, gid)
  }
  mkdirSync(pathOf('bin'))
  const launcher = join(ROOT, 'scripts/manilla.mjs')
  writeFileSync(
    pathOf('bin/npx'),
    `#!/bin/sh\nshift\nexec "${process.execPath}" "${launcher}" "$@"\n`,
  )
  chmodSync(pathOf('bin/npx'), 0o755)
  const urlOf = (database: string, port = 5432) =>
    `postgres://manilla@/${database}?host=${encodeURIComponent(folder)}&port=${port}`
  const env: Record<string, string> = {
    PATH: [pathOf('bin'), bin, PASSED_ON.PATH].join(delimiter),
    ...{ PGDATA: pathOf('server'), ARCHIVE: pathOf('archive'), BACKUPS: pathOf('backups') },
    ...{ RESTORED: pathOf('restored'), SOCKETS: folder },
    ...{ DATABASE_URL: urlOf('manilla'), RESTORED_URL: urlOf('manilla', 5433) },
  }
  // Runs a block of the recipe as the user that it names.
  const run = ({ by, commands }: Step): string => {
    const options = by === 'server' ? spawnOptions(home.account) : { cwd: folder }
    const all = { ...options, env, encoding: 'utf8' as const }
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-euc', commands], all)
    assert.equal(status, 0, `${commands}\n${stdout}${stderr}`)
    // Gives the backups to the server’s user, because in this test our user and the server’s user may
    // differ.
    if (by === 'manilla') spawnSync('chown', ['-R', `${uid ?? ''}:${gid ?? ''}`, pathOf('backups')])
    return stdout
  }
  return {
    env,
    run,
    urlOf,
    async [Symbol.asyncDispose]() {
      const stop = 'for each in "$RESTORED" "$PGDATA"; do pg_ctl stop -m immediate -D "$each"; done'
      spawnSync('/bin/sh', ['-c', stop], { ...spawnOptions(home.account), env })
    },
  }
}
