// Rules are drafted, tested on history, activated by two people, and never change once active (I145).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount } from '../support/fixtures.ts'
import { credit } from '../support/movements.ts'
import {
  activate,
  approve,
  CREDIT_RULE,
  codeOf,
  draft,
  MINUTE_MS,
  request,
  SCREENING,
  startScreening,
  testRule,
  upload,
} from '../support/screening.ts'

const desk = closeAfterTests(await startScreening())
const RULES = `${SCREENING}/rules`
const VELOCITY = { ...CREDIT_RULE, name: 'Velocity', kind: 'velocity', count: 3, minutes: 60 }

const ruleOf = async (reference: string) =>
  (await desk.call({ url: `${RULES}/${reference}` })).json().data

test('a draft is tested on history: how many it would have held, of how many, with examples', async () => {
  const number = (await createAccount(desk)).accountNumber as string
  const ids: string[] = []
  for (let count = 0; count < 5; count++) ids.push((await credit(desk, number, '10')).sessionId)
  const { reference } = await draft(desk, VELOCITY)
  const { data } = (await testRule(desk, reference as string)).json()
  assert.deepEqual(
    [data.test.screened, data.test.hits, data.test.examples],
    [5, 3, ids.slice(2).reverse()],
  )
  assert.equal((await desk.db.query('select from holds')).rowCount, 0)
})

test('an untested rule is not activated, nor by one person, and it begins a minute later', async () => {
  const { reference } = await draft(desk, { ...VELOCITY, name: 'Second' })
  const url = `${RULES}/${reference}/activate`
  const maker = await desk.maker()
  assert.equal(await codeOf(maker.call({ url, body: { reason: 'x' } })), 'screening_rule_untested')
  await testRule(desk, reference as string)
  assert.equal((await desk.call({ url, body: { reason: 'x' } })).json().code, 'people_only')
  const requested = await request(desk, `/rules/${reference}/activate`)
  assert.equal(
    await codeOf(maker.call({ url: `${SCREENING}/requests/${requested.id}/approve`, body: {} })),
    'other_person_needed',
  )
  assert.equal((await ruleOf(reference as string)).state, 'draft')
  await approve(desk, requested)
  const { state, effectiveFrom } = await ruleOf(reference as string)
  assert.equal(state, 'active')
  assert.equal(new Date(effectiveFrom).getTime(), desk.clock().getTime() + MINUTE_MS)
  assert.equal((await testRule(desk, reference as string)).json().code, 'screening_rule_not_draft')
})

test('a new version replaces the one before at the same moment', async () => {
  const first = await activate(desk, { ...VELOCITY, name: 'Third' })
  const second = await activate(desk, { ...VELOCITY, name: 'Third', count: 9 })
  const [old, now] = [
    await ruleOf(first.reference as string),
    await ruleOf(second.reference as string),
  ]
  assert.deepEqual([old.version, now.version, old.state], [1, 2, 'ended'])
  assert.equal(old.effectiveTo, now.effectiveFrom)
})

test('the database keeps the terms of every rule, and the rules', async () => {
  const keeps = /keeps its terms|screening_rules_keep_terms/
  await assert.rejects(desk.db.query(`update screening_rules set params = '{}'`), keeps)
  await assert.rejects(
    desk.db.query(`update screening_rules set effective_from = effective_from - interval '1 s'
        where effective_from is not null`),
    keeps,
  )
  await assert.rejects(desk.db.query('delete from screening_rules'))
})

const WRONG: [string, object, string][] = [
  ['no kind', { kind: undefined }, 'kind'],
  ['an unknown kind', { kind: 'gut_feeling' }, 'kind'],
  ['no count or amount', { count: undefined }, 'count'],
  ['no minutes', { minutes: undefined }, 'minutes'],
  ['another kind’s parameter', { days: 3 }, 'days'],
  ['a count of one', { count: 1 }, 'count'],
  ['a count beyond what is looked back', { count: 1_001 }, 'count'],
  ['a count of another type', { count: 'many' }, 'count'],
  ['a window of nothing', { minutes: 0 }, 'minutes'],
  ['an amount of nothing', { amount: '0' }, 'amount'],
  ['a huge amount', { amount: '1e30' }, 'amount'],
  ['an empty name', { name: '' }, 'name'],
  ['a name that is too long', { name: 'x'.repeat(81) }, 'name'],
  ['a payout by velocity', { subject: 'payout' }, 'kind'],
  ['a credit that is refused', { outcome: 'refuse' }, 'outcome'],
  [
    'a list that cannot be one',
    { kind: 'list', count: undefined, minutes: undefined, list: '../x', score: 90 },
    'list',
  ],
]

for (const [what, changes, field] of WRONG) {
  test(`a rule with ${what} is refused, with the field`, async () => {
    const answer = await desk.call({ url: RULES, body: { ...VELOCITY, ...changes } })
    assert.equal(answer.statusCode, 400, answer.body)
    assert(
      answer.json().errors.some((error: { field: string }) => error.field === field),
      answer.body,
    )
  })
}

test('a test of an unknown rule, or of a time that is none, is refused', async () => {
  const { reference: rule } = await draft(desk, { ...VELOCITY, name: 'Fourth' })
  const url = `${RULES}/test`
  const code = async (body: object) => (await desk.call({ url, body })).json().code
  const [from, to] = ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z']
  assert.equal(await code({ rule: 'SCR000000000000000', from, to }), 'screening_rule_not_found')
  assert.equal(await code({ rule: 'nonsense', from, to }), 'screening_rule_not_found')
  for (const body of [
    { from: to, to: from },
    { from, to: '2027-11-02T00:00:00Z' },
    { from, to: 'soon' },
  ]) {
    assert.equal(await code({ rule, ...body }), 'invalid_request')
  }
})

test('the same file is the same version; changes are counted; a damaged file changes nothing', async () => {
  const first = (await upload(desk, 'mine', 'id,name\n1,Ada Example\n2,Bola Example\n')).json().data
  const again = (await upload(desk, 'mine', 'id,name\n1,Ada Example\n2,Bola Example\n')).json().data
  assert.deepEqual(again, first)
  const next = (await upload(desk, 'mine', 'id,name\n1,Ada Example\n3,Chi Example\n')).json().data
  assert.deepEqual([next.added, next.removed, next.entries], [1, 1, 2])
  const broken = await upload(desk, 'mine', 'id,name\n1,\n')
  assert.equal(broken.json().code, 'invalid_request')
  assert.match(broken.json().errors[0].message, /Line 2/)
  const url = `${SCREENING}/lists?name=mine`
  assert.equal((await desk.call({ url })).json().data.length, 2)
})

test('a client that is no operator sees nothing of screening', async () => {
  const token = await desk.newClient('MAN0000042')
  for (const path of ['rules', 'lists', 'decisions', 'requests']) {
    const answer = await desk.call({ url: `${SCREENING}/${path}`, token })
    assert.equal(answer.statusCode, 403, path)
  }
})
