// A month of random credits and payouts while rules and lists change. Replaying the screening from the books
// makes the same decisions that were stored, and lets the same credits and payouts pass (I145).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replayScreening } from '#admin/money-commands.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount } from '../support/fixtures.ts'
import { credit } from '../support/movements.ts'
import { addBankAccount, fund } from '../support/payouts.ts'
import { readSeed, seededRandom } from '../support/random.ts'
import {
  activate,
  approve,
  CREDIT_RULE,
  decisions,
  MINUTE_MS,
  putList,
  request,
  startScreening,
} from '../support/screening.ts'
import { SECRETS } from '../support/settings.ts'

const desk = closeAfterTests(await startScreening())
const DAYS = 31
const NAMES = ['ADA OBI', 'BELLO MUSA', 'CHIKA EZE', 'DAYO EXAMPLE', 'EBUN SAMPLE']
const random = seededRandom(readSeed())

const begin = desk.clock()
// Replays the screening from this time until now, as the operator command does.
const replayed = (from = begin) => {
  const { connectionString } = desk.database
  const env = { ...SECRETS, DATABASE_URL: connectionString, PUBLIC_URL: 'http://localhost:8080' }
  const context = { db: desk.db, env, clock: desk.clock, actor: 'cli:test', showProgress: () => {} }
  return replayScreening(context, { from, to: new Date(desk.clock().getTime() + 1) })
}

// Reports some random credits at the same time.
async function creditSome(numbers: readonly string[]): Promise<void> {
  const count = random.integer(1, 4)
  await Promise.all(
    Array.from({ length: count }, () => {
      const serial = random.integer(0, NAMES.length - 1)
      return credit(
        desk,
        random.pick(numbers),
        String(random.pick([50, 899, 950, 990, 1_000, 5_000])),
        {
          sourceAccountNumber: `012345678${serial}`,
          sourceAccountName: NAMES[serial],
          sourceBankCode: '058',
        },
      )
    }),
  )
}

async function requestPayout({ reference: bankAccount }: { reference: string }): Promise<void> {
  const body = { amount: 10, narration: 'Rent', bankAccount }
  const answer = await desk.call({ url: '/api/v1/payouts', body })
  assert.equal(answer.statusCode, 200, answer.body)
}

// Replays the month, and asserts that all decisions are the stored ones.
async function assertIdentical() {
  const { data } = await replayed()
  const stored = await desk.db.query('select from screening_decisions where credit_id is not null')
  assert.equal(data.decisions, stored.rowCount)
  assert(data.decisions > 20, `only ${data.decisions} decisions`)
  assert.deepEqual([data.payouts, data.erased], [1, 0]) // One payout was stopped; nothing was erased.
  const clear = await desk.db.query(`select from payouts where screening = 'clear'`)
  assert.equal(data.cleared, (clear.rowCount ?? 0) - 1, 'all but the one that two people released')
  assert(data.cleared > 5, `only ${data.cleared} payouts were let pass`)
  return data
}

