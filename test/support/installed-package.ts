// Packs the SDK as its users get it, installs it with npm into a project of its own, and compiles that
// project. Contacts no registry.

import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')
const PLATFORM = `node-${process.platform}-${process.arch}`
const run = promisify(execFile)

const PACKAGED_NODE = join(ROOT, `sdk/node_modules/${PLATFORM}/bin/node`)

// On Linux, `npm ci` installs Node 20 as a package; elsewhere the tests run everything with our own Node.
const NODES = {
  20: process.platform === 'linux' ? PACKAGED_NODE : process.execPath,
  24: process.execPath,
}
// An older TypeScript compiler, which most projects have, and the repository's.
const COMPILERS = {
  20: compilerOf(join(ROOT, 'tools/openapi-types/package.json')),
  24: compilerOf(join(ROOT, 'package.json')),
}
type NodeVersion = keyof typeof NODES

// Only the newer compiler also checks the declarations of libraries: it needs 0.9 s of CPU, the older one 5
// s.
const tsconfig = (version: NodeVersion) => ({
  compilerOptions: {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: version !== 24,
    types: [],
  },
})

export type Packed = { path: string; files: string[] }

// Packs the SDK into a folder; returns the archive and the files in it.
export async function packSdk(into: string): Promise<Packed> {
  const args = ['pack', '--workspace', 'sdk', '--pack-destination', into, '--json']
  const { stdout } = await npm(NODES[24], args, { folder: ROOT, home: into })
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }]
  const files = packed.files.map(({ path }) => path).sort()
  return { path: join(into, packed.filename), files }
}

// Creates a project with the package installed, and compiles the test's program, the examples and the code
// of the README in it.
export async function installSdk(packed: Packed, version: NodeVersion, folder: string) {
  const node = NODES[version]
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  await npm(node, ['install', '--offline', packed.path], { folder, home: folder })
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig(version)))
  cpSync(join(ROOT, 'test/sdk/project'), folder, { recursive: true })
  cpSync(join(ROOT, 'sdk/examples'), folder, { recursive: true, filter: isExample })
  const readme = readFileSync(join(ROOT, 'sdk/README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code)
  writeFileSync(join(folder, 'readme.ts'), blocks.join('\n'))
  const compiled = run(node, [COMPILERS[version], '-p', folder]).catch(({ stdout }) => {
    throw new Error(`it does not compile:\n${stdout}`)
  })
  // Links the servers instead of installing them; their dependencies resolve from the real path.
  for (const name of ['express', 'fastify']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  }
  await compiled
  return { node, folder, version }
}

function isExample(path: string): boolean {
  return !path.endsWith('.json') && !path.includes('node_modules')
}

// Runs npm with a minimal environment: the outer npm sets variables with the repository's location, which the
// inner npm would read.
function npm(node: string, args: string[], { folder, home }: { folder: string; home: string }) {
  const cli = process.env.npm_execpath
  if (!cli) throw new Error('run with npm test, which says where npm is')
  const env = { PATH: `${dirname(node)}:${process.env.PATH}`, HOME: home, NO_UPDATE_NOTIFIER: '1' }
  return run(node, [cli, ...args, '--no-audit', '--no-fund'], { cwd: folder, env })
}

// The path of the TypeScript compiler that a package resolves.
function compilerOf(from: string): string {
  const about = createRequire(from).resolve('typescript/package.json')
  const { bin } = JSON.parse(readFileSync(about, 'utf8')) as { bin: { tsc: string } }
  return join(dirname(about), bin.tsc)
}
