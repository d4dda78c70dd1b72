#!/usr/bin/env node
// `npx manilla …`: runs a command with the packaged Node, whatever Node the machine has. Commands that start
// the service or a tool on its machine (cli/delegated.json) start that program directly; all others are
// commands of the CLI. It is plain JavaScript for Node 12 and newer, like guard.mjs.

// biome-ignore-start lint/style/useNodejsImportProtocol: not every Node 12 knows the prefix
import { spawn } from 'child_process'
import { existsSync, readFileSync } from 'fs'
import { fileURLToPath } from 'url'
import { isNewEnough } from './guard.mjs'

// biome-ignore-end lint/style/useNodejsImportProtocol: not every Node 12 knows the prefix

const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const DELEGATED = JSON.parse(readFileSync(pathOf('cli/delegated.json'), 'utf8'))
const COMPILE_CACHE = pathOf('node_modules/.cache/compile')
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143, SIGKILL: 137 }

const [first, ...rest] = process.argv.slice(2)
const command = DELEGATED.find(({ name }) => name === first)
// If a command takes no arguments but gets some, such as --help, the CLI answers: it prints the help or
// refuses them.
const isDirect = command && (rest.length === 0 || !command.takesNothing)

let child
// The terminal sends Ctrl-C to this process and its child; SIGTERM must be forwarded to the child.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {
  if (child) child.kill('SIGTERM')
})

if (isDirect) void runAll(stepsOf(command))
else if (isNewEnough(process.version)) void runCliInProcess()
else void runAll([[pathOf('cli/main.ts'), ...process.argv.slice(2)]])

// Runs the CLI without a second process, which halves the time of a short command.
async function runCliInProcess() {
  const { enableCompileCache } = await import('node:module')
  if (!process.env.NODE_COMPILE_CACHE) enableCompileCache(COMPILE_CACHE)
  // The listeners of this launcher are only for child processes.
  process.removeAllListeners('SIGINT')
  process.removeAllListeners('SIGTERM')
  await import('../cli/main.ts')
}

// The programs of a delegated command, with their arguments, in order.
function stepsOf({ steps = [], node = [], program: [file, ...lead] }) {
  return [...steps.map((path) => [pathOf(path)]), [...node, pathOf(file), ...lead, ...rest]]
}

// Runs one program after another; stops at the first failure.
async function runAll(steps) {
  for (const step of steps) {
    process.exitCode = await run(step)
    if (process.exitCode !== 0) return
  }
}

// Runs Node with these arguments, the packaged one if it is installed; resolves with the exit code.
function run(args) {
  const packaged = pathOf(`node_modules/node-${process.platform}-${process.arch}/bin/node`)
  const node = existsSync(packaged) ? packaged : process.execPath
  return new Promise((resolve) => {
    // The compile cache halves the time to start. MALLOC_MMAP_THRESHOLD_ makes the C library return large
    // freed blocks to the system.
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
