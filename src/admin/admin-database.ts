// The database of the admin commands: DATABASE_URL, or the embedded one. If the service runs, the
// command uses its socket; otherwise it starts the server for its duration.

import type { DatabaseSettings } from '#config/config.ts'
import { findSchemaProblem } from '#db/applied-schema.ts'
import { migrate } from '#db/migrate.ts'
import { createPool, type Pool } from '#db/pool.ts'
import { type EmbeddedServer, findEmbedded, startEmbedded } from '#embedded/embedded.ts'

type Place = DatabaseSettings & { statementMaxMs?: number | undefined }

export class AdminProblem extends Error {}

export async function withDatabase<T>(place: Place, work: (db: Pool) => Promise<T>): Promise<T> {
  const running = place.databaseUrl ?? (await findEmbedded(place.dataDir))
  if (running) return withPool({ ...place, databaseUrl: running }, work)
  const server: EmbeddedServer = await startEmbedded(place)
  try {
    // Nobody else uses this database, so migrating is safe. Any other database may serve another version.
    await migrate(server.connectionString)
    return await withPool({ ...place, databaseUrl: server.connectionString }, work)
  } finally {
    await server.stop()
  }
}

async function withPool<T>(
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
