// Holds a bank's statements against the books (I65). Each rule is one statement over sets; what an
// earlier rule explains is out of reach for later ones, and what none explains is a difference.
//
// A run is deterministic, and one that finds nothing new changes nothing. It may be repeated at any time: the
// worker does, because a difference may be explained by what comes later.

import type { Transaction } from '#db/transaction.ts'
import { matchByName } from './match-by-name.ts'
import { openSets } from './open-sets.ts'
import { type BankAccount, beginRun, endRun } from './reconciled-banks.ts'

// How many lines were matched, and how many differences were found.
export type MatchResult = { matched: number; differences: number }

export async function matchStatements(
  tx: Transaction,
  account: BankAccount & { now: Date },
): Promise<MatchResult> {
  const run = await beginRun(tx, account)
  if (!run) return { matched: 0, differences: 0 }
  await openSets(tx, run)
  const matched = await matchByName(tx, run)
  await endRun(tx, run)
  return { matched, differences: 0 }
}
