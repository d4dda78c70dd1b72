// The schema's files as they lie on disk, and how they must relate to what a database has applied (I80).
// Reading and judging only: nothing here talks to a database.
//
// A release is known by its last migration. A migration says in its head which is the oldest release
// that can run beside it (`-- works beside: 0060`), and the database remembers it.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export type FileLocations = { migrationsDir?: string; functionsDir?: string }
export type SchemaFile = {
  name: string
  path: string
  text: string
  checksum: string
  worksBeside: string | null
  isOutsideTransaction: boolean // For `create index concurrently`, which runs in none.
}
export type SchemaFiles = { migrations: readonly SchemaFile[]; functions: readonly SchemaFile[] }
export type AppliedFile = { name: string; checksum: string; worksBeside: string | null }
export type Applied = { migrations: readonly AppliedFile[]; functions: readonly AppliedFile[] }

// A sentence for the operator: the files and the database do not fit, or a file failed.
export class MigrationProblem extends Error {
  override name = 'MigrationProblem'
}

const DB_DIR = join(import.meta.dirname, '../../db')

const MIGRATION_NAME = /^\d{4}_[a-z0-9_]+\.sql$/
const WORKS_BESIDE = /^-- works beside: (\d{4})$/m
const OUTSIDE_TRANSACTION = /^-- outside a transaction$/m

// A file that ends the transaction it runs in could be applied by half. plpgsql's own `begin` and
// `end` do not match: `begin` takes no semicolon there.
const TRANSACTION_CONTROL =
  /^\s*(begin|start\s+transaction|commit|rollback|abort)(\s+(work|transaction))?\s*;/im

export async function loadSchemaFiles(locations: FileLocations): Promise<SchemaFiles> {
  const [migrations, functions] = await Promise.all([
    loadFolder('migrations', locations.migrationsDir ?? join(DB_DIR, 'migrations')),
    loadFolder('functions', locations.functionsDir ?? join(DB_DIR, 'functions')),
  ])
  const problem = findNamingProblem(migrations) ?? findControlProblem([...migrations, ...functions])
  if (problem) throw new MigrationProblem(problem)
  return { migrations, functions }
}

async function loadFolder(folder: string, dir: string): Promise<SchemaFile[]> {
  // Code-unit order, which for these names is the order of their numbers on every machine.
  const names = (await listFolder(dir)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(dir, name), 'utf8')
      const checksum = createHash('sha256').update(text).digest('hex')
      const worksBeside = WORKS_BESIDE.exec(text)?.[1] ?? null
      const isOutsideTransaction = OUTSIDE_TRANSACTION.test(text)
      return { name, path: `${folder}/${name}`, text, checksum, worksBeside, isOutsideTransaction }
    }),
  )
}

// An empty folder is not kept by git, so that no folder means no files.
async function listFolder(dir: string): Promise<string[]> {
  try {
    return await readdir(dir)
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return []
    throw error
  }
}

// What is left to do. Functions are for whoever knows every migration of the database: a build that
// is behind would put older ones over newer ones.
export function planMigration(files: SchemaFiles, applied: Applied) {
  const problem = findHistoryProblem(files.migrations, applied.migrations)
  if (problem) throw new MigrationProblem(problem)
  const names = new Set(applied.migrations.map(({ name }) => name))
  const pending = files.migrations.filter(({ name }) => !names.has(name))
  const isBehind = names.size > files.migrations.length - pending.length
  if (isBehind) return { pending, functions: [], forgotten: [] }

  const checksums = new Map(applied.functions.map(({ name, checksum }) => [name, checksum]))
  // A migration may drop a function, or a type that takes it along: then all are applied again.
  const functions = files.functions.filter(
    ({ name, checksum }) => pending.length > 0 || checksums.get(name) !== checksum,
  )
  const kept = new Set(files.functions.map(({ name }) => name))
  const forgotten = [...checksums.keys()].filter((name) => !kept.has(name))
  return { pending, functions, forgotten }
}

// The first reason, in plain words, why this history cannot be continued with these files.
function findHistoryProblem(
  files: readonly SchemaFile[],
  applied: readonly AppliedFile[],
): string | undefined {
  const history = applied.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const last = history.at(-1)?.name ?? ''
  const lastFile = files.at(-1)?.name ?? ''
  const byName = new Map(files.map((file) => [file.name, file]))

  for (const { name, checksum, worksBeside } of history) {
    const file = byName.get(name)
    if (!file && name > lastFile) {
      if (worksBeside !== null && worksBeside <= lastFile.slice(0, 4)) continue
      return describeNewer(name, worksBeside, lastFile)
    }
    if (!file) return `migrations/${name} was applied to this database but its file is missing`
    if (file.checksum !== checksum) {
      return `migrations/${name} was changed after it was applied: restore it and write a new migration`
    }
  }

  const names = new Set(history.map((entry) => entry.name))
  const late = files.find((file) => file.name < last && !names.has(file.name))
  return (
    late &&
    `${late.path} comes before migrations/${last}, which is already applied: give it a later number`
  )
}

function describeNewer(name: string, worksBeside: string | null, lastFile: string): string {
  if (worksBeside === null) {
    return `the database is newer than this build: it has migrations/${name}, unknown to this build`
  }
  return (
    `this build is too old for the database: migrations/${name} works beside releases from ` +
    `${worksBeside} on, and this one is of ${lastFile.slice(0, 4)}`
  )
}

function findNamingProblem(files: readonly SchemaFile[]): string | undefined {
  const odd = files.find((file) => !MIGRATION_NAME.test(file.name))
  if (odd) return `${odd.path} is not named like 0001_noun.sql`
  const twin = files.find((file, i) => files[i - 1]?.name.slice(0, 4) === file.name.slice(0, 4))
  return twin && `${twin.path} has the same number as another migration`
}

function findControlProblem(files: readonly SchemaFile[]): string | undefined {
  const file = files.find(({ text }) => TRANSACTION_CONTROL.test(text))
  return file && `${file.path} begins or ends a transaction: it already runs inside one`
}
