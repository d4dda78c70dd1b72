// Starts the system under test: an embedded PostgreSQL in a new folder on a real disk, and the real
// src/main.ts in its own processes. The default role is `api`, so no workers run unless a load starts them.

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { loadConfig } from '#config/config.ts'
import { findSecrets } from '#config/secrets-file.ts'
import { startEmbedded } from '#embedded/embedded.ts'
import { untilExited } from './child-process.ts'

export type Cluster = Awaited<ReturnType<typeof startCluster>>
export type ServiceProcess = AsyncDisposable & { pid: number; port: number }

const ROOT = join(import.meta.dirname, '..')
const TMPFS = 0x01021994
const IO: StdioOptions = ['ignore', 'pipe', 'inherit']

// Starts an empty PostgreSQL in a new folder. Disposing it deletes the folder.
export async function startCluster() {
  const folder = makeFolder()
  const dataDir = join(folder, 'data')
  const config = loadConfig({ MANILLA_DATA_DIR: dataDir }, 'serve')
  const { pid, connectionString, databaseUrl, stop } = await startEmbedded({ dataDir })
  const dispose = async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { folder, config, pid, connectionString, databaseUrl, [Symbol.asyncDispose]: dispose }
}

// Creates a folder on a real disk, not in memory, so that a commit has its real cost.
function makeFolder(): string {
  const local = join(ROOT, 'data')
  const parent = [tmpdir(), '/var/tmp'].find((path) => statfsSync(path).type !== TMPFS) ?? local
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'manilla-bench-'))
  chmodSync(folder, 0o755) // As root, the database runs as another user, who needs access.
  return folder
}

type ServiceOptions = {
  role?: 'serve' | 'api' | 'worker'
  nodeArgs?: readonly string[]
  settings?: Readonly<Record<string, string>>
  root?: string // The checkout to run.
}

// Starts a service as its own process, with the flags of `npm start`, and waits until it listens. A worker
// has no port.
export async function startService(
  { folder, config }: Cluster,
  connectionString: string,
  { role = 'api', nodeArgs = [], settings = {}, root = ROOT }: ServiceOptions = {},
): Promise<ServiceProcess> {
  const { flags, variables } = startCommand(root)
  const env = {
    ...process.env,
    ...variables,
    ...findSecrets(config.dataDir),
    MANILLA_DATA_DIR: config.dataDir,
    MANILLA_MODE: 'sandbox',
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'warn',
    MANILLA_TOKEN_TTL_SECONDS: '86400', // Filling a large database takes longer than a token lives.
    DATABASE_URL: connectionString,
    PUBLIC_URL: '',
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'),
    ...settings,
  }
  const args = [...flags, ...nodeArgs, join(root, 'src/main.ts'), role]
  // Runs in the temporary folder: a developer's .env must not change the results.
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: IO })
  const kill = () => void child.kill('SIGTERM')
  process.on('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return {
    pid: child.pid as number,
    port: role === 'worker' ? 0 : await portOf(child),
    async [Symbol.asyncDispose]() {
      kill()
      await untilExited(child)
    },
  }
}

// Reads the Node flags and the environment variables of `npm start` from package.json.
function startCommand(root: string): { flags: string[]; variables: Record<string, string> } {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [, exported, flags] =
    /^export (\S+=.*) && exec node ((?:--\S+ )*)scripts\/start\.mjs$/.exec(scripts.start) ?? []
  if (!exported || !flags) throw new Error('the start script is not as the bench knows it')
  const variables = exported.split(' ').map((each) => each.split('=') as [string, string])
  return { flags: flags.trim().split(' '), variables: Object.fromEntries(variables) }
}

// Waits until the service prints its address, and returns the port. Forwards the service's log to standard
// error all along, because a warning under load is a finding.
function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)))
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (line.startsWith('{')) console.error(line)
      const port = /http:\/\/localhost:([1-9][0-9]*)/.exec(line)?.[1]
      if (port) resolve(Number(port))
    })
  })
}
