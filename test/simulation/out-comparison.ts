// Compares all books in the simulation of money out: the ledger with the model, and the banks' own books with
// their ledger accounts. Also checks the invariants of settlements and holds.

import assert from 'node:assert/strict'
import { checkIntegrity } from '#integrity/checks.ts'
import { bankAccount } from './out-books.ts'
import { BANKS, naira, type Sim } from './out-world.ts'

// Compares all books. Also asserts that no payout was sent to a bank more than once, and that no bank got
// more calls within a second than its rate limit allows.
export async function compareAll(sim: Sim): Promise<void> {
  const ledger = await readLedger(sim)
  assert.deepEqual(ledger, sim.books.balances.nonZero())
  sim.banks.assertToldOnce()
  sim.banks.assertNotRushed()
  // A payout counts once the service knows that the bank paid it, because only then the ledger has it.
  const isConfirmed = (reference: string) =>
    sim.books.payouts.get(reference)?.status === 'confirmed'
  for (const bank of BANKS) {
    const statement = sim.banks.balance(bank, isConfirmed)
    assert.equal(-(ledger[bankAccount(bank)] ?? 0n), statement, `statement of bank ${bank}`)
  }
  await compareSettlements(sim)
  await compareHolds(sim)
  assert.deepEqual(await checkIntegrity(sim.db), [])
}

// All balances of the ledger that are not zero, by "kind owner" or "kind number", as credits less debits in
// kobo.
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

// Each credit is in at most one settlement that was not cancelled, and each settlement begins where
// the last one ended.
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
  const nameless = await db.query(
    `select id, settlement_id from settlement_lines where kind in ('payout', 'refund')
        and payout_id is null`,
  )
  assert.deepEqual(nameless.rows, [], 'lines of payouts and refunds that name none')
}

// Asserts that each hold has the amounts of the model, that clients see the sums, and that held money moved
// only after two people had approved.
async function compareHolds(sim: Sim): Promise<void> {
  const { db, books, clients } = sim
  const { rows } = await db.query(
    `select reference, state, held_kobo as "heldKobo", forfeited_kobo as "forfeitedKobo" from holds
      order by id`,
  )
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    books.holds.all.map(({ reference, state, heldKobo, forfeitedKobo }) => {
      return { reference, state, heldKobo, forfeitedKobo }
    }),
  )
  for (const { name, id } of clients) {
    const answer = await sim.call({ url: '/api/v1/balances', token: await sim.tokenOf(name) })
    const { held, forfeited } = answer.json().data.totals[0]
    const expected = [`held client:${id}`, `forfeited operator:${id}`].map((account) =>
      naira(books.balances.of(account)),
    )
    assert.deepEqual([held, forfeited].map(inNaira), expected, `${name} sees what is held`)
  }
  const drawn = await db.query(
    `select t.id, t.reason from transfers t join ledger_accounts l on l.id = t.debit_account_id
      where l.kind = 'held' and (t.reason not in ('hold_release', 'forfeiture') or not exists (
        select from hold_requests r where r.hold_id = t.hold_id and r.state = 'approved'))`,
  )
  assert.deepEqual(drawn.rows, [], 'transfers that drew held money')
}

const inNaira = (amount: number) => amount.toFixed(2)

// Asserts, at the end of a simulation, that all payouts are settled and no money is missing at any bank.
export async function assertDrained(sim: Sim): Promise<void> {
  await compareAll(sim)
  const open = [...sim.books.payouts.values()].filter(
    ({ status }) => !['confirmed', 'failed', 'cancelled'].includes(status),
  )
  const references = open.map(({ reference, status }) => `${reference} ${status}`)
  assert.deepEqual(references, [], 'every payout has an end')
  for (const bank of BANKS) {
    const statement = sim.banks.balance(bank, () => true)
    assert.equal(-sim.books.balances.of(bankAccount(bank)), statement, `nothing is lost at ${bank}`)
  }
  for (const name of Object.keys(sim.books.balances.nonZero())) {
    assert.doesNotMatch(name, /^(paying|refunding|returning) /)
  }
}
