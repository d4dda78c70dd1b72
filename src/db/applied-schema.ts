// What a database has applied, and whether this build may work with it (I80): it has all migrations of
// the build, and those that came later say that they work beside it.

import type pg from 'pg'
import {
  type Applied,
  type AppliedFile,
  type FileLocations,
  loadSchemaFiles,
  MigrationProblem,
  planMigration,
  type SchemaFiles,
} from './migration-files.ts'

const UNDEFINED_TABLE = '42P01'

// Read once by a process: a probe may ask often.
let shippedFiles: SchemaFiles | undefined

export async function loadFiles(locations: FileLocations | undefined): Promise<SchemaFiles> {
  if (locations) return loadSchemaFiles(locations)
  shippedFiles ??= await loadSchemaFiles({})
  return shippedFiles
}

export async function readApplied(db: Pick<pg.ClientBase, 'query'>): Promise<Applied> {
  // As JSON, since a database that an older release has migrated lacks the column.
  const { rows } = await db.query<AppliedFile & { folder: keyof Applied }>(
    `select 'migrations' as folder, name, checksum, to_jsonb(m) ->> 'works_beside' as "worksBeside"
       from schema_migrations m
     union all select 'functions', name, checksum, null from schema_functions`,
  )
  const of = (folder: keyof Applied) => rows.filter((row) => row.folder === folder)
  return { migrations: of('migrations'), functions: of('functions') }
}

// In one sentence, why this build may not work with the database. One small query.
export async function findSchemaProblem(
  pool: pg.Pool,
  locations?: FileLocations,
): Promise<string | undefined> {
  const files = await loadFiles(locations)
  try {
    const { pending, functions } = planMigration(files, await readApplied(pool))
    const [missing] = [...pending, ...functions]
    return missing && `it has not applied ${missing.path}; run \`npx manilla migrate\``
  } catch (error) {
    if (error instanceof MigrationProblem) return error.message
    if ((error as { code?: string }).code === UNDEFINED_TABLE) {
      return 'it is empty; run `npx manilla migrate`'
    }
    throw error
  }
}

export async function isMigrated(pool: pg.Pool, locations?: FileLocations): Promise<boolean> {
  return (await findSchemaProblem(pool, locations)) === undefined
}
