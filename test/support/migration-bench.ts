// For tests of the migrator: a private, empty database and a folder with small schema files.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findSchemaProblem, isMigrated, MigrationProblem, migrate } from '#db/migrate.ts'
import { createEmptyDatabase } from './database.ts'

export const NOTES = 'create table notes (id int primary key, body text not null)'
export const TAGS = "create table tags (id int primary key); insert into notes values (1, 'tagged')"
// The source of a function that returns the word.
export const greet = (word: string) =>
  `create or replace function greet() returns text language sql as $$ select '${word}' $$`

export type Bench = Awaited<ReturnType<typeof setup>>

// Creates the database and the folder; both go when the returned object is disposed. `column` runs a query
// and returns its first column.
export async function setup(migrations: Record<string, string>, functions: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'manilla-migrations-'))
  const database = await createEmptyDatabase()
  const { pool, connectionString } = database
  const locations = {
    migrationsDir: join(folder, 'migrations'),
    functionsDir: join(folder, 'functions'),
  }
  const write = (path: string, text: string) => writeFile(join(folder, path), text)

  await mkdir(locations.migrationsDir)
  await mkdir(locations.functionsDir)
  for (const [name, text] of Object.entries(migrations)) {
    await write(`migrations/${name}.sql`, text)
  }
  for (const [name, text] of Object.entries(functions)) {
    await write(`functions/${name}.sql`, text)
  }

  return {
    pool,
    connectionString,
    locations,
    write,
    remove: (path: string) => rm(join(folder, path)),
    migrate: () => migrate(pool, locations),
    isMigrated: () => isMigrated(pool, locations),
    problem: () => findSchemaProblem(pool, locations),
    column: async (sql: string) =>
      (await pool.query({ text: sql, rowMode: 'array' })).rows.map(([value]) => value as unknown),
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

// Asserts that the migrator refuses to run, with this sentence.
export async function refuses(run: Promise<unknown>, sentence: RegExp): Promise<void> {
  await assert.rejects(run, (error: Error) => {
    assert.ok(error instanceof MigrationProblem, String(error))
    assert.match(error.message, sentence)
    return true
  })
}
