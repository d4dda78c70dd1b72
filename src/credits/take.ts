// Takes credits into the books. One transaction for a whole batch:
//   lock   the owners of the numbers, and find known identifiers;
//   decide in memory, without queries (decide.ts);
//   write  in sets: identifiers, credits, transfers, payments, suspense, events, alerts,
//          all or none.
//
// I12: a credit is taken exactly once. If two processes take it at the same moment, the constraint
// credits_taken_once fails the second, which runs again and finds a duplicate.
//
// Locks: payments in id order, then collection accounts in id order; then identifiers in key order;
// shared ledger accounts and the client's event counter come last, inside the write.

import { HAS_PROFILES, PLAIN_LIMITS, readLimits } from '#accounts/limits.ts'
import { payerHasher } from '#accounts/payer-rules.ts'
import { receivedToday } from '#accounts/received-today.ts'
import type { BankCharges } from '#banks/notifications.ts'
import { writeMark } from '#db/pool.ts'
import { PipelinedCommit, pipeline, type Transaction } from '#db/transaction.ts'
import { insertFees } from '#fees/charges.ts'
import { findMerchantRules, HAS_RULES, merchantName, readRules } from '#fees/rules.ts'
import {
  bytea,
  CopyTarget,
  date,
  int8,
  text,
  texts,
  timestamptz,
  uuid,
} from '#hot-path/copy-rows.ts'
import type { AccountId, CreditId, SplitId } from '#ids.ts'
import {
  bankOwner,
  clientOwner,
  type SharedAccount,
  type SharedAccounts,
} from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'
import { updatePayments } from '#payments/states.ts'
import { raiseAlerts } from '#records/alerts.ts'
import { appendEvents, traceNames } from '#records/events.ts'
import type { Sealer } from '#seal.ts'
import { insertShares } from '#splits/shares.ts'
import { readSplits } from '#splits/split.ts'
import { nameTraced } from '#trace-context.ts'
import {
  lockPaymentsByNumber,
  type NumberOfPayment,
  reopenPayment,
  ruleOfPayment,
  setIsReused,
  setMayReopen,
  setPending,
} from './balances.ts'
import { type CreditResult, type CreditRow, chargesOf, decideCredits, type Plan } from './decide.ts'
import {
  type BankIdentifier,
  findKnownCredits,
  identifiersOf,
  insertIdentifiers,
} from './identifiers.ts'
import {
  type CollectionTarget,
  findTarget,
  type IncomingCredit,
  type IssuedNumber,
  isBeforeLease,
} from './judge.ts'
import { deductionAccounts } from './settle.ts'
import { insertSuspense } from './suspense-items.ts'

// The statement that locks collection accounts also reads their limits, fee rule and split, and whether any
// limit profiles or fee rules exist. If none exist, no further query looks for them.

// A locked collection account, found by one of its numbers.
type AccountRow = Omit<CollectionTarget, 'kind' | 'todayKobo' | 'feeRule' | 'split'> & {
  splitId: SplitId | null
  accountNumber: string
  bankCode: string
  creditedKobo: Kobo // The total ever received.
  merchantCode: string | null // Null if there are no fee rules.
  hasProfiles: boolean // Whether any limit profile exists: the same in every row.
}

// Locks collection accounts in id order. Joins only tables: after waiting for a row, PostgreSQL checks the
// row again by the joins of the statement. A union of two look-ups would read a quarter less, but that check
// would then drop every row except the first. The values are as of the start of the statement: a change made
// during the wait applies from the next credit on (an erasure looks for such credits again,
// privacy/erasure.ts).
async function lockCollectionAccounts(
  tx: Transaction,
  numbers: readonly string[],
): Promise<AccountRow[]> {
  const { rows } = await tx.query<AccountRow>({
    name: 'lock-collection-accounts-by-number',
    text: `select n.account_number, n.bank_code, a.client_id, a.id as collection_account_id,
                  a.is_active,
                  a.currency_code as currency, l.credits_kobo - l.debits_kobo as balance_kobo,
                  l.credits_kobo as credited_kobo, a.payer_rules, a.split_id,
                  ${PLAIN_LIMITS.perCredit} as per_credit_kobo,
                  ${PLAIN_LIMITS.perDay} as per_day_kobo,
                  ${PLAIN_LIMITS.balanceMax} as balance_max_kobo,
                  ${HAS_PROFILES} as has_profiles,
                  case when ${HAS_RULES} then a.merchant_code end as merchant_code
             from numbers n
             join collection_accounts a on a.id = n.collection_account_id
             join ledger_accounts l on l.id = a.id
            where n.account_number = any($1::text[])
            order by l.id
              for no key update of l`,
    values: [texts(numbers, (number) => number)],
  })
  return rows
}

