// The database of the admin commands: DATABASE_URL, or the embedded one, through its socket if the
// service is running, otherwise started for the duration of the command.

import type { DatabaseSettings } from '#config/config.ts'
import { findSchemaProblem } from '#db/applied-schema.ts'
import { migrate } from '#db/migrate.ts'
import { createPool, type Pool } from '#db/pool.ts'
import { type EmbeddedServer, findEmbedded, startEmbedded } from '#embedded/embedded.ts'

type Place = DatabaseSettings & { statementMaxMs?: number | undefined }

// A problem the operator can fix.
export class AdminProblem extends Error {}

export async function withDatabase<T>(place: Place, work: (db: Pool) => Promise<T>): Promise<T> {
  const running = place.databaseUrl ?? (await findEmbedded(place.dataDir))
  if (running) return connected({ ...place, databaseUrl: running }, work)
  const server: EmbeddedServer = await startEmbedded(place)
  try {
    // Not in use by anyone else, so safe to migrate; any other database may be in use by another
    // version.
    await migrate(server.connectionString)
    return await connected({ ...place, databaseUrl: server.connectionString }, work)
  } finally {
    await server.stop()
  }
}

async function connected<T>(
  { databaseUrl, statementMaxMs }: Place & { databaseUrl: string },
  work: (db: Pool) => Promise<T>,
): Promise<T> {
  const limit = statementMaxMs === undefined ? {} : { statementMaxMs }
  const options = { connectionString: databaseUrl, max: 4, onIdleError: () => {} }
  const db = createPool({ ...options, ...limit })
  try {
    const problem = await findSchemaProblem(db)
    if (problem) {
      throw new AdminProblem(`The database schema does not match this version: ${problem}.`)
    }
    return await work(db)
  } finally {
    await db.end()
  }
}
