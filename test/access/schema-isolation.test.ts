// Below the code's own scoping by client, the database itself keeps one client's rows from referencing
// another's (I11).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount, createAdvice, startPayment } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { storedId } from '../support/shown-ids.ts'
import {
  createSplit,
  postSplit,
  SUBACCOUNTS,
  splitBody,
  subaccountBody,
} from '../support/splits.ts'
import { suspend } from '../support/suspense-desk.ts'

const bench = closeAfterTests(await startTestService())

// The foreign keys between tables with a client_id that do not include it, each with the reason or the key
// that does. All others must include it.
const KEYS_WITHOUT_CLIENT = {
  // These two have a second foreign key that includes the client. They also serve items without a client.
  suspense_items_assigned_account_id_fkey: 'suspense_items_account_of_same_client',
  suspense_items_assigned_payment_id_fkey: 'suspense_items_payment_of_same_client',
  // An item may belong to the client of the payment that it was assigned to, while its credit has
  // no client.
  suspense_items_credit_id_fkey: null,
  // An unowned item has no client, and may be given to one later.
  suspense_changes_item_id_fkey: null,
  // The fee is charged to the client that the item was assigned to; the credit may have no client.
  credit_fees_credit_id_fkey: null,
  credit_fees_item_id_fkey: null,
  // The credit of a return may have no client.
  payouts_credit_id_fkey: null,
  credit_splits_credit_id_fkey: null,
  credit_splits_item_id_fkey: null,
  // Unowned items have no client: the operator's users request their resolution.
  suspense_requests_item_id_fkey: null,
  // The credit had no client when it came. It was assigned to the refund's client later.
  refunds_credit_id_fkey: null,
  payouts_item_id_fkey: null,
  // Refers to a query for all transfers of a bank, which has no client.
  requeries_merged_into_fkey: null,
  // The payout of a return may have no client.
  screening_decisions_payout_id_fkey: null,
  // A hold on a person is the operator's, and its accounts are of any client. The database checks the client
  // of each account; its hold is placed by the same worker for the same account.
  held_person_accounts_hold_id_fkey: null,
  held_person_accounts_account_hold_id_fkey: null,
  // The numbers of VAT invoices of all clients are one sequence.
  vat_documents_follow_one_another: null,
}

test('every foreign key between tables of clients carries the client', async () => {
  const { rows } = await bench.db.query<{ name: string; carries: boolean }>(
    `select k.conname as name,
            exists (select from unnest(k.conkey, k.confkey) as c (own, theirs)
                      join pg_attribute o on o.attrelid = k.conrelid and o.attnum = c.own
                      join pg_attribute t on t.attrelid = k.confrelid and t.attnum = c.theirs
                     where o.attname = 'client_id' and t.attname = 'client_id') as carries
       from pg_constraint k
      where k.contype = 'f' and k.conparentid = 0 and k.confrelid <> 'clients'::regclass
        and exists (select from pg_attribute
                     where attrelid = k.conrelid and attname = 'client_id')
        and exists (select from pg_attribute
                     where attrelid = k.confrelid and attname = 'client_id')`,
  )
  const names = rows.map(({ name }) => name)
  const without = rows.filter(({ carries }) => !carries).map(({ name }) => name)

  assert.deepEqual(without.sort(), Object.keys(KEYS_WITHOUT_CLIENT).sort())
  for (const doubled of Object.values(KEYS_WITHOUT_CLIENT))
    assert(!doubled || names.includes(doubled))
})

// If a row has no client_id and belongs to a client through another row, it may have only one such row, so
// that it cannot join two clients. Requests to fail payouts and requests about screening are exceptions:
// they belong to the operator and concern all clients.
test('a table without a client has one owner at most', async () => {
  const { rows } = await bench.db.query<{ name: string; owners: string[] }>(
    `select k.conrelid::regclass::text as name,
            array_agg(distinct k.confrelid::regclass::text) as owners
       from pg_constraint k
      where k.contype = 'f' and k.conparentid = 0
        and k.conrelid not in ('payout_failures'::regclass, 'screening_requests'::regclass)
        and not exists (select from pg_attribute
                         where attrelid = k.conrelid and attname = 'client_id')
      group by 1 having count(distinct k.confrelid) > 1`,
  )
  assert.deepEqual(rows, [])
})

test('the database refuses a row that points at another client’s', async () => {
  const token = await bench.newClient('OTHER')
  await createSplit(bench)
  await bench.call({ url: SUBACCOUNTS, body: subaccountBody('own'), token })
  await postSplit(bench, splitBody('own', 'percentage', ['own', 1]), { token })
  await createAdvice(bench, {}, { token })
  const { accountNumber } = await createAccount(bench, {}, { token })
  const { paymentReference, adviceReference } = await startPayment(bench)
  const unpaid = await createAdvice(bench)
  const { accountNumber: own } = await createAccount(bench, { payerRules: { minAmount: 100 } })
  const item = await suspend(bench, own, '10')
  const id = storedId('suspense', item.id)
  const account = `(select id from collection_accounts where account_number = '${accountNumber}')`
  const other = `(select id from clients where client_id = 'OTHER')`

  for (const [constraint, statement] of [
    [
      'suspense_items_account_of_same_client',
      `update suspense_items set state = 'assigned', assigned_account_id = ${account},
              closed_at = now() where id = ${id}`,
    ],
    [
      'suspense_items_payment_of_same_client',
      `update suspense_items set client_id = ${other}, state = 'assigned',
              assigned_payment_id = '${paymentReference}', closed_at = now() where id = ${id}`,
    ],
    [
      'payments_advice_of_same_client',
      `insert into payments (id, advice_id, client_id, amount_kobo, amount_policy, expires_at,
                             closes_at, created_at, updated_at)
       select gen_random_uuid(), '${unpaid.adviceReference}', ${other}, 1, 'any', t, t, t, t
         from now() as t`,
    ],
    [
      'numbers_account_of_same_client',
      `update numbers set collection_account_id = ${account} where account_number = '${own}'`,
    ],
    [
      'numbers_payment_of_same_client',
      `update numbers set client_id = ${other} where payment_id = '${paymentReference}'`,
    ],
    [
      'advices_split_of_same_client',
      `update advices set split_id = (select id from splits where code = 'AB')
        where client_id = ${other}`,
    ],
    [
      'collection_accounts_split_of_same_client',
      `update collection_accounts set split_id = (select id from splits where code = 'AB')
        where client_id = ${other}`,
    ],
    [
      'split_parts_subaccount_of_same_client',
      `insert into split_parts (client_id, split_id, position, subaccount_id, share, bears_fee)
       select ${other}, (select id from splits where client_id = ${other}), 2, id, 1, false
         from subaccounts where code = 'B'`,
    ],
    [
      'erasures_advice_of_same_client',
      `insert into erasures (client_id, advice_id, asked_at)
       values (${other}, '${adviceReference}', now())`,
    ],
  ] as const) {
    await assert.rejects(bench.db.query(statement), new RegExp(constraint), constraint)
  }
})
