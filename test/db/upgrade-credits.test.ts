// Credits that were taken before their identifiers were kept.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate } from '#db/migrate.ts'
import { withTransaction } from '#db/transaction.ts'
import { findKnownCredits } from '#domain/credits/credit-identifiers.ts'
import { identifiersOf } from '#domain/credits/known-credits.ts'
import { checkIntegrity } from '#domain/integrity/integrity-checks.ts'
import { incomingCredit } from '../support/incoming-credits.ts'
import { createOlderDatabase } from '../support/older-database.ts'

const NIP = '000013261115090000000000000001'

test('0032: credits taken before are duplicates after, whatever their references are called', async () => {
  await using bench = await createOlderDatabase('0032')
  await bench.pool.query(`
    insert into ledger_accounts (id, kind, owner) values
      (1, 'bank', 'bank:058'), (2, 'suspense', 'bank:058'),
      (3, 'bank', 'bank:035'), (4, 'suspense', 'bank:035');
    insert into credits (bank_code, session_id, account_number, amount_kobo, suspended_kobo, outcome,
                         reason, currency, received_at)
    select b, s, '0123456789', 500, 500, 'suspended', 'unknown_number', 'NGN', now()
      from unnest(array['058', '035']) as b, unnest(array['${NIP}', 'AcctSvcrRef/1']) as s;
    insert into transfers (debit_account_id, credit_account_id, amount_kobo, credit_id, reason,
                           posted_at)
    select case bank_code when '058' then 1 else 3 end, case bank_code when '058' then 2 else 4 end,
           500, id, 'credit', now() from credits;
    insert into suspense_items (credit_id, account_id, amount_kobo, reason, opened_at)
    select id, case bank_code when '058' then 2 else 4 end, 500, 'unknown_number', now()
      from credits`)

  await migrate(bench.pool)

  const { rows } = await bench.pool.query(
    `select c.bank_code as bank, i.kind, i.value, i.is_first as first
       from credit_identifiers i join credits c on c.id = i.credit_id and c.bank_code = i.bank_code
        and c.session_id = i.value order by 1, 2, 3`,
  )
  const each = (bank: string) => [
    { bank, kind: 'bank_reference', value: 'AcctSvcrRef/1', first: false },
    { bank, kind: 'session_id', value: NIP, first: true },
    { bank, kind: 'session_id', value: 'AcctSvcrRef/1', first: true },
  ]
  assert.deepEqual(rows, [...each('035'), ...each('058')])
  const findings = await checkIntegrity(bench.pool)
  assert.deepEqual(
    findings.filter(({ check }) => check !== 'events_are_numbered_without_gaps'),
    [],
  )
  const again = await incomingCredit(
    { db: bench.pool },
    { accountNumber: '0123456789', amount: 5, bankCode: '058', sessionId: 'AcctSvcrRef/1' },
  )
  const resent = [again, { ...again, identifiedBy: 'bank_reference' as const }]
  const taken = await withTransaction(bench.pool, (tx) =>
    findKnownCredits(tx, resent.flatMap(identifiersOf)),
  )
  assert.deepEqual(
    [...taken.values()].map(({ amountKobo, outcome }) => [amountKobo, outcome]),
    [
      [500n, 'suspended'],
      [500n, 'suspended'],
    ],
  )
  const before = await bench.pool.query('select id, source, fee_kobo from credits order by id')
  assert(before.rows.every((row) => row.source === 'notification' && row.fee_kobo === 0n))
  // A process of the version before does not know how to make a credit known.
  await assert.rejects(
    bench.pool.query(
      `insert into credits (bank_code, session_id, account_number, amount_kobo, outcome, currency,
                            received_at)
       values ('058', 'new', '0123456789', 500, 'booked', 'NGN', now())`,
    ),
    { code: '23502' },
  )
})
