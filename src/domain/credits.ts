// Taking credits: the way of money into the books. One transaction for a whole batch:
//   lock   what the numbers belong to, and find the session ids that were taken before;
//   decide purely, in memory (credit-decisions.ts);
//   write  set-wise: credits, transfers, payments, suspense, events, alerts, all or none.
//
// I12: a credit is taken exactly once. Should two processes take one at the same moment, the
// constraint credits_taken_once fails the second, which runs again and finds a duplicate.
//
// Locks: payments in id order, then collection accounts in id order; shared ledger accounts and
// the client's event counter come last, inside the write.

import { numberArray } from '#db/arrays.ts'
import { all, type Transaction } from '#db/transaction.ts'
import {
  bankOwner,
  clientOwner,
  type SharedAccount,
  type SharedAccounts,
} from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import type { Sealer } from '#seal.ts'
import { raiseAlerts } from './alerts.ts'
import {
  type Answer,
  type CreditRow,
  decideCredits,
  type KnownCredit,
  type Plan,
  type SuspenseRow,
  sessionName,
} from './credit-decisions.ts'
import type { CollectionTarget, IncomingCredit, PaymentTarget, Target } from './credit-judgement.ts'
import { appendEvents } from './events.ts'

type Deps = { sealer: Sealer; sharedAccounts: SharedAccounts; now: Date }

// Answers in order. Nothing is answered before the caller has committed.
export async function takeCredits(
  tx: Transaction,
  { sealer, sharedAccounts, now }: Deps,
  credits: readonly IncomingCredit[],
): Promise<Answer[]> {
  const { targets, taken, creditIds } = await lockAndRead(tx, credits)
  await sharedAccounts.open(accountsNeeded(credits, targets))
  const plan = decideCredits(credits, {
    targets,
    taken,
    creditIds,
    accountId: (account) => sharedAccounts.id(account),
    now,
  })
  await write(tx, sealer, now, plan)
  return plan.answers
}

async function lockAndRead(tx: Transaction, credits: readonly IncomingCredit[]) {
  const numbers = [...new Set(credits.map((credit) => credit.accountNumber))]
  const [payments, accounts, earlier, ids] = await all([
    lockPayments(tx, numbers),
    lockCollectionAccounts(tx, numbers),
    findTaken(tx, credits),
    tx.query<{ id: bigint }>({
      name: 'credit-ids',
      text: `select nextval('credit_ids') as id from generate_series(1, $1::int)`,
      values: [credits.length],
    }),
  ])
  const targets = new Map<string, Target>()
  // Two numbers of one payment share one target, so that each sees what the other brought.
  const byPayment = new Map<string, PaymentTarget>()
  for (const { accountNumber, ...payment } of payments.rows) {
    const target = byPayment.get(payment.paymentId) ?? { kind: 'payment', ...payment }
    byPayment.set(payment.paymentId, target)
    targets.set(accountNumber, target)
  }
  for (const { accountNumber, ...account } of accounts.rows) {
    targets.set(accountNumber, { kind: 'collection', ...account })
  }
  const taken = new Map(earlier.rows.map((row) => [sessionName(row), row]))
  return { targets, taken, creditIds: ids.rows.map((row) => row.id) }
}

export function lockPayments(tx: Transaction, numbers: readonly string[]) {
  return tx.query<Omit<PaymentTarget, 'kind'> & { accountNumber: string }>({
    name: 'lock-payments-by-number',
    text: `select n.account_number as "accountNumber", p.client_id as "clientId",
                  p.id as "paymentId", p.status, p.amount_kobo as "amountKobo",
                  p.amount_paid_kobo as "amountPaidKobo", p.amount_policy as "amountPolicy",
                  a.currency, p.closes_at as "closesAt", a.payer_rules as "payerRules"
             from numbers n
             join payments p on p.id = n.payment_id
             join advices a on a.id = p.advice_id
            where n.account_number = any($1::text[])
            order by p.id
              for no key update of p`,
    values: [numbers],
  })
}

function lockCollectionAccounts(tx: Transaction, numbers: readonly string[]) {
  return tx.query<Omit<CollectionTarget, 'kind'> & { accountNumber: string }>({
    name: 'lock-collection-accounts-by-number',
    text: `select n.account_number as "accountNumber", a.client_id as "clientId",
                  a.id as "collectionAccountId", a.is_active as "isActive",
                  a.currency_code as currency, l.credits_kobo - l.debits_kobo as "balanceKobo",
                  a.payer_rules as "payerRules"
             from numbers n
             join collection_accounts a on a.id = n.collection_account_id
             join ledger_accounts l on l.id = a.id
            where n.account_number = any($1::text[])
            order by l.id
              for no key update of l`,
    values: [numbers],
  })
}

