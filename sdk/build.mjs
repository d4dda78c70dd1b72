// Builds dist/: JavaScript and declarations, with the compiler of the repository.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const compiler = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
rmSync(join(here, 'dist'), { recursive: true, force: true })
execFileSync(process.execPath, [join(compiler, 'bin/tsc'), '-p', here], { stdio: 'inherit' })

// The compiler rewrites extensions in JavaScript only.
const dist = join(here, 'dist')
for (const name of readdirSync(dist, { recursive: true })) {
  if (!name.endsWith('.d.ts')) continue
  const text = readFileSync(join(dist, name), 'utf8')
  writeFileSync(join(dist, name), text.replace(/(from ['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'))
}
