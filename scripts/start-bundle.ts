// Runs the bundle of the service in this process, after building it if the sources have changed. A child
// process builds, because building takes 700 MB that this process would keep. A container image has the
// bundle but not build-service.ts.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import './mapped-stacks.ts'
import { BUNDLE, isCurrent } from './build.ts'

if (existsSync(join(import.meta.dirname, 'build-service.ts')) && !isCurrent()) {
  const build = join(import.meta.dirname, 'build.ts')
  const { status } = spawnSync(process.execPath, [build], { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
await import(BUNDLE)
