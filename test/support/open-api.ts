// Generates openapi.json, the committed description of the API, from the routes of a real service.

import { systemClock } from '#clock.ts'
import { loadConfig } from '#config/config.ts'
import { createLogger } from '#log.ts'
import { createService } from '#wiring.ts'
import { SECRETS } from './settings.ts'

// Starts a service on this database, and returns its description as the text of openapi.json.
export async function renderOpenApi(connectionString: string): Promise<string> {
  const env = { ...SECRETS, DATABASE_URL: connectionString, PUBLIC_URL: 'http://localhost:8080' }
  const service = await createService({
    config: loadConfig(env, 'serve'),
    connectionString,
    clock: systemClock,
    log: createLogger({ level: 'silent' }),
  })
  await service.app.ready()
  const description = service.app.swagger()
  await service.close()
  return `${JSON.stringify(description, null, 2)}\n`
}
