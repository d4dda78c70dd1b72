// PostgreSQL servers that replicate, for tests of failover: a primary, and standbys that are copied from it
// while it serves. Tests promote, demote and kill them. They run from the embedded binaries; each is reached
// by its socket.

import { appendFileSync, chownSync, type Dirent, writeFileSync } from 'node:fs'
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { prepareBinaries } from '#embedded/binaries.ts'
import { ensureCluster } from '#embedded/cluster.ts'
import { makeSocketFolder, openDataDirectory, SOCKET_NAME } from '#embedded/data-directory.ts'
import { type GuardedProcess, spawnGuarded } from '#embedded/processes.ts'
import { fixedSettings, serverSettings, settingArguments } from '#embedded/server.ts'
import { until } from './embedded-bench.ts'

const SETTINGS = {
  shared_buffers: '64MB',
  max_wal_size: '1GB',
  wal_keep_size: '512MB', // Keeps the log that a standby needs, without slots or an archive.
  wal_receiver_timeout: '5s',
  wal_retrieve_retry_interval: '500ms', // As in deploy/ha.
}
const READY_MAX_MS = 300_000 // Long, because a busy machine is slow.
// A base backup leaves these files out: they belong to the running server, or the standby creates them.
const NOT_COPIED = [
  /^(postmaster\.(pid|opts)|socket|standby\.signal)$/,
  /^pg_(wal|replslot|stat_tmp|dynshmem|notify|serial|snapshots|subtrans)\/(?!archive_status)/,
]

type Options = { settings?: Readonly<Record<string, string>>; log?: string }
type Primary = { conninfo: string }

export class Server {
  readonly #home: ReturnType<typeof openDataDirectory>
  readonly #binaries: ReturnType<typeof prepareBinaries>
  readonly #socket: string
  readonly #options: Options
  #process: GuardedProcess | undefined

  constructor(folder: string, options: Options = {}) {
    this.#options = options
    this.#home = openDataDirectory(folder)
    const resolvePackage = (name: string) => import.meta.resolve(name)
    this.#binaries = prepareBinaries({ ...this.#home, resolvePackage })
    this.#socket = join(this.#home.clusterFolder, 'socket')
  }

  urlOf(database: string): string {
    const host = encodeURIComponent(this.#socket)
    return `postgres://manilla@/${database}?host=${host}&port=5432&sslmode=disable`
  }

  get socketPath(): string {
    return join(this.#socket, SOCKET_NAME)
  }

  // How a standby connects to this server.
  get conninfo(): string {
    return `host=${this.#socket} user=manilla`
  }

  // Creates an empty cluster and starts it as a primary.
  async create(): Promise<void> {
    await ensureCluster(this.#home, this.#binaries)
    await this.start()
    await this.query('create database manilla')
  }

  // Replaces the data by a base backup of a serving primary, as pg_basebackup does.
  async copy(primary: Server): Promise<void> {
    const { clusterFolder } = this.#home
    await rm(clusterFolder, { recursive: true, force: true, maxRetries: 5 })
    await withClient(primary.urlOf('postgres'), async (client) => {
      await client.query("select pg_backup_start('standby', fast => true)")
      await this.#copyFolder(primary.#home.clusterFolder, '')
      const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
      this.#write('backup_label', rows[0].labelfile)
    })
  }

  // Starts the server with the data that it has: as a standby of `primary` or, without one, as a primary.
  async start(primary?: Primary): Promise<void> {
    const socket = makeSocketFolder(this.#home)
    const { settings: extra, log } = this.#options
    const standbySettings = primary && { primary_conninfo: primary.conninfo }
    if (primary) this.#write('standby.signal', '')
    if (primary) this.#write('postgresql.auto.conf', '')
    const settings = {
      ...{ ...serverSettings(), ...SETTINGS, ...extra, ...standbySettings },
      ...fixedSettings(socket.forServer),
    }
    this.#process = await spawnGuarded({
      program: this.#binaries.postgres,
      folder: this.#home.clusterFolder,
      args: (folder) => ['-D', folder, ...settingArguments(settings)],
      account: this.#home.account,
      byDescriptor: this.#home.byDescriptor,
      ...(log ? { onLog: (line: string) => appendFileSync(log, `${line}\n`) } : {}),
    })
    const server = this.#process
    const ended = server.exited.then(() => {
      throw new Error(server.lastLines().join('\n'))
    })
    const answers = () => this.query('select 1').then(Boolean, () => false)
    await Promise.race([ended, until('the server answers', answers, READY_MAX_MS)])
    ended.catch(() => {}) // A server that ends later, for example killed, is no unhandled rejection.
  }

  // Makes replication synchronous: from now on a commit waits for the standby. Resolves when the standby also
  // has all earlier commits.
  async requireStandby(): Promise<void> {
    await this.query(`alter system set synchronous_standby_names = '*'`)
    await this.query('select pg_reload_conf()')
    // Whether the synchronous standby has written the log up to this position.
    const hasStandbyReached = (lsn: string) => async () => {
      const [row] = await this.query(
        `select from pg_stat_replication where sync_state = 'sync' and flush_lsn >= '${lsn}'`,
      )
      return row !== undefined
    }
    await until('the standby is synchronous', hasStandbyReached('0/0'), READY_MAX_MS)
    const [current] = await this.query('select pg_current_wal_flush_lsn() as lsn')
    await until('the standby has everything', hasStandbyReached(current.lsn), READY_MAX_MS)
  }

  async promote(): Promise<void> {
    const [row] = await this.query('select pg_promote()')
    if (!row?.pg_promote) throw new Error('it was not promoted')
  }

  async stop(): Promise<void> {
    this.#process?.signal('SIGINT')
    await this.#process?.exited
  }

  async kill(): Promise<void> {
    this.#process?.signal('SIGKILL')
    await this.#process?.exited
  }

  // biome-ignore lint/suspicious/noExplicitAny: whatever the query returns
  async query(sql: string, database = 'postgres'): Promise<any[]> {
    return withClient(this.urlOf(database), async (client) => (await client.query(sql)).rows)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
  }

  async #copyFolder(source: string, path: string): Promise<void> {
    await mkdir(join(this.#home.clusterFolder, path), { mode: 0o700 })
    this.#own(path)
    // Copies a file or a subfolder, unless NOT_COPIED names it.
    const copying = async (entry: Dirent) => {
      const inside = join(path, entry.name)
      if (NOT_COPIED.some((pattern) => pattern.test(inside))) return
      if (entry.isDirectory()) await this.#copyFolder(source, inside)
      else if (entry.isFile()) await this.#copyFile(join(source, inside), inside)
    }
    const entries = await readdir(join(source, path), { withFileTypes: true })
    await Promise.all(entries.map(copying))
  }

  // Ignores files that vanish meanwhile: the write-ahead log replaces them.
  async #copyFile(from: string, path: string): Promise<void> {
    try {
      await copyFile(from, join(this.#home.clusterFolder, path))
      this.#own(path)
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOENT') throw error
    }
  }

  #write(path: string, text: string): void {
    writeFileSync(join(this.#home.clusterFolder, path), text, { mode: 0o600 })
    this.#own(path)
  }

  // Gives a file to the account that runs the server, if that is not the test's own.
  #own(path: string): void {
    const { uid, gid } = this.#home.account
    if (uid !== undefined && gid !== undefined) {
      chownSync(join(this.#home.clusterFolder, path), uid, gid)
    }
  }
}

// Runs `work` on a new connection, which is closed afterwards. Errors of an idle connection are ignored,
// since tests kill servers.
async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
