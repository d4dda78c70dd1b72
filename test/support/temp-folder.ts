// A folder for one test, removed after it. Everybody may enter it, so that the server's user can if the
// test runs as root, unless the test says otherwise.

import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function createTempFolder(parent = tmpdir()) {
  const path = realpathSync(mkdtempSync(join(parent, 'manilla-test-')))
  chmodSync(path, 0o755)
  return {
    path,
    [Symbol.dispose]() {
      rmSync(path, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
