// The nightly backup of deploy/systemd runs a command that exists, as confined as the service.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { OperatorCommand } from '#admin/operator-command.ts'
import { createCli } from '../support/cli-terminal.ts'
import { unitFile } from './deploy-files.ts'

const ROOT = join(import.meta.dirname, '../..')
const unit = (name: string) =>
  unitFile(readFileSync(join(ROOT, 'deploy/systemd', name), 'utf8')).last

// Settings that may differ from those of the service: start, stop, restart, and writable paths.
const OWN =
  /^(Desc|Doc|Type|ExecStart|Restart|Kill|Timeout|Limit|Start|User|Cache|Wanted|Load|Environment)/

test('the timer runs a backup that keeps what it writes, confined like the service', async () => {
  const backup = unit('manilla-backup.service')
  const service = unit('manilla.service')
  const [program, file = '', ...words] = (backup.ExecStart as string).split(' ')

  using cli = createCli()
  const commands: OperatorCommand[] = []
  // Records the command in place of taking a backup.
  const operate = async (command: OperatorCommand) => {
    commands.push(command)
    return { data: {}, view: '' }
  }
  const { exitCode, err } = await cli.runOn({ operate }, ...words)

  assert.equal(exitCode, 0, err)
  const [command] = commands as [OperatorCommand]
  const { to, keep } = command.options as { to: string; keep: number }
  assert.equal(program, `${backup.WorkingDirectory}/node_modules/.bin/node`)
  assert.equal(file, 'cli/main.ts')
  assert.equal(to, `%S/${backup.StateDirectory}`)
  assert(keep > 1)
  for (const [key, value] of Object.entries(service)) {
    if (!OWN.test(key)) assert.equal(backup[key], value, key)
  }
  assert.deepEqual([backup.Type, unit('manilla-backup.timer').Persistent], ['oneshot', 'true'])
})
