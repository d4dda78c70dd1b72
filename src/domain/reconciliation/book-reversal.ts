// Books a debit by which the bank took a credit back, as if the bank had reported the reversal
// (reverse-credit.ts). One identifier of the line names the credit; another names the reversal.
//
// If a reversal of that credit and amount has no line yet, the bank has reported it meanwhile; then it is
// matched and not taken again. Nothing can be taken back from an archived credit: the bank owes the
// amount.
// Locks: the difference, which the caller holds; then the locks of every reversal.

import { isSessionId } from '#banks/session-id.ts'
import type { Transaction } from '#db/transaction.ts'
import { findOriginal } from '#domain/credits/credit-identifiers.ts'
import { isArchived, lockOriginal } from '#domain/credits/reversal-locks.ts'
import { type ReversalAnswer, takeReversal } from '#domain/credits/reverse-credit.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { CreditId, StatementLineId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import { type Kobo, kobo } from '#money.ts'
import { bookShortfall } from './book-charge.ts'
import { type Difference, readLine, type StatementRow } from './locked-differences.ts'
import { insertPair } from './record-resolutions.ts'
import { lineReference } from './statement-credit.ts'

type Deps = { sharedAccounts: SharedAccounts; now: Date; actor: string }

// Returns the booked item.
export async function bookReversal(
  tx: Transaction,
  { sharedAccounts, now, actor }: Deps,
  difference: Difference,
): Promise<{ kind: 'reversal' | 'booked'; id: bigint }> {
  const line = await readLine(tx, difference.lineId as StatementLineId)
  const { bankCode } = line
  const originalSessionId = await findReversed(tx, difference, line)
  const amountKobo = kobo(-difference.amountKobo)
  const sessionId = await nameReversal(tx, line)
  const reversal = { bankCode, sessionId, originalSessionId, amountKobo }
  const locked = await lockOriginal(tx, reversal)
  if (!locked && (await isArchived(tx, reversal))) {
    const { transferId } = await bookShortfall(tx, { sharedAccounts, now, actor }, difference)
    return { kind: 'booked', id: transferId }
  }
  const unmatched = locked && (await findUnmatched(tx, locked.credit.id, amountKobo))
  const reversalId = unmatched ?? (await take(tx, { sharedAccounts, now }, reversal))
  await insertPair(tx, now, {
    lineId: line.id,
    item: { kind: 'reversal', id: reversalId },
    amountKobo: kobo(-amountKobo),
    rule: 'booked',
    matchedBy: actor,
  })
  return { kind: 'reversal', id: reversalId }
}

const REFUSALS: Record<Exclude<ReversalAnswer, 'reversed'>, RefusalCode> = {
  duplicate: 'line_known_otherwise', // Matched to another line.
  session_reused: 'line_known_otherwise',
  original_archived: 'credit_archived',
  original_not_found: 'reversal_not_possible',
  amount_exceeds_original: 'reversal_not_possible',
}

async function take(
  tx: Transaction,
  deps: { sharedAccounts: SharedAccounts; now: Date },
  reversal: Parameters<typeof takeReversal>[2],
): Promise<bigint> {
  const answer = await takeReversal(tx, deps, { ...reversal, isFromStatement: true })
  if (answer !== 'reversed') throw new Refusal(REFUSALS[answer])
  const { rows } = await tx.query<{ id: bigint }>({
    name: 'reversal-by-session',
    text: 'select id from reversals where session_id = $1 and bank_code = $2',
    values: [reversal.sessionId, reversal.bankCode],
  })
  return (rows[0] as { id: bigint }).id
}

const namesOf = ({ sessionId, bankReference, endToEndId }: StatementRow) =>
  [sessionId, bankReference, endToEndId].filter((name) => name !== null)

// By the identifiers of the line, or else by the suggestion.
async function findReversed(
  tx: Transaction,
  { suggestedKind, suggestedId }: Difference,
  line: StatementRow,
): Promise<string> {
  const { bankCode, currency } = line
  const original = await findOriginal(tx, bankCode, { originals: namesOf(line), currency })
  if (original !== undefined) return original
  const suggested = suggestedKind === 'credit' ? suggestedId : null
  const { rows } = await tx.query<{ sessionId: string }>({
    name: 'suggested-credit',
    text: `select session_id as "sessionId" from all_credits
            where id = $1 and bank_code = $2 and currency = $3`,
    values: [suggested, bankCode, currency],
  })
  if (!rows[0]) throw new Refusal('reversal_not_possible')
  return rows[0].sessionId
}

// An identifier that no credit has; always the same for this line.
async function nameReversal(tx: Transaction, line: StatementRow): Promise<string> {
  const names = namesOf(line).filter(isSessionId)
  const { rows } = await tx.query<{ value: string }>({
    name: 'names-of-credits',
    text: `select value from credit_identifiers
            where value = any($1::text[]) and bank_code = $2`,
    values: [names, line.bankCode],
  })
  const ofCredits = new Set(rows.map(({ value }) => value))
  return names.find((name) => !ofCredits.has(name)) ?? lineReference(line)
}

async function findUnmatched(
  tx: Transaction,
  creditId: CreditId,
  amountKobo: Kobo,
): Promise<bigint | undefined> {
  const { rows } = await tx.query<{ id: bigint }>({
    name: 'unmatched-reversal',
    text: `select r.id from reversals r
            where r.credit_id = $1 and r.amount_kobo = $2
              and not exists (select from statement_matches m
                               where m.item_kind = 'reversal' and m.item_id = r.id)
            order by r.id limit 1`,
    values: [creditId, amountKobo],
  })
  return rows[0]?.id
}
