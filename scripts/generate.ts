// `npm run generate`: writes the generated files that are committed. These are db/schema.sql, openapi.json,
// the types of the API in sdk/src/api-types.ts, the table of capabilities in ARCHITECTURE.md, the commands in
// docs/cli.md, the tables of docs/routes.md, docs/webhooks.md and docs/exports.md, the diagrams in
// docs/states.md and the SQL functions that enforce them, and the definitions in web/copy/en.ts. Tests fail
// when a file no longer matches the code.

import { readFileSync, writeFileSync } from 'node:fs'
import { migrate } from '#db/migrate.ts'
import { createPool } from '#db/pool.ts'
import { insertCommands } from '../cli/reference.ts'
import { renderOpenApi } from '../test/support/open-api.ts'
import { startTestServer, TEMPLATE } from '../test/support/server.ts'
import { renderTypes } from '../tools/openapi-types/render-types.ts'
import { withCapabilities } from './capabilities.ts'
import { withDefinitions } from './definitions.ts'
import { withColumns, withEvents, withRoutes } from './documents.ts'
import { renderSchema } from './render-schema.ts'
import { functionPath, renderFunction, STATES, withDiagrams } from './states.ts'

writeFileSync('ARCHITECTURE.md', withCapabilities(readFileSync('ARCHITECTURE.md', 'utf8')))
writeFileSync('docs/cli.md', insertCommands(readFileSync('docs/cli.md', 'utf8')))
writeFileSync('docs/states.md', withDiagrams(readFileSync('docs/states.md', 'utf8')))
for (const states of STATES) writeFileSync(functionPath(states), renderFunction(states))
writeFileSync('docs/exports.md', withColumns(readFileSync('docs/exports.md', 'utf8')))
writeFileSync('docs/webhooks.md', withEvents(readFileSync('docs/webhooks.md', 'utf8')))
const glossary = readFileSync('docs/glossary.md', 'utf8')
writeFileSync('web/copy/en.ts', withDefinitions(readFileSync('web/copy/en.ts', 'utf8'), glossary))
const server = await startTestServer()
try {
  const connectionString = server.templateUrl.replace(TEMPLATE, 'postgres')
  await migrate(connectionString)
  const pool = createPool({ connectionString, max: 1, onIdleError: () => {} })
  writeFileSync('db/schema.sql', await renderSchema(pool))
  await pool.end()
  const description = await renderOpenApi(connectionString)
  writeFileSync('openapi.json', description)
  const routes = withRoutes(readFileSync('docs/routes.md', 'utf8'), JSON.parse(description))
  writeFileSync('docs/routes.md', routes)
  writeFileSync('sdk/src/api-types.ts', await renderTypes(description))
} finally {
  await server.stop()
}
