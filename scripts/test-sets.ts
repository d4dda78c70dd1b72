// Divides the test files into sets. Long files drive a browser, start processes or servers, take thousands of
// random steps, or need a large table. `npm test` runs all files that are not long, `npm run test:long` the
// long ones. `npm run check` runs those of `npm test` and a part of the long ones (CHECKED_LONG), so that it
// ends within a quarter of an hour on two cores. `npm run check:release` runs everything.

import { matchesGlob } from 'node:path'

// Long files that run in a process of their own, the slowest first. Each would delay the other files of a
// shared process, starts processes itself, or measures its process.
export const LONG_ALONE = [
  'test/torture/short.test.ts',
  'test/torture/steps-and-lag.test.ts',
  'test/crash.test.ts',
  'test/reports/workbook-memory.test.ts',
  'test/simulation/*.test.ts',
  'test/{main,start-bundle}.test.ts',
  'test/upgrade/*.test.ts',
  'test/db/{failover,failover-payouts,replica,statement-names}.test.ts',
  'test/torture/standby-faults.test.ts',
  'test/backup/{backup,own-server}.test.ts',
  'test/http/{fuzz,generated-clients}.test.ts',
  'test/guides/*.test.ts',
  'test/webhooks/delivery-isolation.test.ts',
  'test/embedded/*.test.ts',
  'test/draining.test.ts',
  'test/new-connector.test.ts',
]

// Long files that run together in shared processes.
export const LONG_BATCHED = [
  'test/browser/*.test.ts',
  'test/**/*-scale.test.ts',
  'test/admin/*.test.ts',
  'test/cli/doctor-database.test.ts',
  'test/web/*.test.ts',
  'test/http/{metrics,pages}.test.ts',
  'test/{db/plans,sdk/package,banks/statements/read-back,accounting/random-books}.test.ts',
  'test/reconciliation/{killed-import,planted-differences,planted-month,random-statements}.test.ts',
  'test/fake-bank/lost-notifications.test.ts',
  'test/messages/killed-worker.test.ts',
]

// The long files that `npm run check` runs too: processes that are killed, the failover of the database, the
// simulations against the model, the programs that users start, the upgrade from the previous release,
// hostile requests, the commands of the guides, the short torture run, the pages and the journeys through
// them. Only `npm run test:long` runs the others, such as backups, large tables, planted differences, and one
// browser file for each part of the dashboard (docs/decisions/0034).
export const CHECKED_LONG = [
  'test/{crash,draining,main,start-bundle}.test.ts',
  'test/{embedded,guides,simulation,upgrade,web}/*.test.ts',
  'test/admin/*.test.ts',
  'test/browser/{checkout,checkout-reconnect,dashboard,dashboard-sign-in,web-apps}.test.ts',
  'test/browser/{api-reference,journeys-closing,journeys-operator,journeys-support}.test.ts',
  'test/cli/doctor-database.test.ts',
  'test/db/{failover,failover-payouts,plans,replica,statement-names}.test.ts',
  'test/http/{fuzz,metrics,pages}.test.ts',
  'test/messages/killed-worker.test.ts',
  'test/reconciliation/killed-import.test.ts',
  'test/sdk/package.test.ts',
  'test/torture/short.test.ts',
  'test/webhooks/delivery-isolation.test.ts',
]

// The slower ones among the files that are not long; they start first.
export const FIRST = [
  'test/integrity/*.test.ts',
  'test/{db,reports,proof,http}/*.test.ts',
  'test/{payouts,banks,reconciliation,accounting,refunds,settlement,suspense}/*.test.ts',
  'test/{access,accounts,cli,holds,records,requery,routing,webhooks}/*.test.ts',
]

// The files with tests of every connector. `npm test -- --connector acme` runs these files and those of the
// folder test/banks/acme.
export const CONNECTOR_SUITE = ['test/banks/*.test.ts', 'test/fake-bank/*.test.ts']

const LONG = [...LONG_ALONE, ...LONG_BATCHED]

export function isLong(file: string): boolean {
  return matchesAny(file, LONG)
}

// Whether `npm run check` runs this file.
export function isChecked(file: string): boolean {
  return !isLong(file) || matchesAny(file, CHECKED_LONG)
}

export function matchesAny(file: string, patterns: readonly string[]): boolean {
  return rank(file, patterns) < patterns.length
}

// Sorts files by the first pattern that each matches; files without one come last.
export function sorted(files: readonly string[], patterns: readonly string[]): string[] {
  return files.toSorted().sort((one, other) => rank(one, patterns) - rank(other, patterns))
}

// The index of the first pattern that a file matches, or the number of patterns if it matches none.
function rank(file: string, patterns: readonly string[]): number {
  const index = patterns.findIndex((pattern) => matchesGlob(file, pattern))
  return index < 0 ? patterns.length : index
}
