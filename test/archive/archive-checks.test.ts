// I85 on live data: whatever is wrong about an archive is found, by the check that is there for it or by one
// that adds up the books from the beginning. The database refuses all of it, so its guards are off.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Queryable } from '#db/pool.ts'
import { BUSINESS_CHECKS } from '#domain/integrity/business-checks.ts'
import { checkIntegrity } from '#domain/integrity/integrity-checks.ts'
import { LEDGER_CHECKS, runCheck } from '#ledger/ledger-checks.ts'
import { archive, finishedCredits, YEAR_MS } from '../support/archiving.ts'
import { startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const LEAST = '(select min(id) from archived_credits)'

const TAMPERED: readonly [tamper: string, check: string][] = [
  [
    `update archived_credits set amount_kobo = amount_kobo + 1 where id = ${LEAST}`,
    'archived_money_is_carried',
  ],
  [
    `update archived_credits set amount_kobo = amount_kobo + 1 where id = ${LEAST}`,
    'collection_balances_are_their_credits',
  ],
  [
    `update archived_credits set amount_kobo = amount_kobo + 1 where id = ${LEAST}`,
    'bank_items_are_the_balance',
  ],
  [`delete from archived_credits where id = ${LEAST}`, 'archives_are_their_credits'],
  [`delete from archived_credits where id = ${LEAST}`, 'credits_are_known_by_their_identifiers'],
  [
    `update archived_credits set session_id = 'other' where id = ${LEAST}`,
    'credits_are_known_by_their_identifiers',
  ],
  [
    `update archived_credits set collection_account_id =
       (select max(id) from collection_accounts) where id = ${LEAST}`,
    'archived_money_is_carried',
  ],
  [
    `update archived_credits set client_id = client_id + 1 where id = ${LEAST}`,
    'nothing_points_at_another_client',
  ],
  [
    `update archived_credits set merchant_fee_kobo = merchant_fee_kobo + 1,
            merchant_vat_kobo = merchant_vat_kobo - 1
      where id = (select min(id) from archived_credits where merchant_vat_kobo > 0)`,
    'archived_money_is_carried',
  ],
  [
    `update transfers set amount_kobo = amount_kobo + 1 where archive_id is not null`,
    'balances_are_their_transfers',
  ],
  [`delete from transfers where archive_id is not null`, 'archives_are_their_credits'],
  [
    `update transfers set archive_id = null where archive_id is not null`,
    'archives_are_their_credits',
  ],
  [
    `update transfers set archive_id = null where archive_id is not null`,
    'credits_are_where_their_parts_say',
  ],
  [`update archived_days set transfers = transfers + 1`, 'archives_are_their_credits'],
]

test('each fault of an archive is found', async (t) => {
  await using bench = await startTestService()
  await finishedCredits(bench)
  bench.advance(YEAR_MS)
  using folder = createTempFolder()
  await archive(bench, folder.path)
  assert.deepEqual(await checkIntegrity(bench.db), [])

  for (const [tamper, check] of TAMPERED) {
    await t.test(`${check}: ${tamper.replace(/\s+/g, ' ')}`, async () => {
      const client = await bench.db.connect()
      try {
        await client.query('begin; set local session_replication_role = replica')
        const { rowCount } = await client.query(tamper)
        assert.notEqual(rowCount, 0)
        const findings = await findIn(client, check)

        assert.notEqual(findings.length, 0)
      } finally {
        await client.query('rollback')
        client.release()
      }
    })
  }
})

function findIn(db: Queryable, name: string) {
  const check = [...LEDGER_CHECKS, ...BUSINESS_CHECKS].find((each) => each.name === name)
  assert(check, name)
  return runCheck(db, check)
}
