// Builds dist/ with the repository's compiler: JavaScript and declarations. Skips the build if the sources
// are unchanged, and replaces dist/ in one step, so that two processes can pack it at the same time.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const dist = join(here, 'dist')
const typescript = createRequire(import.meta.url).resolve('typescript/package.json')

const hash = sourceHash()
if (builtHash() !== hash) build()

function build() {
  const made = mkdtempSync(join(here, 'dist-'))
  const old = `${made}-old`
  try {
    const compiler = join(dirname(typescript), 'bin/tsc')
    const args = [compiler, '-p', here, '--outDir', made]
    execFileSync(process.execPath, args, { stdio: 'inherit' })
    rewriteDeclarations(made)
    writeFileSync(join(made, 'source-hash'), hash)
    if (builtHash() === hash) return // Another build with the same result was first.
    if (existsSync(dist)) renameSync(dist, old)
    renameSync(made, dist)
  } finally {
    for (const folder of [made, old]) rmSync(folder, { recursive: true, force: true })
  }
}

// Rewrites file extensions in declarations; the compiler rewrites them only in JavaScript.
function rewriteDeclarations(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue
    const text = readFileSync(join(folder, name), 'utf8')
    writeFileSync(join(folder, name), text.replace(/(from ['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'))
  }
}

function sourceHash() {
  const sources = readdirSync(join(here, 'src'), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(here, 'src', name))
  const all = [...sources.sort(), join(here, 'tsconfig.json'), join(here, 'build.mjs'), typescript]
  const sum = createHash('sha256')
  for (const path of all) sum.update(`${path.slice(here.length)}\n`).update(readFileSync(path))
  return sum.digest('hex')
}

function builtHash() {
  const path = join(dist, 'source-hash')
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
