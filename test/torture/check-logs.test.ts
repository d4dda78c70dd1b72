// Checking the server's log after `npm run torture`: the effects of injected faults are expected in it, a
// crash by the server's own fault is not.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkLogs } from '../../torture/checker/check-logs.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const KILLED = 'LOG:  client backend (PID 7) was terminated by signal 9: Killed'
const FULL = 'LOG:  client backend (PID 8) was terminated by signal 6: Aborted'
const CRASHED = 'LOG:  client backend (PID 9) was terminated by signal 11: Segmentation fault'
const RAN = 'DETAIL:  Failed process was running: select 1'

test('a crash that the run did not cause is a finding, with the statement that ran', () => {
  using folder = createTempFolder()
  writeFileSync(
    join(folder.path, 'postgres.log'),
    [KILLED, RAN, FULL, CRASHED, RAN, KILLED].join('\n'),
  )
  writeFileSync(join(folder.path, 'api-1.log'), CRASHED)

  assert.deepEqual(checkLogs(folder.path), [`PostgreSQL crashed: ${CRASHED}\n${RAN}`])
})
