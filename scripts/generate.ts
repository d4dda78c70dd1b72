// Writes what is made from the code and committed: db/schema.sql, openapi.json and the table of
// capabilities in ARCHITECTURE.md. Tests fail when they no longer match.

import { readFileSync, writeFileSync } from 'node:fs'
import { migrate } from '#db/migrate.ts'
import { createPool } from '#db/pool.ts'
import { renderSchema } from '#pts/render-schema.ts'
import { renderOpenApi } from '../test/support/open-api.ts'
import { startTestServer, TEMPLATE } from '../test/support/server.ts'
import { withCapabilities } from './capabilities.ts'

writeFileSync('ARCHITECTURE.md', withCapabilities(readFileSync('ARCHITECTURE.md', 'utf8')))
const server = await startTestServer()
try {
  const connectionString = server.templateUrl.replace(TEMPLATE, 'postgres')
  await migrate(connectionString)
  const pool = createPool({ connectionString, max: 1, onIdleError: () => {} })
  writeFileSync('db/schema.sql', await renderSchema(pool))
  await pool.end()
  writeFileSync('openapi.json', await renderOpenApi(connectionString))
} finally {
  await server.stop()
}
