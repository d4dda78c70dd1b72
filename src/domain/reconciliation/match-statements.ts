// Matches a bank's statements with the books (I65). Each rule is one statement over sets. A rule sees
// only what earlier rules left, and what no rule explains is a difference.
//
// A run is deterministic, and a run without news changes nothing. The worker repeats it, because later
// items may explain a difference.

import type { Transaction } from '#db/transaction.ts'
import { beginRun } from './begin-run.ts'
import { findDifferences } from './find-differences.ts'
import { findGaps } from './find-gaps.ts'
import { matchByAccount, matchSweeps } from './match-by-amount.ts'
import { matchByName } from './match-by-name.ts'
import { matchCharges } from './match-charges.ts'
import { matchSessionIds } from './match-session-ids.ts'
import { closeSets, loadSets, openSets } from './open-sets.ts'
import { type BankAccount, endRun } from './reconciled-banks.ts'
import { suggestItems } from './suggest-items.ts'

export type MatchResult = { matched: number; differences: number }

export async function matchStatements(
  tx: Transaction,
  account: BankAccount & { now: Date },
): Promise<MatchResult> {
  const run = await beginRun(tx, account)
  if (!run) return { matched: 0, differences: 0 }
  await openSets(tx, run)
  let matched = await matchSessionIds(tx, run)
  await loadSets(tx, run)
  matched += await matchByName(tx, run)
  matched += await matchByAccount(tx, run)
  matched += await matchSweeps(tx, run)
  matched += await matchCharges(tx, run)
  const found = await findDifferences(tx, run)
  const gaps = run.newStatements.length > 0 || matched > 0 ? await findGaps(tx, run) : 0
  await suggestItems(tx, run)
  await endRun(tx, run)
  await closeSets(tx)
  return { matched, differences: found + gaps }
}
