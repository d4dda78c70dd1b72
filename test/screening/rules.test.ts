// Screening rules: they are drafted, tested on past credits, activated by two people, and never change once
// active (I145).

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
  await approve(desk, await request(desk, `/lists/${first.version}/activate`))
  const again = (await upload(desk, 'mine', 'id,name\n1,Ada Example\n2,Bola Example\n')).json().data
  assert.equal(again.version, first.version)
  const next = (await upload(desk, 'mine', 'id,name\n1,Ada Example\n3,Chi Example\n')).json().data
  assert.deepEqual([next.added, next.removed, next.entries], [1, 1, 2])
  const broken = await upload(desk, 'mine', 'id,name\n1,\n')
  assert.equal(broken.json().code, 'invalid_request')
  assert.match(broken.json().errors[0].message, /Line 2/)
  const url = `${SCREENING}/lists?name=mine`
  assert.equal((await desk.call({ url })).json().data.length, 2)
})

const EVERYBODY = 'id,name\n1,Ada Example\n2,Bola Example\n3,Chi Example\n'
const NOBODY = 'id,name\n9,Nobody At All\n'
const versionOf = async (csv: string) =>
  (await upload(desk, 'two-people', csv)).json().data as Record<string, number | string | null>
// The id of the version of the list `two-people` that is in force.
const inForce = async () => {
  const { rows } = await desk.db.query<{ id: bigint }>(
    `select id from screening_lists
      where name = 'two-people' and effective_from <= $1 order by id desc limit 1`,
    [desk.clock()],
  )
  return rows[0] ? Number(rows[0].id) : null
}

test('one person replaces no list: a version is a draft until another person has agreed', async () => {
  const draftOf = await versionOf(EVERYBODY)
  assert.equal(draftOf.effectiveFrom, null)
  const rule = { subject: 'payout', outcome: 'hold', kind: 'list', list: 'two-people', score: 90 }
  const { reference } = await draft(desk, { ...rule, name: 'Of a draft' })
  await testRule(desk, reference as string)
  const maker = await desk.maker()
  const activation = { url: `${RULES}/${reference}/activate`, body: { reason: 'Policy' } }
  assert.equal(await codeOf(maker.call(activation)), 'screening_rule_list_missing')

  const url = `${SCREENING}/lists/${draftOf.version}/activate`
  const body = { reason: 'As published today' }
  assert.equal((await desk.call({ url, body })).json().code, 'people_only')
  const { id } = (await maker.call({ url, body })).json().data
  assert.equal(await codeOf(maker.call({ url, body })), 'screening_request_open')
  const approval = { url: `${SCREENING}/requests/${id}/approve`, body: {} }
  assert.equal(await codeOf(maker.call(approval)), 'other_person_needed')
  assert.equal((await desk.call(approval)).json().code, 'people_only')
  desk.advance(2 * MINUTE_MS)
  assert.equal(await inForce(), null)

  await approve(desk, { id })
  assert.equal(await inForce(), null, 'not before a minute has passed')
  desk.advance(MINUTE_MS)
  assert.equal(await inForce(), draftOf.version)
  assert.equal(await codeOf((await desk.maker()).call({ url, body })), 'screening_list_not_draft')
})

test('a version never hides entries that it removes behind another draft', async () => {
  const harmful = await versionOf(NOBODY)
  assert.deepEqual([harmful.added, harmful.removed], [1, 3])
  const disguised = await versionOf(`${NOBODY}10,Somebody Else\n`)
  assert.equal(disguised.removed, 3, 'compared with the version in force, not with the draft')
  const { id } = await request(desk, `/lists/${disguised.version}/activate`)
  await approve(desk, await request(desk, `/lists/${harmful.version}/activate`))
  const checker = await desk.checker()
  const approval = { url: `${SCREENING}/requests/${id}/approve`, body: {} }
  assert.equal(await codeOf(checker.call(approval)), 'screening_list_outdated')
  const again = await versionOf(`${NOBODY}10,Somebody Else\n`)
  assert.notEqual(again.version, disguised.version)
  assert.deepEqual([again.added, again.removed, again.replaces], [1, 0, harmful.version])
})

test('the database keeps the content of every version, and when it began', async () => {
  const keeps = /screening_lists_keep_content|never changes/
  await assert.rejects(desk.db.query(`update screening_lists set content = ''`), keeps)
  await assert.rejects(
    desk.db.query(`update screening_lists set effective_from = now()
                    where effective_from is not null`),
    keeps,
  )
  await assert.rejects(desk.db.query('delete from screening_lists'))
})

test('a client that is no operator sees nothing of screening', async () => {
  const token = await desk.newClient('MAN0000042')
  for (const path of ['rules', 'lists', 'decisions', 'requests']) {
    const answer = await desk.call({ url: `${SCREENING}/${path}`, token })
    assert.equal(answer.statusCode, 403, path)
  }
})
