// One credit to a collection account, in one transaction, statement by statement: what group commit
// is measured against. The statements are prepared, and as few as the rows allow.

import type pg from 'pg'
import type { IncomingCredit } from '#domain/credits/judge-credit.ts'
import { type ClientId, type CreditId, timeOrderedId } from '#ids.ts'
import { bankOwner, type SharedAccounts } from '#ledger/accounts.ts'
import type { Kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'

type Deps = { sealer: Sealer; sharedAccounts: SharedAccounts }
type Account = { id: bigint; clientId: ClientId; balanceKobo: Kobo }

export async function takeOneCredit(
  db: pg.Pool,
  { sealer, sharedAccounts }: Deps,
  credit: IncomingCredit,
): Promise<'booked' | 'duplicate'> {
  const bank = { kind: 'bank', owner: bankOwner(credit.bankCode), currency: 'NGN' } as const
  await sharedAccounts.open([bank])
  const client = await db.connect()
  try {
    await client.query('begin')
    const now = new Date()
    const account = await lockAccount(client, credit.accountNumber)
    const creditId = await insertCredit(client, sealer, now, credit, account)
    if (creditId !== undefined) {
      await client.query({
        name: 'transfer',
        text: `insert into transfers (debit_account_id, credit_account_id, amount_kobo, credit_id,
                                      reason, posted_at)
               values ($1, $2, $3, $4, 'credit', $5)`,
        values: [sharedAccounts.id(bank), account.id, credit.amountKobo, creditId, now],
      })
      await appendEvent(client, now, account, creditId, credit.amountKobo)
    }
    await client.query('commit')
    client.release()
    return creditId === undefined ? 'duplicate' : 'booked'
  } catch (error) {
    client.release(true)
    throw error
  }
}

async function lockAccount(client: pg.PoolClient, accountNumber: string): Promise<Account> {
  const { rows } = await client.query<Account>({
    name: 'account',
    text: `select a.id, a.client_id as "clientId", l.credits_kobo - l.debits_kobo as "balanceKobo"
             from numbers n
             join collection_accounts a on a.id = n.collection_account_id
             join ledger_accounts l on l.id = a.id
            where n.account_number = $1
              for no key update of l`,
    values: [accountNumber],
  })
  if (!rows[0]) throw new Error('the bench pays into accounts that exist')
  return rows[0]
}

async function insertCredit(
  client: pg.PoolClient,
  sealer: Sealer,
  now: Date,
  credit: IncomingCredit,
  account: Account,
): Promise<CreditId | undefined> {
  const { rows } = await client.query<{ id: CreditId }>({
    name: 'credit',
    text: `insert into credits
             (bank_code, session_id, account_number, client_id, collection_account_id, amount_kobo,
              currency, outcome, source_account_sealed, source_account_name, source_bank_code,
              narration, transacted_at, received_at)
           values ($1, $2, $3, $4, $5, $6, $7, 'booked', $8, $9, $10, $11, $12, $13)
           on conflict on constraint credits_taken_once do nothing
           returning id`,
    values: [
      credit.bankCode,
      credit.sessionId,
      credit.accountNumber,
      account.clientId,
      account.id,
      credit.amountKobo,
      credit.currency,
      credit.sourceAccountNumber === null ? null : sealer.seal(credit.sourceAccountNumber),
      credit.sourceAccountName,
      credit.sourceBankCode,
      credit.narration,
      credit.transactionTime,
      now,
    ],
  })
  return rows[0]?.id
}

async function appendEvent(
  client: pg.PoolClient,
  now: Date,
  account: Account,
  creditId: CreditId,
  amountKobo: Kobo,
): Promise<void> {
  const facts = { accountBalanceKobo: `${account.balanceKobo + amountKobo}` }
  await client.query({
    name: 'event',
    text: `with numbered as (
             update event_counters set sequence = sequence + 1 where client_id = $2
             returning sequence
           )
           insert into events (id, client_id, sequence, type, collection_account_id, credit_id,
                               facts, created_at)
           select $1, $2, sequence, 'collection.received', $3, $4, $5, $6 from numbered`,
    values: [
      timeOrderedId(now),
      account.clientId,
      account.id,
      creditId,
      JSON.stringify(facts),
      now,
    ],
  })
}
