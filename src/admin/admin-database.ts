// The database that the operator's commands work on: the one of DATABASE_URL, or the embedded one,
// through its socket when the service runs, else started for as long as the command takes.

import { isMigrated, migrate } from '#db/migrate.ts'
import { createPool, type Pool } from '#db/pool.ts'
import { type EmbeddedServer, findEmbedded, startEmbedded } from '#embedded/embedded.ts'

export type DatabaseSettings = { databaseUrl: string | undefined; dataDir: string }

// A reason not to work that the operator can do something about.
export class AdminProblem extends Error {}

export async function withDatabase<T>(
  place: DatabaseSettings,
  work: (db: Pool) => Promise<T>,
): Promise<T> {
  const running = place.databaseUrl ?? (await findEmbedded(place.dataDir))
  if (running) return connected(running, work)
  const server: EmbeddedServer = await startEmbedded({ dataDir: place.dataDir })
  try {
    // Nobody else can be using it, so it may be brought up to date; any other may be in use by
    // processes of another build.
    await migrate(server.connectionString)
    return await connected(server.connectionString, work)
  } finally {
    await server.stop()
  }
}

async function connected<T>(connectionString: string, work: (db: Pool) => Promise<T>): Promise<T> {
  const db = createPool({ connectionString, max: 4, onIdleError: () => {} })
  try {
    if (!(await isMigrated(db))) {
      throw new AdminProblem(
        'The database is not at the version of this build: run `npx manilla migrate` first.',
      )
    }
    return await work(db)
  } finally {
    await db.end()
  }
}
