#!/usr/bin/env node
// `npx manilla …`: runs the commands with the packaged Node, whatever Node the machine has.
// Commands that run on the service's machine (cli/delegated.json) start directly; all others belong
// to the CLI. Plain JavaScript for Node 12 and newer, like guard.mjs.

// biome-ignore-start lint/style/useNodejsImportProtocol: not every Node 12 knows the prefix
import { spawn } from 'child_process'
import { existsSync, readFileSync } from 'fs'
import { fileURLToPath } from 'url'
import { isNewEnough } from './guard.mjs'

// biome-ignore-end lint/style/useNodejsImportProtocol: as above

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const DELEGATED = JSON.parse(readFileSync(here('cli/delegated.json'), 'utf8'))
const COMPILE_CACHE = here('node_modules/.cache/compile')
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143, SIGKILL: 137 }

const [first, ...rest] = process.argv.slice(2)
const command = DELEGATED.find(({ name }) => name === first)
// The CLI prints the help of commands without arguments, and refuses arguments for them.
const isDirect = command && (rest.length === 0 || !command.takesNothing)

let child
// Ctrl-C reaches both processes; SIGTERM is forwarded.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {
  if (child) child.kill('SIGTERM')
})

if (isDirect) void runAll(stepsOf(command))
else if (isNewEnough(process.version)) void runHere()
else void runAll([[here('cli/main.ts'), ...process.argv.slice(2)]])

// Without a second process: half the time of a short command.
async function runHere() {
  const { enableCompileCache } = await import('node:module')
  if (!process.env.NODE_COMPILE_CACHE) enableCompileCache(COMPILE_CACHE)
  process.removeAllListeners('SIGINT')
  process.removeAllListeners('SIGTERM')
  await import('../cli/main.ts')
}

function stepsOf({ steps = [], node = [], program: [file, ...lead] }) {
  return [...steps.map((path) => [here(path)]), [...node, here(file), ...lead, ...rest]]
}

// Stops at the first failure.
async function runAll(steps) {
  for (const step of steps) {
    process.exitCode = await run(step)
    if (process.exitCode !== 0) return
  }
}

function run(args) {
  const packaged = here(`node_modules/node-${process.platform}-${process.arch}/bin/node`)
  const node = existsSync(packaged) ? packaged : process.execPath
  return new Promise((resolve) => {
    // The compile cache halves the time to start. The allocator returns large freed blocks to the
    // system.
    const env = {
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      MALLOC_MMAP_THRESHOLD_: '4194304',
      ...process.env,
    }
    child = spawn(node, args, { stdio: 'inherit', env })
    child.on('error', (error) => {
      console.error(`Cannot start Node (${error.message}). Run npm ci.`)
      resolve(1)
    })
    child.on('exit', (code, signal) => resolve(code === null ? SIGNAL_CODES[signal] || 1 : code))
  })
}
