// Inserts new collection accounts, each with its ledger account and its numbers.

import type { BankSettings } from '#config/bank-settings.ts'
import { numberArray } from '#db/arrays.ts'
import { pipeline, type Transaction } from '#db/transaction.ts'
import type { NewEvent } from '#domain/records/event-types.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { CURRENCY, kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import type { CollectionAccount } from './account-rows.ts'
import { insertAdditionalNumbers } from './additional-numbers.ts'
import { nameAtBanks } from './bank-account-changes.ts'

type Deps = { sealer: Sealer; banks: readonly BankSettings[]; now: Date }

// `otherEvents` are appended after the accounts' own events.
export async function insertAccounts(
  tx: Transaction,
  { sealer, banks, now }: Deps,
  {
    accounts,
    otherEvents,
  }: { accounts: readonly CollectionAccount[]; otherEvents: readonly NewEvent[] },
): Promise<void> {
  const ids = numberArray(accounts.map((account) => account.id))
  const clientIds = numberArray(accounts.map((account) => account.clientId))
  const numbers = accounts.map((account) => account.accountNumber)
  const bankCodes = accounts.map((account) => account.bankCode)
  await pipeline([
    tx.query({
      name: 'open-collection-ledger-accounts',
      text: `insert into ledger_accounts (id, kind, currency, opened_at)
             select id, 'collection', '${CURRENCY}', $2 from unnest($1::bigint[]) as id`,
      values: [ids, now],
    }),
    tx.query({
      name: 'insert-collection-accounts',
      text: `insert into collection_accounts
               (id, client_id, account_number, bank_code, account_name, bvn_sealed, bvn_hash,
                email, merchant_id, merchant_code, notification_url, phone_number, channel,
                payer_rules, default_per_credit_kobo, default_per_day_kobo, nin_sealed, nin_hash,
                kyc_tier, verified_name, split_id, currency_code, created_at, updated_at)
             select a.*, '${CURRENCY}', $22, $22
               from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[],
                           $6::bytea[], $7::bytea[], $8::text[], $9::text[], $10::text[],
                           $11::text[], $12::text[], $13::text[], $14::jsonb[], $15::bigint[],
                           $16::bigint[], $17::bytea[], $18::bytea[], $19::smallint[],
                           $20::text[], $21::bigint[]) as a`,
      values: [
        ids,
        clientIds,
        numbers,
        bankCodes,
        accounts.map((account) => account.accountName),
        accounts.map((account) => sealer.seal(account.bvn)),
        accounts.map((account) => sealer.hash('bvn', account.bvn)),
        accounts.map((account) => account.email),
        accounts.map((account) => account.merchantId),
        accounts.map((account) => account.merchantCode),
        accounts.map((account) => account.notificationUrl),
        accounts.map((account) => account.phoneNumber),
        accounts.map((account) => account.channel),
        accounts.map((account) => account.payerRules && JSON.stringify(account.payerRules)),
        numberArray(accounts.map((account) => account.defaultPerCreditKobo)),
        numberArray(accounts.map((account) => account.defaultPerDayKobo)),
        accounts.map((account) => account.ninSealed),
        accounts.map((account) => account.ninHash),
        accounts.map((account) => account.kycTier),
        accounts.map((account) => account.verifiedName),
        numberArray(accounts.map((account) => account.splitId)),
        now,
      ],
    }),
    tx.query({
      name: 'insert-static-numbers',
      text: `insert into numbers (account_number, bank_code, client_id, collection_account_id)
             select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])`,
      values: [numbers, bankCodes, clientIds, ids],
    }),
    insertAdditionalNumbers(tx, now, accounts),
    nameAtBanks(tx, { banks, now }, accounts),
    appendEvents(tx, now, [...accounts.map(createdEvent), ...otherEvents]),
  ])
}

function createdEvent({ id, clientId }: CollectionAccount): NewEvent {
  const facts = { accountBalanceKobo: kobo(0n), isActive: true, isDefault: false }
  return { clientId, type: 'account.created', collectionAccountId: id, facts }
}
