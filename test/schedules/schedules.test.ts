// Scheduled reports: each period has one run, whatever happens to the workers (I181). The link of a run works
// only for a user who could make the same export at that moment (I182).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSchedulesRound } from '#schedules/workers.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, simulate, startPayment } from '../support/fixtures.ts'
import { noticingOf } from '../support/noticing.ts'
import {
  type Browser,
  makeUser,
  newBrowser,
  newClientWithOwner,
  signIn,
} from '../support/people.ts'
import { REPORTS, SCHEDULES, schedule, scheduleBody } from '../support/report-recipes.ts'
import { startTestService } from '../support/running-service.ts'
import { sealingOf } from '../support/sealing.ts'

const DAY_MS = 86_400_000

const bench = closeAfterTests(await startTestService())
const owner = await newBrowser(bench)

const round = () => runSchedulesRound(noticingOf(bench))(new AbortController().signal)

// Runs the worker until no report is due.
async function runAll(): Promise<void> {
  while ((await round()).more);
}

// The links that a user got for a schedule, oldest first.
async function linksOf(name: string, email: string) {
  const { rows } = await bench.db.query<{ facts: Buffer; address: Buffer }>(
    `select facts_sealed as facts, address_sealed as address from messages
      where kind = 'user.report_ready' order by id`,
  )
  const { sealer } = sealingOf(bench)
  return rows
    .filter(({ address }) => sealer.open(address) === email)
    .map(({ facts }) => JSON.parse(sealer.open(facts)))
    .filter((facts) => facts.name === name)
}

async function advanceTo(utc: string): Promise<void> {
  bench.advance(Date.parse(utc) - bench.clock().getTime())
}

const open = (by: Browser, link: string) => by.call({ url: `${REPORTS}/${link.split('/').at(-1)}` })

// Creates a schedule and waits for its first report. Returns the link, and the owner's new session, because
// the old one ended meanwhile.
async function reportFor(name: string, changes: object = {}) {
  const { nextDueAt } = await schedule(await signIn(bench, owner.user.email), { name, ...changes })
  await advanceTo(nextDueAt)
  await runAll()
  const [{ link }] = (await linksOf(name, owner.user.email)) as [{ link: string }]
  return { link, by: await signIn(bench, owner.user.email) } // The advance ended the session.
}

