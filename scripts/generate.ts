// Writes what is made from the code and committed: db/schema.sql, openapi.json, the types of the API
// in sdk/src/api-types.ts, the table of capabilities in ARCHITECTURE.md and the commands in docs/cli.md.
// Tests fail when they no longer match.

import { readFileSync, writeFileSync } from 'node:fs'
import { migrate } from '#db/migrate.ts'
import { createPool } from '#db/pool.ts'
import { withCommands } from '../cli/reference.ts'
import { renderOpenApi } from '../test/support/open-api.ts'
import { startTestServer, TEMPLATE } from '../test/support/server.ts'
import { renderTypes } from '../tools/openapi-types/render-types.ts'
import { withCapabilities } from './capabilities.ts'
import { renderSchema } from './render-schema.ts'

writeFileSync('ARCHITECTURE.md', withCapabilities(readFileSync('ARCHITECTURE.md', 'utf8')))
writeFileSync('docs/cli.md', withCommands(readFileSync('docs/cli.md', 'utf8')))
const server = await startTestServer()
try {
  const connectionString = server.templateUrl.replace(TEMPLATE, 'postgres')
  await migrate(connectionString)
  const pool = createPool({ connectionString, max: 1, onIdleError: () => {} })
  writeFileSync('db/schema.sql', await renderSchema(pool))
  await pool.end()
  const description = await renderOpenApi(connectionString)
  writeFileSync('openapi.json', description)
  writeFileSync('sdk/src/api-types.ts', await renderTypes(description))
} finally {
  await server.stop()
}
