// Fills a database with a history in this checkout's schema. Another checkout's bench may import
// this file (--against), so that each service runs on data that its own code wrote.

import { systemClock } from '#clock.ts'
import type { Config } from '#config/config.ts'
import { createLogger } from '#log.ts'
import { Sealer } from '#seal.ts'
import { prepareDatabase } from '#wiring.ts'
import { type HistorySize, writeHistory } from './history.ts'

// Migrates a new database and writes the history into it.
export async function fillDatabase(
  config: Config,
  connectionString: string,
  size: HistorySize,
): Promise<void> {
  const log = createLogger({ level: 'silent' })
  await prepareDatabase({ config, connectionString, clock: systemClock, log })
  const { data, hash } = config.secrets
  await writeHistory(connectionString, size, new Sealer(data, hash))
}
