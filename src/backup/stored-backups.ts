// Stored backups and their manifests, and the copying of a running server's files into a backup.
//
//   <backup folder>/base/<time>/backup.json        this manifest, with the SHA-256 of every other file
//                              base.tar            the cluster, and the log that makes it consistent
//                              backup_manifest     the server's own manifest: the SHA-256 of each file in it
//                              secrets.json, …     other files needed to run, unless stored elsewhere
//
// A backup is written under another name and then renamed, so that it is complete or absent.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  createReadStream,
  createWriteStream,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  type WriteStream,
} from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import pg from 'pg'

// A problem with a backup, or with a request for a backup: one sentence for the operator.
export class BackupProblem extends Error {}

export const BASE = 'base'
export const MANIFEST_NAME = 'backup.json'
const FORMAT = 'manilla-backup/1'

export type BackupFacts = {
  product: string
  postgres: string
  systemIdentifier: string
  timeline: number
  startLsn: string
  stopLsn: string
  startedAt: string
  finishedAt: string
  hasSecrets: boolean
  files: WrittenFile[]
}

export type StoredBackup = BackupFacts & { name: string; folder: string }

// The manifest has a checksum of its own content, which readBackup compares.
export function manifestText(facts: BackupFacts): string {
  const body = { format: FORMAT, ...facts }
  return `${JSON.stringify({ ...body, checksum: checksumOf(body) }, null, 2)}\n`
}

// Reads a backup's manifest. Does not read the other files.
export function readBackup(folder: string, name: string): StoredBackup {
  const path = join(folder, MANIFEST_NAME)
  let content: { format: string; checksum: string } & BackupFacts
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new BackupProblem(`${path} is ${isMissing ? 'missing' : 'damaged'}.`)
  }
  const { checksum, ...body } = content
  if (body.format !== FORMAT || checksum !== checksumOf(body)) {
    throw new BackupProblem(`${path} is damaged, or not a manifest of this version.`)
  }
  const { format: _, ...facts } = body
  return { ...facts, name, folder }
}

// Lists the backups with a readable manifest, oldest first, and the problems of the others. Folders whose
// name begins with a dot are unfinished.
export function listBackups(backupDir: string) {
  const base = join(backupDir, BASE)
  const names = existsSync(base) ? readdirSync(base).filter((name) => !name.startsWith('.')) : []
  const backups: StoredBackup[] = []
  const damaged: BackupProblem[] = []
  for (const name of names) {
    try {
      backups.push(readBackup(join(base, name), name))
    } catch (error) {
      if (!(error instanceof BackupProblem)) throw error
      damaged.push(error)
    }
  }
  backups.sort((one, other) => (one.finishedAt < other.finishedAt ? -1 : 1))
  return { backups, damaged }
}

// Whether all files exist and have their size. Unlike checkFiles, does not read them.
export function isComplete({ folder, files }: StoredBackup): boolean {
  return files.every(
    ({ name, bytes }) => statSync(join(folder, name), { throwIfNoEntry: false })?.size === bytes,
  )
}

// Compares every file with its SHA-256 in the manifest.
export async function checkFiles({ folder, files }: StoredBackup): Promise<void> {
  for (const { name, bytes, sha256 } of files) {
    const path = join(folder, name)
    const size = statSync(path, { throwIfNoEntry: false })?.size
    if (size === undefined) throw new BackupProblem(`${path} is missing.`)
    if (size !== bytes) throw new BackupProblem(`${path} has ${size} bytes instead of ${bytes}.`)
    if ((await sha256Of(path)) !== sha256) {
      throw new BackupProblem(`${path} is damaged: its SHA-256 is not the manifest's.`)
    }
  }
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path)) hash.update(bytes)
  return hash.digest('hex')
}

function checksumOf(body: object): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex')
}

// Copies a running server's files over its replication protocol (BASE_BACKUP), like pg_basebackup,
// which the npm package lacks. The server reads its own files, verifies the checksum of each page,
// and adds the log that makes the copy consistent and a manifest with each file's SHA-256.
//
// docs/decisions/0019-backups.md explains why the files are not copied directly.

export const TAR = 'base.tar'
export const MANIFEST = 'backup_manifest'

export type WrittenFile = { name: string; bytes: number; sha256: string }
type BaseBackup = {
  files: WrittenFile[]
  startLsn: string
  stopLsn: string
  timeline: number
}

type Options = {
  connectionString: string
  folder: string
  label: string
  onProgress: (doneBytes: number, totalBytes: number) => void
}

// The first byte of each copy message.
const [NEW_ARCHIVE, MANIFEST_FOLLOWS, CONTENT, PROGRESS] = ['n', 'm', 'd', 'p']

// The copy contains the log, so it does not wait for the archive, which may be failing.
const COMMAND = (label: string) =>
  `BASE_BACKUP (LABEL '${label.replaceAll("'", "''")}', PROGRESS, CHECKPOINT 'fast', WAL, WAIT 0,` +
  ` MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256')`

