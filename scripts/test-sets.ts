// Divides the test files into two sets. Long files drive a browser, start processes or servers, take
// thousands of random steps, or need a large table. `npm run test:long` runs the long files, `npm test` all
// others, and `npm run check` both.

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
  'test/http/fuzz.test.ts',
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
  return rank(file, LONG) < LONG.length
}

// Sorts files by the first pattern that each matches; files without one come last.
export function sorted(files: readonly string[], patterns: readonly string[]): string[] {
  return files.toSorted().sort((one, other) => rank(one, patterns) - rank(other, patterns))
}

// The index of the first pattern that a file matches, or the number of patterns if it matches none.
export function rank(file: string, patterns: readonly string[]): number {
  const index = patterns.findIndex((pattern) => matchesGlob(file, pattern))
  return index < 0 ? patterns.length : index
}