test('the link of a report leads to the export of its period, and to nothing else', async () => {
  const { bankAccount, paymentReference } = await startPayment(bench, { merchantRef: 'IN-PERIOD' })
  await simulate(bench, bankAccount, '6000.00')
  const { link, by } = await reportFor('Paid', { filters: { status: 'Successful' } })
  await startPayment(bench, { merchantRef: 'AFTER-PERIOD' })

  const report = await open(by, link)
  assert.equal(report.statusCode, 200, report.body)
  const { from, to, path } = report.json().data
  assert.equal(path, `/api/v1/payments.csv?status=Successful&from=${from}&to=${to}&for=spreadsheet`)
  const file = await by.call({ url: path })
  assert.match(file.body, new RegExp(paymentReference))
  assert.doesNotMatch(file.body, /AFTER-PERIOD/)
  assert.match(String(file.headers['content-disposition']), /attachment; filename="payments-/)
})

test('every export that a route offers can be scheduled, and its link works', async () => {
  const operator = await newBrowser(bench, 'operator')
  const choices = (await operator.call({ url: `${SCHEDULES}/choices` })).json().data
  const { paths } = (await bench.call({ url: '/openapi.json', token: null })).json()
  const files = Object.keys(paths).filter((path) => /^[^{]+\.csv$/.test(path))
  assert.deepEqual(
    choices.exports.map(({ path }: { path: string }) => `${path}.csv`).sort(),
    files.sort(),
  )
  for (const { operation, frequencies } of choices.exports) {
    await schedule(operator, { name: operation, operation, frequency: frequencies[0] })
  }
  bench.advance(40 * DAY_MS)
  await runAll()
  for (const { operation } of choices.exports) {
    const [{ link } = { link: '' }] = await linksOf(operation, operator.user.email)
    const report = await open(await signIn(bench, operator.user.email), link)
    assert.equal(report.statusCode, 200, report.body)
    const file = await (await signIn(bench, operator.user.email)).call({
      url: report.json().data.path,
    })
    assert.equal(file.statusCode, 200, `${operation}: ${report.json().data.path} ${file.body}`)
  }
})

test('a link works for seven days, and only with a session', async () => {
  const { link } = await reportFor('Expiring')
  const reference = link.split('/').at(-1)
  assertRefused(await bench.call({ url: `${REPORTS}/${reference}`, token: null }), {
    status: 401,
    code: 'session_needed',
  })
  assertRefused(await bench.call({ url: `${REPORTS}/${reference}` }), {
    status: 401,
    code: 'session_needed',
  })
  bench.advance(7 * DAY_MS - 1)
  assert.equal((await open(await signIn(bench, owner.user.email), link)).statusCode, 200)
  bench.advance(1)
  assertRefused(await open(await signIn(bench, owner.user.email), link), {
    status: 409,
    code: 'report_expired',
  })
})

test('a user whose role no longer allows the export, and another client, get nothing', async () => {
  const email = await makeUser(bench, { role: 'finance' })
  const maker = await signIn(bench, owner.user.email)
  const { reference } = await schedule(maker, {
    ...{ name: 'Trail', operation: 'exportAuditLog', recipients: [email] },
  })
  bench.advance(2 * DAY_MS)
  await runAll()
  const [{ link }] = (await linksOf('Trail', email)) as [{ link: string }]
  assert.equal((await open(await signIn(bench, email), link)).statusCode, 200)
  await bench.db.query(`update users set role = 'developer' where email = $1`, [email])
  const refused = { status: 403, code: 'role_not_allowed' }
  assertRefused(await open(await signIn(bench, email), link), refused)

  const { browser: stranger } = await newClientWithOwner(bench)
  assertRefused(await open(stranger, link), { status: 404, code: 'report_not_found' })
  const url = `${SCHEDULES}/${reference}`
  const missing = { status: 404, code: 'report_schedule_not_found' }
  assertRefused(await stranger.call({ url }), missing)
  assertRefused(await stranger.call({ method: 'DELETE', url }), missing)
})

test('a user who was disabled or deleted gets no link, and the others get theirs', async () => {
  const [disabled, removed] = [await makeUser(bench), await makeUser(bench)]
  const maker = await signIn(bench, owner.user.email)
  const recipients = [owner.user.email, disabled, removed]
  await schedule(maker, { name: 'For three', recipients })
  await bench.db.query('update users set is_active = false where email = $1', [disabled])
  await bench.db.query('delete from users where email = $1', [removed])
  bench.advance(2 * DAY_MS)
  await runAll()
  assert.equal((await linksOf('For three', disabled)).length, 0)
  assert.equal((await linksOf('For three', removed)).length, 0)
  assert.notEqual((await linksOf('For three', owner.user.email)).length, 0)
})

test('a deleted user’s schedule keeps running for its other recipients', async () => {
  const maker = await newBrowser(bench)
  await schedule(maker, { name: 'Orphan', recipients: [owner.user.email] })
  await bench.db.query('delete from users where email = $1', [maker.user.email])
  bench.advance(2 * DAY_MS)
  await runAll()
  assert.notEqual((await linksOf('Orphan', owner.user.email)).length, 0)
})

test('two workers at once, and one that died half way, make one run for each period', async () => {
  await bench.db.query('delete from report_schedules')
  const maker = await signIn(bench, owner.user.email)
  await schedule(maker, { name: 'Once', frequency: 'daily', hour: 0 })
  bench.advance(DAY_MS)
  const died = await bench.db.connect()
  await died.query('begin')
  await died.query('select from report_schedules for no key update')
  await round()
  assert.equal((await linksOf('Once', owner.user.email)).length, 0)
  await died.query('rollback')
  died.release()
  await Promise.all([round(), round(), round()])
  await runAll()
  assert.equal((await linksOf('Once', owner.user.email)).length, 1)

  // Moves the schedule back by a period, as if the database had been restored from before its last run.
  await bench.db.query(`update report_schedules set next_from = next_from - 1,
                               next_due_at = next_due_at - interval '1 day'`)
  await runAll()
  assert.equal((await linksOf('Once', owner.user.email)).length, 1)
})

test('after an outage each period that was missed has its run', async () => {
  await bench.db.query('delete from report_schedules')
  await advanceTo('2027-01-30T12:00:00Z')
  const maker = await signIn(bench, owner.user.email)
  for (const frequency of ['daily', 'weekly', 'monthly']) {
    await schedule(maker, { name: frequency, frequency, hour: 6 })
  }
  await advanceTo('2027-03-01T05:00:00Z') // 06:00 in Lagos.
  await runAll()
  const periods = async (name: string) =>
    (await linksOf(name, owner.user.email)).map(({ from, to }) => `${from}–${to}`)
  assert.deepEqual(await periods('monthly'), ['2027-01-01–2027-01-31', '2027-02-01–2027-02-28'])
  assert.deepEqual(await periods('weekly'), [
    ...['2027-01-25–2027-01-31', '2027-02-01–2027-02-07', '2027-02-08–2027-02-14'],
    ...['2027-02-15–2027-02-21', '2027-02-22–2027-02-28'],
  ])
  const daily = await periods('daily')
  assert.deepEqual(
    [daily.length, daily[0], daily.at(-1)],
    [...[7, '2027-02-22–2027-02-22', '2027-02-28–2027-02-28']],
  )
})

test('a schedule that nothing could run is refused, with the field', async () => {
  const maker = await signIn(bench, owner.user.email)
  const { browser: stranger } = await newClientWithOwner(bench)
  const bad: [object, string][] = [
    [{ operation: 'exportSecrets' }, 'operation'],
    [{ operation: 'exportJournal' }, ''],
    [{ operation: 'getPayment' }, 'operation'],
    [{ filters: { status: 'lost' } }, 'filters.status'],
    [{ filters: { from: '2026-01-01' } }, 'filters.from'],
    [{ filters: { nonsense: 'x' } }, 'filters.nonsense'],
    [{ filters: { status: ['paid'] } }, 'filters.status'],
    [{ frequency: 'hourly' }, 'frequency'],
    [{ hour: 24 }, 'hour'],
    [{ hour: '7' }, 'hour'],
    [{ format: 'pdf' }, 'format'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ recipients: [] }, 'recipients'],
    [{ recipients: [stranger.user.email] }, 'recipients'],
    [{ recipients: ['nobody@example.com'] }, 'recipients'],
    [{ recipients: Array.from({ length: 21 }, (_, at) => `u${at}@example.com`) }, 'recipients'],
  ]
  for (const [changes, field] of bad) {
    const body = scheduleBody({ recipients: [owner.user.email], ...changes })
    const answer = await maker.call({ url: SCHEDULES, body })
    if (field === '') assert.equal(answer.json().code, 'role_not_allowed', answer.body)
    else assert.equal(answer.json().errors[0].field, field, answer.body)
  }
})

test('a user sees their own schedules, and an owner those of everybody', async () => {
  const support = await newBrowser(bench, 'support')
  const { reference } = await schedule(support, { name: 'Of support' })
  const finance = await newBrowser(bench, 'finance')
  const namesOf = async (by: Browser) =>
    (await by.call({ url: SCHEDULES })).json().data.map(({ name }: { name: string }) => name)
  assert.deepEqual(await namesOf(support), ['Of support'])
  assert.deepEqual(await namesOf(finance), [])
  const boss = await signIn(bench, owner.user.email)
  assert((await namesOf(boss)).includes('Of support'))
  const gone = await boss.call({ method: 'DELETE', url: `${SCHEDULES}/${reference}` })
  assert.equal(gone.statusCode, 200, gone.body)
  assert.deepEqual(await namesOf(support), [])
})

test('filters are sealed, and a client has fifty schedules at most', async () => {
  const { browser } = await newClientWithOwner(bench)
  await schedule(browser, { filters: { search: 'Adaobi-Needle' } })
  const { rows } = await bench.db.query(
    `select count(*)::int as count from report_schedules s
      where s::text like '%Needle%' or encode(filters_sealed, 'escape') like '%Needle%'`,
  )
  assert.equal(rows[0].count, 0)
  for (let made = 1; made < 50; made++) await schedule(browser, { name: `No. ${made}` })
  const body = scheduleBody({ recipients: [browser.user.email] })
  const full = { status: 409, code: 'too_many_report_schedules' }
  assertRefused(await browser.call({ url: SCHEDULES, body }), full)
})
