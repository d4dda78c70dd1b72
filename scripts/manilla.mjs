#!/usr/bin/env node
// `npx manilla …`: runs the commands with the packaged Node, whatever Node the machine has. Plain
// JavaScript for Node 12 and newer, like guard.mjs.

// biome-ignore-start lint/style/useNodejsImportProtocol: not every Node 12 knows the prefix
import { spawn } from 'child_process'
import { existsSync } from 'fs'
import { fileURLToPath } from 'url'

// biome-ignore-end lint/style/useNodejsImportProtocol: as above

const ROLES = ['serve', 'api', 'worker', 'migrate']
const HELP = `Usage: manilla <command>

  admin …                            manage clients, users, keys, erasures, statements
  export --proof <folder>            export the books for an independent check (docs/proof.md)
  serve | api | worker | migrate     run a role of the service (docs/operating.md)

Run manilla admin --help for the admin commands.`

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const [first = '--help', ...rest] = process.argv.slice(2)

if (first === 'admin') run([here('src/admin/main.ts'), ...rest])
else if (first === 'export') run([here('src/admin/main.ts'), first, ...rest])
else if (ROLES.includes(first)) run([here('src/main.ts'), first, ...rest])
else if (first === '--help' || first === '-h') console.log(HELP)
else {
  console.error(`Unknown command: ${first}\n\n${HELP}`)
  process.exitCode = 2
}

function run(args) {
  const packaged = here(`node_modules/node-${process.platform}-${process.arch}/bin/node`)
  const node = existsSync(packaged) ? packaged : process.execPath
  const child = spawn(node, args, { stdio: 'inherit' })
  // Ctrl-C reaches both processes; SIGTERM is forwarded.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('error', (error) => {
    console.error(`Cannot start Node (${error.message}). Run npm ci.`)
    process.exitCode = 1
  })
  child.on('exit', (code) => {
    process.exitCode = code === null ? 1 : code
  })
}
