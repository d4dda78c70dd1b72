// A database with a history in it, of this checkout's schema. Another checkout's bench may import it
// (--against), so that each service runs on what its own code has made.

import { systemClock } from '#clock.ts'
import type { Config } from '#config/config.ts'
import { createLogger } from '#log.ts'
import { prepareDatabase } from '#prepare-database.ts'
import { Sealer } from '#seal.ts'
import { type HistorySize, writeHistory } from './history.ts'

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
