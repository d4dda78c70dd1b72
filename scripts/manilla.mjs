#!/usr/bin/env node
// `npx manilla …`: runs the commands with the packaged Node, whatever Node the machine has. What runs
// on the service's machine (cli/delegated.json) is started directly, everything else is the CLI's.
// Plain JavaScript for Node 12 and newer, like guard.mjs.

// biome-ignore-start lint/style/useNodejsImportProtocol: not every Node 12 knows the prefix
import { spawn } from 'child_process'
import { existsSync, readFileSync } from 'fs'
import { fileURLToPath } from 'url'

// biome-ignore-end lint/style/useNodejsImportProtocol: as above

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const DELEGATED = JSON.parse(readFileSync(here('cli/delegated.json'), 'utf8'))
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143, SIGKILL: 137 }

const [first, ...rest] = process.argv.slice(2)
const command = DELEGATED.find(({ name }) => name === first)
// Those that take nothing are told so, or their help, by the CLI.
const isDirect = command && (rest.length === 0 || !command.takesNothing)

let child
// Ctrl-C reaches both processes; SIGTERM is forwarded.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {
  if (child) child.kill('SIGTERM')
})

void runAll(isDirect ? stepsOf(command) : [[here('cli/main.ts'), ...process.argv.slice(2)]])

function stepsOf({ steps = [], node = [], program: [file, ...lead] }) {
  return [...steps.map((path) => [here(path)]), [...node, here(file), ...lead, ...rest]]
}

// Until one fails.
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
    // What is compiled is kept: starting takes half as long. What is large goes back to the system
    // when it is freed.
    const env = {
      NODE_COMPILE_CACHE: here('node_modules/.cache/compile'),
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