function findTaken(tx: Transaction, credits: readonly IncomingCredit[]) {
  return tx.query<KnownCredit & { bankCode: string; sessionId: string }>({
    name: 'find-taken-credits',
    text: `select c.id as "creditId", c.bank_code as "bankCode", c.session_id as "sessionId",
                  c.account_number as "accountNumber", c.amount_kobo as "amountKobo", c.currency,
                  case when c.suspended_kobo < c.amount_kobo then 'booked' else 'suspended' end
                    as outcome,
                  c.reason, c.suspended_kobo as "suspendedKobo"
             from unnest($1::text[], $2::text[]) as s (session_id, bank_code)
             join credits c on c.session_id = s.session_id and c.bank_code = s.bank_code`,
    values: [credits.map((credit) => credit.sessionId), credits.map((credit) => credit.bankCode)],
  })
}

function accountsNeeded(
  credits: readonly IncomingCredit[],
  targets: ReadonlyMap<string, Target>,
): SharedAccount[] {
  const needed = new Map<string, SharedAccount>()
  const need = (kind: SharedAccount['kind'], owner: string, currency: string) =>
    needed.set(`${kind}/${owner}/${currency}`, { kind, owner, currency })
  for (const { accountNumber, bankCode, currency } of credits) {
    need('bank', bankOwner(bankCode), currency)
    const target = targets.get(accountNumber)
    const owner = target ? clientOwner(target.clientId) : bankOwner(bankCode)
    need('suspense', owner, currency)
    if (target?.kind === 'payment') {
      need('pending', owner, currency)
      need('settled', owner, currency)
    }
  }
  return [...needed.values()]
}

async function write(tx: Transaction, sealer: Sealer, now: Date, plan: Plan): Promise<void> {
  await all([
    insertCredits(tx, sealer, now, plan.credits),
    postTransfers(tx, now, plan.transfers),
    updatePayments(tx, now, [...plan.payments]),
    insertSuspense(tx, now, plan.suspense),
    appendEvents(tx, now, plan.events),
    raiseAlerts(tx, now, plan.alerts),
  ])
}

async function insertCredits(
  tx: Transaction,
  sealer: Sealer,
  now: Date,
  rows: readonly CreditRow[],
): Promise<void> {
  if (rows.length === 0) return
  await tx.query({
    name: 'insert-credits',
    text: `insert into credits
             (id, bank_code, session_id, account_number, client_id, collection_account_id,
              payment_id, amount_kobo, suspended_kobo, currency, outcome, reason,
              source_account_sealed, source_account_name, source_bank_code, narration,
              transacted_at, received_at)
           select c.*, $18
             from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[],
                         $6::bigint[], $7::uuid[], $8::bigint[], $9::bigint[], $10::text[],
                         $11::text[], $12::text[], $13::bytea[], $14::text[], $15::text[],
                         $16::text[], $17::timestamptz[]) as c`,
    values: [
      numberArray(rows.map((row) => row.creditId)),
      rows.map((row) => row.credit.bankCode),
      rows.map((row) => row.credit.sessionId),
      rows.map((row) => row.credit.accountNumber),
      numberArray(rows.map((row) => row.target?.clientId ?? null)),
      numberArray(
        rows.map(({ target }) =>
          target?.kind === 'collection' ? target.collectionAccountId : null,
        ),
      ),
      rows.map(({ target }) => (target?.kind === 'payment' ? target.paymentId : null)),
      numberArray(rows.map((row) => row.credit.amountKobo)),
      numberArray(rows.map((row) => row.suspendedKobo)),
      rows.map((row) => row.credit.currency),
      rows.map((row) => row.outcome),
      rows.map((row) => row.reason),
      rows.map(({ credit }) =>
        credit.sourceAccountNumber === null ? null : sealer.seal(credit.sourceAccountNumber),
      ),
      rows.map((row) => row.credit.sourceAccountName),
      rows.map((row) => row.credit.sourceBankCode),
      rows.map((row) => row.credit.narration),
      rows.map((row) => row.credit.transactionTime),
      now,
    ],
  })
}

export async function updatePayments(
  tx: Transaction,
  now: Date,
  payments: readonly PaymentTarget[],
): Promise<void> {
  if (payments.length === 0) return
  await tx.query({
    name: 'update-payments',
    text: `update payments p
              set status = u.status, amount_paid_kobo = u.paid, updated_at = $4
             from unnest($1::uuid[], $2::text[], $3::bigint[]) as u (id, status, paid)
            where p.id = u.id`,
    values: [
      payments.map((payment) => payment.paymentId),
      payments.map((payment) => payment.status),
      numberArray(payments.map((payment) => payment.amountPaidKobo)),
      now,
    ],
  })
}

export async function insertSuspense(
  tx: Transaction,
  now: Date,
  rows: readonly SuspenseRow[],
): Promise<void> {
  if (rows.length === 0) return
  await tx.query({
    name: 'insert-suspense',
    text: `insert into suspense_items
             (credit_id, client_id, account_id, amount_kobo, reason, opened_at)
           select s.*, $6
             from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[]) as s`,
    values: [
      numberArray(rows.map((row) => row.creditId)),
      numberArray(rows.map((row) => row.clientId)),
      numberArray(rows.map((row) => row.accountId)),
      numberArray(rows.map((row) => row.amountKobo)),
      rows.map((row) => row.reason),
      now,
    ],
  })
}