// Returns the targets of credits to collection accounts, by account id. Two numbers of one account share one
// target, so that each sees the other's credits. The caller has locked the accounts.
async function findTargets(
  tx: Transaction,
  now: Date,
  accounts: readonly AccountRow[],
): Promise<ReadonlyMap<AccountId, CollectionTarget>> {
  const [accountsWithLimits, rules, splits] = await pipeline([
    withProfiles(tx, accounts),
    findMerchantRules(tx, now, accounts.filter(isChargeable)),
    readSplits(
      tx,
      accounts.map(({ splitId }) => splitId),
    ),
  ])
  const receivedKobo = await receivedToday(tx, now, accountsWithLimits)
  const targets = new Map<AccountId, CollectionTarget>()
  for (const account of accountsWithLimits) {
    const { collectionAccountId } = account
    if (targets.has(collectionAccountId)) continue
    targets.set(collectionAccountId, {
      kind: 'collection',
      clientId: account.clientId,
      collectionAccountId,
      isActive: account.isActive,
      currency: account.currency,
      balanceKobo: account.balanceKobo,
      payerRules: account.payerRules,
      perCreditKobo: account.perCreditKobo,
      perDayKobo: account.perDayKobo,
      balanceMaxKobo: account.balanceMaxKobo,
      todayKobo: receivedKobo.get(collectionAccountId) ?? kobo(0n),
      feeRule: (isChargeable(account) && rules.get(merchantName(account))) || null,
      split: (account.splitId !== null && splits.get(account.splitId)) || null,
    })
  }
  return targets
}

// Returns whether the account may have a fee: there are fee rules (see AccountRow).
function isChargeable<T extends AccountRow>(account: T): account is T & { merchantCode: string } {
  return account.merchantCode !== null
}

// Replaces the limits of the accounts by those of their limit profiles, if any profile exists. Reads them
// after the lock, so that a changed profile applies from its commit on.
async function withProfiles(
  tx: Transaction,
  accounts: readonly AccountRow[],
): Promise<readonly AccountRow[]> {
  if (!accounts[0]?.hasProfiles) return accounts
  const limits = await readLimits(
    tx,
    accounts.map((account) => account.collectionAccountId),
  )
  return accounts.map((account) => ({ ...account, ...limits.get(account.collectionAccountId) }))
}

// The values that all rows of a batch share.
type CommonValues = { sealer: Sealer; now: Date }

const NO_CHARGE = kobo(0n)

const CREDITS = new CopyTarget<CreditRow, CommonValues>('credits', {
  id: int8(({ creditId }) => creditId),
  session_id: text(({ credit }) => credit.sessionId),
  account_number: text(({ credit }) => credit.accountNumber),
  client_id: int8(({ target }) => target?.clientId ?? null),
  collection_account_id: int8(({ target }) =>
    target?.kind === 'collection' ? target.collectionAccountId : null,
  ),
  payment_id: uuid(({ target }) => (target?.kind === 'payment' ? target.paymentId : null)),
  amount_kobo: int8(({ credit }) => credit.amountKobo),
  reason: text(({ reason }) => reason),
  source_account_sealed: bytea(sealPayer),
  source_account_name: text(({ credit }) => credit.sourceAccountName),
  source_bank_code: text(({ credit }) => credit.sourceBankCode),
  narration: text(({ credit }) => credit.narration),
  transacted_at: timestamptz(({ credit }) => credit.transactionTime),
  judged_by: text(({ judgedBy }) => judgedBy),
  transacted_on: date(({ credit }) => credit.transactionDate ?? null),
  bank_code: text(({ credit }) => credit.bankCode),
  currency: text(({ credit }) => credit.currency),
  outcome: text(({ outcome }) => outcome),
  suspended_kobo: int8(({ suspendedKobo }) => suspendedKobo),
  identified_by: text(({ credit }) => credit.identifiedBy ?? 'session_id'),
  source: text(({ credit }) => credit.source ?? 'notification'),
  fee_kobo: chargeColumn(({ feeKobo }) => feeKobo),
  vat_kobo: chargeColumn(({ vatKobo }) => vatKobo),
  duty_kobo: chargeColumn(({ dutyKobo }) => dutyKobo),
  received_at: timestamptz((_, { now }) => now),
})

// The column of one kind of bank charge. Zero if the bank reported no charges.
function chargeColumn(amountOf: (charges: BankCharges) => Kobo) {
  return int8(({ credit }: CreditRow) => (credit.charges ? amountOf(credit.charges) : NO_CHARGE))
}

function sealPayer({ credit: { sourceAccountNumber } }: CreditRow, { sealer }: CommonValues) {
  return sourceAccountNumber === null ? null : sealer.seal(sourceAccountNumber)
}

// Inserts credits by binary COPY. The payer's account number is encrypted.
export function insertCredits(
  tx: Transaction,
  values: CommonValues,
  rows: readonly CreditRow[],
): Promise<void> {
  return CREDITS.insert(tx, rows, values)
}

