// The service under test: the real src/main.ts as a process of its own, on an embedded database in a
// new folder on a real disk. It has the role `api`: webhooks are the workers' to send, after
// the answer.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Config, loadConfig } from '#config/config.ts'
import { findSecrets } from '#config/secrets-file.ts'
import { startEmbedded } from '#embedded/embedded.ts'

export type ServiceProcess = {
  pid: number
  port: number
  postgresPid: number
  socketFolder: string
  config: Config
  databaseUrl(name: string): string
  stop(): Promise<void>
}

export type Home = Disposable & { folder: string; dataDir: string }

const ROOT = join(import.meta.dirname, '..')
const TMPFS = 0x01021994
const START_MAX_MS = 60_000

// Not in memory: a commit must cost what it costs.
export function openDataDirectory(): Home {
  const parent = [tmpdir(), '/var/tmp', join(ROOT, 'data')].find((folder) => {
    try {
      mkdirSync(folder, { recursive: true })
      return statfsSync(folder).type !== TMPFS
    } catch {
      return false
    }
  })
  if (!parent) throw new Error('there is no folder on a disk for temporary files')
  const folder = mkdtempSync(join(parent, 'manilla-bench-'))
  chmodSync(folder, 0o755) // As root the database runs as somebody else, who must get in.
  return {
    folder,
    dataDir: join(folder, 'data'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export async function startService(home: Home, nodeArgs: string[] = []): Promise<ServiceProcess> {
  const config = loadConfig({ MANILLA_DATA_DIR: home.dataDir }, 'serve')
  const database = await startEmbedded({ dataDir: home.dataDir })
  const child = startRole('api', home.dataDir, database.connectionString, nodeArgs)
  const port = await portOf(child)
  const cluster = join(home.dataDir, 'postgres')
  const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
  const socket = lines[4] as string
  const socketFolder = isAbsolute(socket) ? socket : join(cluster, socket)
  const host = encodeURIComponent(socketFolder)
  return {
    pid: child.pid as number,
    port,
    postgresPid: Number(lines[0]),
    socketFolder,
    config,
    databaseUrl: (name) => `postgres://manilla@/${name}?host=${host}&port=5432&sslmode=disable`,
    stop: async () => {
      await stop(child)
      await database.stop()
    },
  }
}

// The workers alone, on another database of the same server.
export function startWorker(service: ServiceProcess, connectionString: string) {
  const child = startRole('worker', service.config.dataDir, connectionString)
  child.stdout?.resume()
  return { pid: child.pid as number, [Symbol.asyncDispose]: () => stop(child) }
}

function startRole(
  role: 'api' | 'worker',
  dataDir: string,
  connectionString: string,
  nodeArgs: readonly string[] = [],
): ChildProcess {
  const env = {
    ...process.env,
    ...findSecrets(dataDir),
    MANILLA_DATA_DIR: dataDir,
    MANILLA_MODE: 'sandbox',
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'warn',
    DATABASE_URL: connectionString,
    PUBLIC_URL: '',
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compile'),
  }
  // Its working folder is the temporary one: a developer's .env must not change what is measured.
  const flags = [...startFlags(), ...nodeArgs]
  const child = spawn(process.execPath, [...flags, join(ROOT, 'src/main.ts'), role], {
    cwd: dirname(dataDir),
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })

  // However we end, it ends too, and its database with it.
  const end = () => void child.kill('SIGTERM')
  process.on('exit', end)
  child.once('exit', () => process.off('exit', end))
  return child
}

// What is measured is what `npm start` runs.
function startFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const found = / node ((?:--\S+ )*)src\/main\.ts$/.exec(scripts.start)
  if (!found) throw new Error('the start script does not run src/main.ts')
  return (found[1] as string).split(' ').filter(Boolean)
}

// Its log goes on to our standard error: a warning under load is a finding.
async function portOf(child: ChildProcess): Promise<number> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the service did not start')), START_MAX_MS)
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)))
    lines.on('line', (line) => {
      if (line.startsWith('{')) console.error(line)
      const port = /http:\/\/localhost:([1-9][0-9]*)/.exec(line)?.[1]
      if (!port) return
      clearTimeout(late)
      resolve(Number(port))
    })
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
