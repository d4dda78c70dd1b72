// Runs the bundle of the service in this process. Another process builds it, because building takes 700 MB
// that this one would keep. The image has the bundle, and nothing to build it with.

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
