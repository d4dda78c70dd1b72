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

// Compiles into a new folder and then swaps it with dist/.
function build() {
  const newFolder = mkdtempSync(join(here, 'dist-'))
  const oldFolder = `${newFolder}-old`
  try {
    const compiler = join(dirname(typescript), 'bin/tsc')
    const args = [compiler, '-p', here, '--outDir', newFolder]
    execFileSync(process.execPath, args, { stdio: 'inherit' })
    rewriteDeclarations(newFolder)
    writeFileSync(join(newFolder, 'source-hash'), hash)
    if (builtHash() === hash) return // Another process has built the same sources meanwhile.
    if (existsSync(dist)) renameSync(dist, oldFolder)
    renameSync(newFolder, dist)
  } finally {
    for (const folder of [newFolder, oldFolder]) rmSync(folder, { recursive: true, force: true })
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

// A hash of everything that the result depends on: the sources, the settings, this script and the compiler.
function sourceHash() {
  const sources = readdirSync(join(here, 'src'), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(here, 'src', name))
  const inputs = [
    ...sources.sort(),
    join(here, 'tsconfig.json'),
    join(here, 'build.mjs'),
    typescript,
  ]
  const sum = createHash('sha256')
  for (const path of inputs) sum.update(`${path.slice(here.length)}\n`).update(readFileSync(path))
  return sum.digest('hex')
}

// The hash of the sources that the existing dist/ was built from; undefined if there is none.
function builtHash() {
  const path = join(dist, 'source-hash')
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
