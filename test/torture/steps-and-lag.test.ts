// Two special faults of `npm run torture`: the clocks of service and database move together while
// the bank denies a payout, and a lagging standby is promoted. A payout that the bank pays neither
// fails nor is paid again.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const MAIN = join(import.meta.dirname, '../../torture/main.ts')

const RUNS = {
  'clocks that move together': ['--only', 'clocks-together', '--faults', '1', '--seed', '3'],
  'a standby that lags': ['--standby', '--async', '--faults', '1', '--seed', '3'],
}

for (const [name, args] of Object.entries(RUNS)) {
  test(`${name}: no payout fails that the bank pays, and none is paid twice`, async (t) => {
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, [MAIN, ...args]).catch((error) => {
      throw new Error(`${error.message}\n${error.stdout}`)
    })
    t.diagnostic(stdout.trim().split('\n').at(-1) as string)
  })
}
