// Requests for banks' statements, which test/access/route-isolation.test.ts sends as a client that is not the
// operator.

import type { Recipe } from './isolation-recipes.ts'
import { gtbankCsv, IMPORTS, STATEMENTS } from './statement-files.ts'

export const BANK_STATEMENT_RECIPES: Record<string, Recipe> = {
  importStatement: () => [
    {
      url: `${STATEMENTS}?bankCode=058&format=csv&profile=gtbank`,
      body: gtbankCsv({ lines: [{ kobo: 5n }] }),
      headers: { 'content-type': 'text/csv' },
    },
  ],
  listStatements: () => [{ url: STATEMENTS }],
  getStatement: () => [{ url: `${STATEMENTS}/1` }],
  listStatementLines: () => [{ url: `${STATEMENTS}/1/lines` }],
  listStatementImports: () => [{ url: IMPORTS }],
  getStatementImport: () => [{ url: `${IMPORTS}/1` }],
  listStatementProfiles: () => [{ url: '/api/v1/operator/statement-profiles' }],
}
