// The sets of test files. Long ones drive a browser, start processes or servers, walk at random for
// thousands of steps, or need a large table. `npm run test:long` runs them, `npm test` all others,
// and `npm run check` both.

import { matchesGlob } from 'node:path'

// In order of measured duration. Each would hold up the rest of a batch, starts processes, or needs
// its own process.
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

// Long files that share a process.
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

// The slow ones among the other files.
export const FIRST = [
  'test/integrity/*.test.ts',
  'test/{db,reports,proof,http}/*.test.ts',
  'test/{payouts,banks,reconciliation,accounting,refunds,settlement,suspense}/*.test.ts',
  'test/{access,accounts,cli,holds,records,requery,routing,webhooks}/*.test.ts',
]

// `npm test -- --connector acme` runs these and the folder of the connector.
export const CONNECTOR_SUITE = ['test/banks/*.test.ts', 'test/fake-bank/*.test.ts']

const LONG = [...LONG_ALONE, ...LONG_BATCHED]

export function isLong(file: string): boolean {
  return rank(file, LONG) < LONG.length
}

export function sorted(files: readonly string[], patterns: readonly string[]): string[] {
  return files.toSorted().sort((one, other) => rank(one, patterns) - rank(other, patterns))
}

// The position of the first pattern that a file matches.
export function rank(file: string, patterns: readonly string[]): number {
  const at = patterns.findIndex((pattern) => matchesGlob(file, pattern))
  return at < 0 ? patterns.length : at
}
