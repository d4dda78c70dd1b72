// Creates a folder for one test, which is removed when it is disposed. All users may enter it, because the
// database server runs as another user if the tests run as root.

import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Creates the folder; disposing the result removes it with all files.
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
