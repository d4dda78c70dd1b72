// The folder of an export. Only one run uses it, and it is an export only once its manifest has its
// final name. All files are named `….partial` until the last of them is on disk.

import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isConnectionLost } from '#db/transaction.ts'
import { syncFolder } from '#durable-files.ts'
import { ChainedFile, PARTIAL } from './chained-file.ts'

const MANIFEST = 'manifest.json'
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/ // An errno has no digits.

export class ProofProblem extends Error {}

// Claims the folder, which must be new or empty, for the files that `work` writes in one transaction.
// Empties it on failure, unless the files may be the only copy of rows that a commit deleted.
export async function withExportFolder<T>(
  path: string,
  work: (folder: ExportFolder) => Promise<T>,
): Promise<T> {
  await occupy(path)
  const folder = new ExportFolder(path)
  try {
    return await work(folder)
  } catch (error) {
    if (!folder.isOnlyCopy || isRolledBack(error)) await folder.discard()
    throw toProblem(error)
  }
}

class ExportFolder {
  readonly #path: string
  readonly #names = new Set<string>()
  #isWhole = false
  #isOnlyCopy = false

  constructor(path: string) {
    this.#path = path
  }

  get isOnlyCopy(): boolean {
    return this.#isOnlyCopy
  }

  // The next commit deletes the rows that are in the files.
  becomeOnlyCopy(): void {
    this.#isOnlyCopy = this.#isWhole
  }

  // Removes the files of the previous attempt but keeps the folder claimed.
  async beginAgain(): Promise<void> {
    if (this.#isWhole) await rename(this.#at(MANIFEST), this.#at(`${MANIFEST}${PARTIAL}`))
    this.#isWhole = false
    this.#isOnlyCopy = false
    await this.#removeFiles()
  }

  create(name: string): Promise<ChainedFile> {
    this.#names.add(name)
    return ChainedFile.create(this.#at(name), name)
  }

  async finish(manifest: string): Promise<void> {
    await writeFile(this.#at(`${MANIFEST}${PARTIAL}`), manifest, { flush: true })
    for (const name of this.#names) await rename(this.#at(`${name}${PARTIAL}`), this.#at(name))
    await rename(this.#at(`${MANIFEST}${PARTIAL}`), this.#at(MANIFEST))
    syncFolder(this.#path)
    this.#isWhole = true
  }

  // Removes the manifest first: without it the rest is no export.
  async discard(): Promise<void> {
    await rm(this.#at(MANIFEST), { force: true })
    await this.#removeFiles()
    await rm(this.#at(`${MANIFEST}${PARTIAL}`), { force: true })
  }

  async #removeFiles(): Promise<void> {
    for (const name of this.#names) {
      for (const each of [name, `${name}${PARTIAL}`]) await rm(this.#at(each), { force: true })
    }
    this.#names.clear()
  }

  #at(name: string): string {
    return join(this.#path, name)
  }
}

export type { ExportFolder }

// Creating the manifest claims the folder: of two concurrent exports, one is refused and touches nothing.
async function occupy(folder: string): Promise<void> {
  const manifest = join(folder, `${MANIFEST}${PARTIAL}`)
  const refusal = new ProofProblem(`${folder} is not empty. Name a new folder.`)
  try {
    await makeFolder(folder)
    if ((await readdir(folder)).length > 0) throw refusal
    await writeFile(manifest, '', { flag: 'wx', mode: 0o600 })
    if ((await readdir(folder)).length === 1) return
    await rm(manifest, { force: true })
  } catch (error) {
    throw toProblem(error)
  }
  throw refusal
}

// Syncs new folder names too, so that they survive a power cut.
async function makeFolder(folder: string): Promise<void> {
  const firstCreated = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (firstCreated === undefined) return
  const topmost = resolve(firstCreated)
  for (let path = resolve(folder); path.length >= topmost.length; path = dirname(path)) {
    syncFolder(dirname(path))
  }
}

// True if the database reported the failure, so that the transaction was certainly not committed.
function isRolledBack(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && SQL_STATE.test(code) && !isConnectionLost(error)
}

// A full disk or missing permission is not a bug. Database errors have no such code.
function toProblem(error: unknown): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  const isOfDisk = /^E(ACCES|PERM|ROFS|NOSPC|DQUOT|NOTDIR|EXIST|NOENT)$/.test(code ?? '')
  return isOfDisk && syscall !== 'connect' ? new ProofProblem(message) : error
}
