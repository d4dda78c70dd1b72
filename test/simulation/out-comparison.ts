// All the books of the simulation of money out, side by side: the ledger and the model, the banks' own
// books and their ledger accounts, and what must hold of settlements whatever happened.

import assert from 'node:assert/strict'
import { checkIntegrity } from '#domain/integrity/integrity-checks.ts'
import { bankAccount } from './out-books.ts'
import { BANKS, type Sim } from './out-world.ts'

export async function compareAll(sim: Sim): Promise<void> {
  const held = await readLedger(sim)
  assert.deepEqual(held, sim.books.balances.nonZero())
  sim.banks.assertToldOnce()
  sim.banks.assertNotRushed()
  const isConfirmed = (reference: string) =>
    sim.books.payouts.get(reference)?.status === 'confirmed'
  for (const bank of BANKS) {
    const shown = sim.banks.balance(bank, isConfirmed)
    assert.equal(-(held[bankAccount(bank)] ?? 0n), shown, `statement of bank ${bank}`)
  }
  await compareSettlements(sim)
  assert.deepEqual(await checkIntegrity(sim.db), [])
}

async function readLedger({ db }: Sim): Promise<Record<string, bigint>> {
  const { rows } = await db.query<{ name: string; kobo: bigint }>(
    `select l.kind || ' ' || coalesce(a.account_number, l.owner) as name,
            l.credits_kobo - l.debits_kobo as kobo
       from ledger_accounts l left join collection_accounts a on a.id = l.id
      where l.credits_kobo <> l.debits_kobo`,
  )
  rows.sort((one, other) => (one.name < other.name ? -1 : 1))
  return Object.fromEntries(rows.map(({ name, kobo }) => [name, kobo]))
}

// Each credit is in at most one that was not cancelled, and each begins where the one before ended.
async function compareSettlements({ db }: Sim): Promise<void> {
  const twice = await db.query(
    `select l.credit_id, l.account_id from settlement_lines l
      where l.kind = 'credit' and l.gross_kobo > 0
      group by 1, 2 having count(*) > 1`,
  )
  assert.deepEqual(twice.rows, [], 'credits that were settled twice')
  const broken = await db.query(
    `select s.reference from settlements s
       left join settlements p on p.id = s.previous_id
      where s.status <> 'cancelled'
        and (s.period_from is distinct from p.cut_off
             or s.net_kobo <> (select coalesce(sum(net_kobo), 0) from settlement_lines
                                where settlement_id = s.id))`,
  )
  assert.deepEqual(broken.rows, [], 'settlements that do not add up')
}

// Nothing is on its way any more.
export async function assertDrained(sim: Sim): Promise<void> {
  await compareAll(sim)
  const open = [...sim.books.payouts.values()].filter(
    ({ status }) => !['confirmed', 'failed', 'cancelled'].includes(status),
  )
  const references = open.map(({ reference, status }) => `${reference} ${status}`)
  assert.deepEqual(references, [], 'every payout has an end')
  for (const bank of BANKS) {
    const shown = sim.banks.balance(bank, () => true)
    assert.equal(-sim.books.balances.of(bankAccount(bank)), shown, `nothing is lost at ${bank}`)
  }
  for (const name of Object.keys(sim.books.balances.nonZero())) {
    assert.doesNotMatch(name, /^(paying|refunding|returning) /)
  }
}
