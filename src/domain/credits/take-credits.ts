// Takes credits into the books. One transaction for a whole batch:
//   lock   the owners of the numbers, and find known identifiers;
//   decide in memory, purely (decide-credits.ts);
//   write  set-wise: identifiers, credits, transfers, payments, suspense, events, alerts,
//          all or none.
//
// I12: a credit is taken exactly once. If two processes take one at the same moment, the constraint
// credits_taken_once fails the second, which runs again and finds a duplicate.
//
// Locks: payments in id order, then collection accounts in id order; then identifiers, in the order
// of their key; shared ledger accounts and the client's event counter come last, inside the write.

import { bytesArray, numberArray, plainArray, textArray } from '#db/arrays.ts'
import { PipelinedCommit, pipeline, type Transaction } from '#db/transaction.ts'
import { LIMIT_JOINS, LIMITS } from '#domain/accounts/account-limits.ts'
import { payerHasher } from '#domain/accounts/payer-rules.ts'
import { receivedToday } from '#domain/accounts/received-today.ts'
import { insertFees } from '#domain/fees/credit-fees.ts'
import { readRules } from '#domain/fees/fee-rules.ts'
import { raiseAlerts } from '#domain/records/alerts.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { insertShares } from '#domain/splits/credit-splits.ts'
import { readSplits } from '#domain/splits/splits.ts'
import type { AccountId, CreditId, FeeRuleId, SplitId } from '#ids.ts'
import {
  bankOwner,
  clientOwner,
  type SharedAccount,
  type SharedAccounts,
} from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { chargesOf } from './bank-charges.ts'
import { findTaken, insertIdentifiers } from './credit-identifiers.ts'
import { type CreditResult, type CreditRow, decideCredits, type Plan } from './decide-credits.ts'
import {
  type CollectionTarget,
  findTarget,
  type IncomingCredit,
  type IssuedNumber,
} from './judge-credit.ts'
import { ACCOUNT_RULE, ruleOfPayment } from './owner-rules.ts'
import {
  findHoldings,
  findReopenable,
  lockPaymentsByNumber,
  reopenPayment,
  updatePayments,
} from './payment-balances.ts'
import { deductionAccounts } from './settle-payment.ts'
import { insertSuspense } from './suspense-items.ts'

type Deps = {
  sealer: Sealer
  sharedAccounts: SharedAccounts
  bankTimeMaxAgeMs: number
  now: Date
}

// Answers in order. Nothing is answered before the caller has committed.
export async function takeCredits(
  tx: Transaction,
  { sealer, sharedAccounts, bankTimeMaxAgeMs, now }: Deps,
  credits: readonly IncomingCredit[],
): Promise<PipelinedCommit<CreditResult[]>> {
  const { numbers, taken, creditIds } = await lockAndRead(tx, now, credits)
  await sharedAccounts.open(accountsNeeded(credits, numbers))
  const plan = decideCredits(credits, {
    numbers,
    taken,
    creditIds,
    accountId: (account) => sharedAccounts.id(account),
    hashPayer: payerHasher(sealer),
    bankTimeMaxAgeMs,
    now,
  })
  // Told with the rest. Nearly always there are none, and then nothing is asked or waited for.
  if (plan.alerts.length > 0) plan.events.push(...(await raiseAlerts(tx, now, plan.alerts)))
  for (const { paymentId } of plan.reopened) await reopenPayment(tx, now, paymentId)
  return new PipelinedCommit(plan.answers, write(tx, { sealer, now, plan }))
}

async function lockAndRead(tx: Transaction, now: Date, credits: readonly IncomingCredit[]) {
  const accountNumbers = [...new Set(credits.map((credit) => credit.accountNumber))]
  const [byNumber, accounts, taken, ids] = await pipeline([
    lockPaymentsByNumber(tx, now, accountNumbers),
    lockCollectionAccounts(tx, now, accountNumbers),
    findTaken(tx, credits),
    tx.query<{ id: CreditId }>({
      name: 'credit-ids',
      text: `select nextval('credit_ids') as id from generate_series(1, $1::int)`,
      values: [credits.length],
    }),
  ])
  const numbers = new Map<string, IssuedNumber>(byNumber)
  const payments = new Set([...byNumber.values()].map(({ target }) => target))
  const owners = [...byNumber.values(), ...accounts.rows]
  const [rules, splits] = await pipeline([
    readRules(
      tx,
      owners.map(({ feeRuleId }) => feeRuleId),
    ),
    readSplits(
      tx,
      owners.map(({ splitId }) => splitId),
    ),
  ])
  const termsOf = ({ feeRuleId, splitId }: Pick<AccountRow, 'feeRuleId' | 'splitId'>) => ({
    feeRule: (feeRuleId === null ? undefined : rules.get(feeRuleId)) ?? null,
    split: (splitId === null ? undefined : splits.get(splitId)) ?? null,
  })
  for (const { target, ...ids } of byNumber.values()) {
    const { feeRule, split } = termsOf(ids)
    target.feeRule = ruleOfPayment(target, feeRule)
    target.split = split
  }
  await findHoldings(tx, payments)
  await findReopenable(tx, now, payments)
  const today = await receivedToday(tx, now, accounts.rows)
  // Two numbers of one account share one target, so that each sees what the other was credited.
  const targets = new Map<AccountId, CollectionTarget>()
  for (const { accountNumber, bankCode, creditedKobo: _, ...row } of accounts.rows) {
    const { feeRuleId, splitId, ...account } = row
    const { collectionAccountId: id } = account
    const todayKobo = today.get(id) ?? kobo(0n)
    const terms = termsOf({ feeRuleId, splitId })
    const target = targets.get(id) ?? { kind: 'collection', ...account, todayKobo, ...terms }
    targets.set(id, target)
    numbers.set(accountNumber, { bankCode, target })
  }
  return { numbers, taken, creditIds: ids.rows.map((row) => row.id) }
}

