// The folder of an export: of one run alone, and an export only once its manifest has its name. All files
// are called `….partial` until the last of them is on disk.

import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isConnectionLost } from '#db/transaction.ts'
import { syncFolder } from '#durable-files.ts'
import { ChainedFile, PARTIAL } from './chained-file.ts'

const MANIFEST = 'manifest.json'
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/ // An errno has no digits.

// Of the folder; what a person can put right.
export class ProofProblem extends Error {}

// Takes the folder, which is new or empty, for what the work writes in one transaction. If that fails,
// nothing is left in it, unless the files may be all there is of what a commit deleted.
export async function withExportFolder<T>(
  path: string,
  work: (folder: ExportFolder) => Promise<T>,
): Promise<T> {
  await occupy(path)
  const folder = new ExportFolder(path)
  try {
    return await work(folder)
  } catch (error) {
    if (!folder.isOnlyCopy || isUndone(error)) await folder.discard()
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

  // What is in the files is deleted by what is committed next.
  becomeOnlyCopy(): void {
    this.#isOnlyCopy = this.#isWhole
  }

  // Of an attempt before this one, nothing is left but the hold on the folder.
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

  // The manifest goes first: without it, what is left is no export.
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

// Whoever makes the manifest has the folder: of two exports at once, one is refused and touches
// nothing.
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

// The names of new folders survive a power cut as well.
async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (made === undefined) return
  const topmost = resolve(made)
  for (let path = resolve(folder); path.length >= topmost.length; path = dirname(path)) {
    syncFolder(dirname(path))
  }
}

// The database answered that it failed: it was not committed.
function isUndone(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && SQL_STATE.test(code) && !isConnectionLost(error)
}

// The disk is full, the folder not ours: no bug. Errors of the database name no system call.
function toProblem(error: unknown): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  const isOfDisk = /^E(ACCES|PERM|ROFS|NOSPC|DQUOT|NOTDIR|EXIST|NOENT)$/.test(code ?? '')
  return isOfDisk && syscall !== 'connect' ? new ProofProblem(message) : error
}