// Copies a running server's files into `options.folder`, over its replication protocol. Resolves when all
// files are written and synced to disk.
export async function writeBaseBackup(options: Options): Promise<BaseBackup> {
  const { connectionString, label } = options
  const config = { connectionString, replication: 'true' }
  const client = new pg.Client(config as pg.ClientConfig)
  await client.connect()
  client.on('error', () => {}) // The query gets the error too.
  try {
    const copy = new BaseBackupCopy(COMMAND(label), options)
    client.query(copy)
    return await copy.result
  } finally {
    await client.end()
  }
}

type Connection = { query(text: string): void; stream: NodeJS.ReadStream }

// Implements the query interface of node-postgres for BASE_BACKUP. Rows arrive before and after the copy: the
// start of the log, the tablespaces with their sizes, the end of the log.
class BaseBackupCopy implements pg.Submittable {
  readonly #command: string
  readonly #options: Options
  readonly #results: string[][][] = [[]]
  readonly #outputs: Output[] = []
  readonly #done = Promise.withResolvers<void>()
  #failure: Error | undefined
  #isPaused = false

  constructor(command: string, options: Options) {
    this.#command = command
    this.#options = options
    this.#done.promise.catch(() => {})
  }

  get result(): Promise<BaseBackup> {
    return this.#done.promise.then(() => this.#finish())
  }

  submit(connection: unknown): void {
    ;(connection as Connection).query(this.#command)
  }

  handleRowDescription(): void {}

  handleDataRow({ fields }: { fields: (Buffer | string | null)[] }): void {
    this.#results.at(-1)?.push(fields.map((field) => String(field ?? '')))
  }

  handleCommandComplete(): void {
    this.#results.push([])
  }

  handleCopyData({ chunk }: { chunk: Buffer }, { stream }: Connection): void {
    const kind = String.fromCharCode(chunk[0] as number)
    if (kind === NEW_ARCHIVE) this.#openArchive(stream)
    else if (kind === MANIFEST_FOLLOWS) this.#open(MANIFEST)
    else if (kind === PROGRESS) this.#report(Number(chunk.readBigInt64BE(1)))
    else if (kind === CONTENT) this.#write(chunk.subarray(1), stream)
  }

  handleError(error: Error): void {
    this.#failure ??= error
    this.handleReadyForQuery()
  }

  handleReadyForQuery(): void {
    if (this.#failure) this.#done.reject(this.#failure)
    else this.#done.resolve()
  }

  // Called once per tablespace.
  #openArchive(socket: NodeJS.ReadStream): void {
    if (this.#outputs.length === 0) this.#open(TAR)
    else {
      const problem = 'The server has tablespaces. Back it up with pg_basebackup.'
      this.#failure = new BackupProblem(problem)
      socket.destroy()
    }
  }

  #open(name: string): void {
    this.#outputs.at(-1)?.stream.end()
    this.#outputs.push(new Output(this.#options.folder, name))
  }

  // Copies the bytes, because the driver reuses its buffer. Pauses the socket while the disk is slow.
  #write(bytes: Buffer, socket: NodeJS.ReadStream): void {
    const output = this.#outputs.at(-1)
    if (!output || output.write(Buffer.from(bytes)) || this.#isPaused) return
    this.#isPaused = true
    socket.pause()
    void output.flushed().then(
      () => {
        this.#isPaused = false
        socket.resume()
      },
      (error) => {
        // A write failed, for example because the disk is full. Keeps the first error: the later error of the
        // closed connection explains nothing.
        this.#failure ??= error
        socket.destroy()
      },
    )
  }

  // The second result lists the tablespaces with their sizes in kB.
  #report(doneBytes: number): void {
    const tablespaces = this.#results[1] ?? []
    const totalKb = tablespaces.reduce((sum, [, , size]) => sum + Number(size), 0)
    this.#options.onProgress(doneBytes, totalKb * 1024)
  }

  // The first result has the start of the log and its timeline, the last one has its end.
  async #finish(): Promise<BaseBackup> {
    this.#outputs.at(-1)?.stream.end()
    const files = await Promise.all(this.#outputs.map((output) => output.finish()))
    const results = this.#results.filter((rows) => rows.length > 0)
    const [startLsn = '', timeline = ''] = results[0]?.[0] ?? []
    const [stopLsn = ''] = results.at(-1)?.[0] ?? []
    return { files, startLsn, stopLsn, timeline: Number(timeline) }
  }
}

// A file of the backup. Computes its size and SHA-256 while it is written.
class Output {
  readonly stream: WriteStream
  readonly #name: string
  readonly #hash = createHash('sha256')
  readonly #finished: Promise<void>
  #bytes = 0

  constructor(folder: string, name: string) {
    this.#name = name
    this.stream = createWriteStream(join(folder, name), { flags: 'wx', mode: 0o600, flush: true })
    this.#finished = finished(this.stream)
    this.#finished.catch(() => {}) // finish() reports it.
  }

  write(bytes: Buffer): boolean {
    this.#hash.update(bytes)
    this.#bytes += bytes.length
    return this.stream.write(bytes)
  }

  // Resolves when the stream accepts more, or has finished.
  flushed(): Promise<unknown> {
    return Promise.race([once(this.stream, 'drain'), this.#finished])
  }

  async finish(): Promise<WrittenFile> {
    await this.#finished
    return { name: this.#name, bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }
}