type AccountRow = Omit<CollectionTarget, 'kind' | 'todayKobo' | 'feeRule' | 'split'> & {
  feeRuleId: FeeRuleId | null
  splitId: SplitId | null
  accountNumber: string
  bankCode: string
  creditedKobo: Kobo | null // Ever; only where there is a limit per day.
}

// Plain joins of tables only: a row that was waited for is judged again by what the statement joins,
// and out of a union of two look-ups (which reads a quarter less) all but the first were gone.
function lockCollectionAccounts(tx: Transaction, now: Date, numbers: readonly string[]) {
  return tx.query<AccountRow>({
    name: 'lock-collection-accounts-by-number',
    text: `select n.account_number as "accountNumber", n.bank_code as "bankCode",
                  a.client_id as "clientId",
                  a.id as "collectionAccountId", a.is_active as "isActive",
                  a.currency_code as currency, l.credits_kobo - l.debits_kobo as "balanceKobo",
                  a.payer_rules as "payerRules",
                  ${LIMITS.perCredit} as "perCreditKobo", ${LIMITS.perDay} as "perDayKobo",
                  ${LIMITS.balanceMax} as "balanceMaxKobo",
                  case when ${LIMITS.perDay} is not null then l.credits_kobo end
                  as "creditedKobo", ${ACCOUNT_RULE} as "feeRuleId", a.split_id as "splitId"
             from numbers n
             join collection_accounts a on a.id = n.collection_account_id
             join ledger_accounts l on l.id = a.id
             ${LIMIT_JOINS}
            where n.account_number = any($1::text[])
            order by l.id
              for no key update of l`,
    values: [plainArray(numbers), now],
  })
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
    insertCredits(tx, { sealer, now, rows: plan.credits }),
    postTransfers(tx, now, plan.transfers),
    insertFees(tx, now, plan.fees),
    insertShares(tx, now, plan.shares),
    updatePayments(tx, now, [...plan.payments]),
    insertSuspense(tx, now, plan.suspense),
    appendEvents(tx, now, plan.events),
  ]
}

async function insertCredits(
  tx: Transaction,
  { sealer, now, rows }: { sealer: Sealer; now: Date; rows: readonly CreditRow[] },
): Promise<void> {
  if (rows.length === 0) return
  await tx.query({
    name: 'insert-credits',
    text: `insert into credits
             (id, bank_code, session_id, account_number, client_id, collection_account_id,
              payment_id, amount_kobo, suspended_kobo, currency, outcome, reason,
              source_account_sealed, source_account_name, source_bank_code, narration,
              transacted_at, judged_by, transacted_on, identified_by, source, fee_kobo, vat_kobo,
              duty_kobo, received_at)
           select c.*, $25
             from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[],
                         $6::bigint[], $7::uuid[], $8::bigint[], $9::bigint[], $10::text[],
                         $11::text[], $12::text[], $13::bytea[], $14::text[], $15::text[],
                         $16::text[], $17::timestamptz[], $18::text[], $19::date[],
                         $20::text[], $21::text[], $22::bigint[], $23::bigint[],
                         $24::bigint[]) as c`,
    values: [
      numberArray(rows.map((row) => row.creditId)),
      plainArray(rows.map((row) => row.credit.bankCode)),
      textArray(rows.map((row) => row.credit.sessionId)),
      plainArray(rows.map((row) => row.credit.accountNumber)),
      numberArray(rows.map((row) => row.target?.clientId ?? null)),
      numberArray(
        rows.map(({ target }) =>
          target?.kind === 'collection' ? target.collectionAccountId : null,
        ),
      ),
      plainArray(rows.map(({ target }) => (target?.kind === 'payment' ? target.paymentId : null))),
      numberArray(rows.map((row) => row.credit.amountKobo)),
      numberArray(rows.map((row) => row.suspendedKobo)),
      plainArray(rows.map((row) => row.credit.currency)),
      plainArray(rows.map((row) => row.outcome)),
      plainArray(rows.map((row) => row.reason)),
      bytesArray(
        rows.map(({ credit }) =>
          credit.sourceAccountNumber === null ? null : sealer.seal(credit.sourceAccountNumber),
        ),
      ),
      textArray(rows.map((row) => row.credit.sourceAccountName)),
      textArray(rows.map((row) => row.credit.sourceBankCode)),
      textArray(rows.map((row) => row.credit.narration)),
      plainArray(rows.map((row) => row.credit.transactionTime?.toISOString() ?? null)),
      plainArray(rows.map((row) => row.judgedBy)),
      plainArray(rows.map((row) => row.credit.transactionDate ?? null)),
      plainArray(rows.map((row) => row.credit.identifiedBy ?? 'session_id')),
      plainArray(rows.map((row) => row.credit.source ?? 'notification')),
      numberArray(rows.map((row) => row.credit.charges?.feeKobo ?? 0n)),
      numberArray(rows.map((row) => row.credit.charges?.vatKobo ?? 0n)),
      numberArray(rows.map((row) => row.credit.charges?.dutyKobo ?? 0n)),
      now,
    ],
  })
}
