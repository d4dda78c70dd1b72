// Takes credits into the books. One transaction for a whole batch:
//   lock   the owners of the numbers, and find known identifiers;
//   decide in memory, purely (decide-credits.ts);
//   write  in sets: identifiers, credits, transfers, payments, suspense, events, alerts,
//          all or none.
//
// I12: a credit is taken exactly once. If two processes take it at the same moment, the constraint
// credits_taken_once fails the second, which runs again and finds a duplicate.
//
// Locks: payments in id order, then collection accounts in id order; then identifiers in key order;
// shared ledger accounts and the client's event counter come last, inside the write.

import { PipelinedCommit, pipeline, type Transaction } from '#db/transaction.ts'
import { writeMark } from '#db/unconfirmed-commits.ts'
import { payerHasher } from '#domain/accounts/payer-rules.ts'
import { insertFees } from '#domain/fees/credit-fees.ts'
import { readRules } from '#domain/fees/fee-rules.ts'
import { raiseAlerts } from '#domain/records/alerts.ts'
import { traceNames } from '#domain/records/event-traces.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { insertShares } from '#domain/splits/credit-splits.ts'
import { readSplits } from '#domain/splits/splits.ts'
import type { CreditId } from '#ids.ts'
import {
  bankOwner,
  clientOwner,
  type SharedAccount,
  type SharedAccounts,
} from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import type { Kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { nameTraced } from '#trace-context.ts'
import { chargesOf } from './bank-charges.ts'
import { findKnownCredits, insertIdentifiers } from './credit-identifiers.ts'
import { type CreditResult, decideCredits, type Plan } from './decide-credits.ts'
import { insertCredits } from './insert-credits.ts'
import {
  type CollectionTarget,
  findTarget,
  type IncomingCredit,
  type IssuedNumber,
  isBeforeLease,
} from './judge-credit.ts'
import { type BankIdentifier, identifiersOf } from './known-credits.ts'
import { findTargets, lockCollectionAccounts } from './lock-collection-accounts.ts'
import { ruleOfPayment } from './owner-rules.ts'
import {
  findHoldings,
  findReopenable,
  findReused,
  lockPaymentsByNumber,
  type NumberOfPayment,
  reopenPayment,
  updatePayments,
} from './payment-balances.ts'
import { deductionAccounts } from './settle-payment.ts'
import { insertSuspense } from './suspense-items.ts'

type Deps = {
  sealer: Sealer
  sharedAccounts: SharedAccounts
  bankTimeMaxAgeMs: number
  suspiciousKobo: Kobo
  now: Date
}

// Results are in order. The caller must commit before it answers the bank.
export async function takeCredits(
  tx: Transaction,
  { sealer, sharedAccounts, bankTimeMaxAgeMs, suspiciousKobo, now }: Deps,
  credits: readonly IncomingCredit[],
): Promise<PipelinedCommit<CreditResult[]>> {
  const identifiers = credits.map(identifiersOf)
  const { numbers, byIdentifier, creditIds } = await lockAndRead(tx, now, { credits, identifiers })
  nameTraced(credits, (at) => traceNames.credit(creditIds[at] as CreditId))
  await sharedAccounts.open(accountsNeeded(credits, numbers))
  const plan = decideCredits(credits, {
    identifiers,
    numbers,
    byIdentifier,
    creditIds,
    accountId: (account) => sharedAccounts.id(account),
    hashPayer: payerHasher(sealer),
    bankTimeMaxAgeMs,
    suspiciousKobo,
    now,
  })
  // Nearly always there are none, and this takes no round trip.
  if (plan.alerts.length > 0) plan.events.push(...(await raiseAlerts(tx, now, plan.alerts)))
  for (const { paymentId } of plan.reopened) await reopenPayment(tx, now, paymentId)
  return new PipelinedCommit(plan.answers, write(tx, { sealer, now, plan }))
}

type Batch = {
  credits: readonly IncomingCredit[]
  identifiers: readonly (readonly BankIdentifier[])[] // For each credit.
}

async function lockAndRead(tx: Transaction, now: Date, { credits, identifiers }: Batch) {
  const accountNumbers = [...new Set(credits.map((credit) => credit.accountNumber))]
  const [byNumber, accounts, byIdentifier, creditIds] = await pipeline([
    lockPaymentsByNumber(tx, now, accountNumbers),
    lockCollectionAccounts(tx, accountNumbers),
    findKnownCredits(tx, identifiers.flat()),
    drawCreditIds(tx, credits.length),
  ])
  const numbers = new Map<string, IssuedNumber>(byNumber)
  const payments = new Set([...byNumber.values()].map(({ target }) => target))
  const owned = [...byNumber.values()]
  const [rules, splits, targets] = await pipeline([
    readRules(
      tx,
      owned.map(({ feeRuleId }) => feeRuleId),
    ),
    readSplits(
      tx,
      owned.map(({ splitId }) => splitId),
    ),
    findTargets(tx, now, accounts),
  ])
  for (const { target, feeRuleId, splitId } of owned) {
    target.feeRule = ruleOfPayment(target, (feeRuleId !== null && rules.get(feeRuleId)) || null)
    target.split = (splitId !== null && splits.get(splitId)) || null
  }
  const older = new Map<string, NumberOfPayment>()
  for (const credit of credits) {
    const number = byNumber.get(credit.accountNumber)
    if (number && isBeforeLease(credit, number.target)) older.set(credit.accountNumber, number)
  }
  await findReused(tx, older)
  await findHoldings(tx, payments)
  await findReopenable(tx, now, payments)
  for (const { accountNumber, bankCode, collectionAccountId } of accounts) {
    const target = targets.get(collectionAccountId) as CollectionTarget
    numbers.set(accountNumber, { bankCode, target })
  }
  return { numbers, byIdentifier, creditIds }
}

// In one row: a thousand rows of one number each would cost both sides more than the numbers.
async function drawCreditIds(tx: Transaction, count: number): Promise<CreditId[]> {
  const { rows } = await tx.query<{ ids: string }>({
    name: 'credit-ids',
    text: `select string_agg(nextval('credit_ids')::text, ',') as ids
             from generate_series(1, $1::int)`,
    values: [count],
  })
  return (rows[0]?.ids ?? '').split(',').map((id) => BigInt(id) as CreditId)
}

function accountsNeeded(
  credits: readonly IncomingCredit[],
  numbers: ReadonlyMap<string, IssuedNumber>,
): SharedAccount[] {
  const needed = new Map<string, SharedAccount>()
  const need = (kind: SharedAccount['kind'], owner: string, currency: string) =>
    needed.set(`${kind}/${owner}/${currency}`, { kind, owner, currency })
  for (const credit of credits) {
    const { accountNumber, bankCode, currency } = credit
    need('bank', bankOwner(bankCode), currency)
    for (const { kind } of chargesOf(credit)) need(kind, bankOwner(bankCode), currency)
    const target = findTarget(credit, numbers.get(accountNumber))
    const owner = target ? clientOwner(target.clientId) : bankOwner(bankCode)
    need('suspense', owner, currency)
    if (target?.kind === 'payment') {
      need('pending', owner, currency)
      need('available', owner, currency)
    }
    if (!target) continue
    for (const account of deductionAccounts(target)) {
      need(account.kind, account.owner, account.currency)
    }
  }
  return [...needed.values()]
}

function write(
  tx: Transaction,
  { sealer, now, plan }: { sealer: Sealer; now: Date; plan: Plan },
): Promise<void>[] {
  return [
    insertIdentifiers(tx, plan.identifiers),
    insertCredits(tx, { sealer, now }, plan.credits),
    postTransfers(tx, now, plan.transfers),
    insertFees(tx, now, plan.fees),
    insertShares(tx, now, plan.shares),
    updatePayments(tx, now, [...plan.payments]),
    insertSuspense(tx, now, plan.suspense),
    appendEvents(tx, now, plan.events),
    ...(plan.credits.length === 0 ? [writeMark(tx)] : []), // All are duplicates.
  ]
}