type Deps = {
  sealer: Sealer
  sharedAccounts: SharedAccounts
  bankTimeMaxAgeMs: number
  suspiciousKobo: Kobo
  now: Date
}

// Takes a batch of credits. Returns one result for each credit, in the same order, and the last statements of
// the transaction, which are sent together with its commit (PipelinedCommit). The caller must commit before
// it answers the bank. nameTraced() lets later code find the span of a request by the id of its credit.
export async function takeCredits(
  tx: Transaction,
  { sealer, sharedAccounts, bankTimeMaxAgeMs, suspiciousKobo, now }: Deps,
  credits: readonly IncomingCredit[],
): Promise<PipelinedCommit<CreditResult[]>> {
  const identifiers = credits.map(identifiersOf)
  const { numbers, byIdentifier, creditIds } = await lockAndRead(tx, now, { credits, identifiers })
  nameTraced(credits, (index) => traceNames.credit(creditIds[index] as CreditId))
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
  // Nearly always there are no alerts, and no round trip is needed.
  if (plan.alerts.length > 0) plan.events.push(...(await raiseAlerts(tx, now, plan.alerts)))
  for (const { paymentId } of plan.reopened) await reopenPayment(tx, now, paymentId)
  return new PipelinedCommit(plan.answers, writePlan(tx, { sealer, now, plan }))
}

type Batch = {
  credits: readonly IncomingCredit[]
  identifiers: readonly (readonly BankIdentifier[])[] // For each credit.
}

// Locks the owners of the account numbers, and reads everything that the decisions depend on: terms and
// holdings of the owners, known identifiers, and ids for the new credits. An owner (`target`) is a payment or
// a collection account.
async function lockAndRead(tx: Transaction, now: Date, { credits, identifiers }: Batch) {
  const accountNumbers = [...new Set(credits.map((credit) => credit.accountNumber))]
  const [paymentsByNumber, accounts, byIdentifier, creditIds] = await pipeline([
    lockPaymentsByNumber(tx, now, accountNumbers),
    lockCollectionAccounts(tx, accountNumbers),
    findKnownCredits(tx, identifiers.flat()),
    drawCreditIds(tx, credits.length),
  ])
  const numbers = new Map<string, IssuedNumber>(paymentsByNumber)
  const payments = new Set([...paymentsByNumber.values()].map(({ target }) => target))
  const paymentNumbers = [...paymentsByNumber.values()]
  const [rules, splits, targets] = await pipeline([
    readRules(
      tx,
      paymentNumbers.map(({ feeRuleId }) => feeRuleId),
    ),
    readSplits(
      tx,
      paymentNumbers.map(({ splitId }) => splitId),
    ),
    findTargets(tx, now, accounts),
  ])
  for (const { target, feeRuleId, splitId } of paymentNumbers) {
    target.feeRule = ruleOfPayment(target, (feeRuleId !== null && rules.get(feeRuleId)) || null)
    target.split = (splitId !== null && splits.get(splitId)) || null
  }
  const numbersPaidBeforeLease = new Map<string, NumberOfPayment>()
  for (const credit of credits) {
    const number = paymentsByNumber.get(credit.accountNumber)
    if (number && isBeforeLease(credit, number.target))
      numbersPaidBeforeLease.set(credit.accountNumber, number)
  }
  // These functions return nothing: they fill in fields of the numbers and of the payments.
  await setIsReused(tx, numbersPaidBeforeLease)
  await setPending(tx, payments)
  await setMayReopen(tx, now, payments)
  for (const { accountNumber, bankCode, collectionAccountId } of accounts) {
    const target = targets.get(collectionAccountId) as CollectionTarget
    numbers.set(accountNumber, { bankCode, target })
  }
  return { numbers, byIdentifier, creditIds }
}

// Draws the ids of the new credits, all as one row. A thousand rows of one id each would cost the service and
// the database more than drawing the ids.
async function drawCreditIds(tx: Transaction, count: number): Promise<CreditId[]> {
  const { rows } = await tx.query<{ ids: string }>({
    name: 'credit-ids',
    text: `select string_agg(nextval('credit_ids')::text, ',') as ids
             from generate_series(1, $1::int)`,
    values: [count],
  })
  return (rows[0]?.ids ?? '').split(',').map((id) => BigInt(id) as CreditId)
}

// Returns the shared ledger accounts that these credits may move money on, each once. They are opened before
// the decisions, which are made without queries.
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

// Issues the statements that write the plan. They are sent together with the commit. If every credit of the
// batch is a duplicate, writeMark() makes the commit wait for the standby all the same.
function writePlan(
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
    ...(plan.credits.length === 0 ? [writeMark(tx)] : []), // Every credit is a duplicate.
  ]
}