test('replaying a month gives identical decisions, whatever changed and however it was batched', async () => {
  const numbers: string[] = []
  for (let count = 0; count < 4; count++) {
    numbers.push((await createAccount(desk)).accountNumber as string)
  }
  await fund(desk, '1000')
  const listed = await addBankAccount(desk, { accountName: 'Musa Bello' })
  const others = [await addBankAccount(desk), await addBankAccount(desk)]
  await putList(desk, 'own', 'id,name\n1,Musa Bello\n')
  const velocity = { ...CREDIT_RULE, name: 'Velocity', kind: 'velocity', minutes: 2_880 }
  const rules: object[] = [
    { ...velocity, count: 6 },
    {
      ...CREDIT_RULE,
      name: 'Band',
      kind: 'structuring',
      amount: '1000',
      percent: 11,
      count: 3,
      minutes: 1_440,
    },
    { ...CREDIT_RULE, name: 'New', kind: 'new_payer', amount: '5000', days: 5 },
    { ...CREDIT_RULE, name: 'Many', kind: 'many_payers', count: 4, minutes: 1_440 },
    { ...CREDIT_RULE, name: 'List', kind: 'list', list: 'own', score: 92 },
    { subject: 'payout', outcome: 'hold', name: 'Paid', kind: 'list', list: 'own', score: 92 },
    { ...velocity, count: 8 },
  ]
  let band = ''
  for (let day = 0; day < DAYS; day++) {
    const rule = day % 3 === 0 && rules.shift()
    if (rule) {
      const { reference } = await activate(desk, rule)
      if (day === 3) band = reference as string
    }
    if (day === 20) await approve(desk, await request(desk, `/rules/${band}/end`))
    if (day === 17) await putList(desk, 'own', 'id,name\n2,Chika Eze\n')
    if (day === 16 || day === 28) await requestPayout(listed)
    if (day % 2 === 1) await requestPayout(random.pick(others))
    for (let hour = 0; hour < 3; hour++) {
      await creditSome(numbers)
      if (random.next() < 0.6) {
        await desk.screen()
        await desk.payouts.send()
      }
      desk.advance(random.integer(320, 640) * MINUTE_MS)
    }
  }
  await desk.screen()
  const [held] = await decisions(desk, '&subject=payout')
  await approve(desk, await request(desk, `/decisions/${held?.reference}/release`))
  await desk.payouts.send()

  const { rows } = await desk.db.query<{ kind: string; hits: number }>(
    `select h ->> 'kind' as kind, count(*)::int as hits
       from screening_decisions d cross join jsonb_array_elements(d.hits) as h
      where d.credit_id is not null group by 1 order by 1`,
  )
  const kinds = rows.map(({ kind }) => kind)
  assert.deepEqual(kinds, ['list', 'many_payers', 'new_payer', 'structuring', 'velocity'])
  const data = await assertIdentical()

  // Replays only the second half of the month: in other batches than the whole month, and with less history.
  const middle = new Date(begin.getTime() + 15 * 1_440 * MINUTE_MS)
  const half = await replayed(middle)
  assert(half.data.decisions > 0 && half.data.decisions < data.decisions)
})

test('a credit or a payout that was let pass, and was changed behind our back, is found', async () => {
  const { rows } = await desk.db.query<{ id: bigint; name: string }>(
    `select c.id, c.source_account_name as name from credits c
      where received_at >= (select max(effective_from) from screening_lists)
        and received_at >= (select max(effective_from) from screening_rules where name = 'List')
        and source_account_name is not null
        and not exists (select from screening_decisions where credit_id = c.id) limit 1`,
  )
  const [allowed] = rows as [{ id: bigint; name: string }]
  const rename = 'update credits set source_account_name = $2 where id = $1'
  await desk.db.query(rename, [allowed.id, 'CHIKA EZE'])
  await assert.rejects(replayed(), new RegExp(`1 decisions differ: credit/${allowed.id}$`))
  await desk.db.query(rename, [allowed.id, allowed.name])

  const payouts = await desk.db.query<{ reference: string; name: string }>(
    `select reference, to_account_name as name from payouts p
      where screening = 'clear'
        and not exists (select from screening_decisions where payout_id = p.id)
      order by id desc limit 1`,
  )
  const [{ reference, name }] = payouts.rows as [{ reference: string; name: string }]
  const renamePayout = (to: string) =>
    desk.db.query(`begin; set local session_replication_role = replica;
      update payouts set to_account_name = '${to}' where reference = '${reference}'; commit`)
  await renamePayout('Chika Eze')
  await assert.rejects(replayed(), new RegExp(`1 decisions differ: payout/${reference}$`))
  await renamePayout(name)
})

test('a credit that was changed behind our back is found', async () => {
  const { rows } = await desk.db.query<{ id: bigint }>(
    `select credit_id as id from screening_decisions
      where hits @> '[{"kind": "list"}]' and credit_id is not null limit 1`,
  )
  const id = rows[0]?.id
  await desk.db.query(`update credits set source_account_name = 'SOMEBODY ELSE' where id = $1`, [
    id,
  ])
  await assert.rejects(replayed(), new RegExp(`1 decisions? differ: credit/${id}`))
})
