// The nightly backup of deploy/systemd is a command that exists, as confined as the service.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BACKUP_COMMANDS } from '#admin/backup-commands.ts'
import { parseCommand } from '#admin/command-line.ts'
import { unitFile } from './deploy-files.ts'

const ROOT = join(import.meta.dirname, '../..')
const unit = (name: string) =>
  unitFile(readFileSync(join(ROOT, 'deploy/systemd', name), 'utf8')).last

// What differs by nature: how it is started, ended and restarted, and where it writes.
const OWN =
  /^(Desc|Doc|Type|ExecStart|Restart|Kill|Timeout|Limit|Start|User|Cache|Wanted|Load|Environment)/

test('the timer runs a backup that keeps what it writes, confined like the service', () => {
  const backup = unit('manilla-backup.service')
  const service = unit('manilla.service')
  const [program, file = '', ...words] = (backup.ExecStart as string).split(' ')

  const chosen = parseCommand(BACKUP_COMMANDS, words)

  assert('command' in chosen)
  assert.equal(program, `${backup.WorkingDirectory}/node_modules/.bin/node`)
  assert(existsSync(join(ROOT, file)))
  assert.equal(chosen.args.text('to'), `%S/${backup.StateDirectory}`)
  assert(Number(chosen.args.text('keep')) > 1)
  for (const [key, value] of Object.entries(service)) {
    if (!OWN.test(key)) assert.equal(backup[key], value, key)
  }
  assert.deepEqual([backup.Type, unit('manilla-backup.timer').Persistent], ['oneshot', 'true'])
})
