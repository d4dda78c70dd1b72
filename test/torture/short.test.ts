// A short run of `npm run torture`, with nearly every kind of fault: no money is lost, doubled or made up.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const MAIN = join(import.meta.dirname, '../../torture/main.ts')

test('two minutes of faults under load: everything acknowledged is kept exactly once', async (t) => {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, [MAIN, '--short']).catch((error) => {
    throw new Error(`${error.message}\n${error.stdout}`)
  })
  t.diagnostic(stdout.trim().split('\n').at(-1) as string)
})
