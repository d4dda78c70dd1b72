// The calendar of holidays: the service supplies known holidays with their sources, and operators edit it. An
// expected holiday counts as a business day until an operator confirms it (I115).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBusinessDay } from '#clock.ts'
import { readHolidays } from '#settlement/holidays.ts'
import { watchHolidaysRound } from '#settlement/workers.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, dataOf } from '../support/fixtures.ts'
import { newBrowser } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { HOLIDAYS, SETTINGS, setBankAccount, setSettings } from '../support/settlements.ts'

const EID = '2027-03-10' // A Wednesday.
const ANNOUNCED = { name: 'Eid-ul-Fitr', status: 'confirmed', source: 'Ministry of Interior' }

const bench = closeAfterTests(await startTestService())

const set = (date: string, body: object) =>
  bench.call({ method: 'PUT', url: `${HOLIDAYS}/${date}`, body })
const list = async (query = '') => (await bench.call({ url: `${HOLIDAYS}${query}` })).json().data

test('the supplied calendar has known holidays and expected ones, with sources', async () => {
  const days = await list('?year=2027')
  const brief = days.map(
    ({ date, name, status }: Record<string, string>) => `${date} ${name} ${status}`,
  )

  assert.deepEqual(brief, [
    '2027-01-01 New Year’s Day confirmed',
    '2027-03-10 Eid-ul-Fitr expected',
    '2027-03-11 Eid-ul-Fitr, second day expected',
    '2027-03-26 Good Friday confirmed',
    '2027-03-29 Easter Monday confirmed',
    '2027-05-01 Workers’ Day confirmed',
    '2027-05-17 Eid-ul-Adha expected',
    '2027-05-18 Eid-ul-Adha, second day expected',
    '2027-06-12 Democracy Day confirmed',
    '2027-08-15 Eid-ul-Maulud expected',
    '2027-10-01 Independence Day confirmed',
    '2027-12-25 Christmas Day confirmed',
    '2027-12-26 Boxing Day confirmed',
  ])
  for (const { source, updatedBy } of await list()) {
    assert.notEqual(source, '')
    assert.equal(updatedBy, null)
  }
})

test('an expected holiday is a business day until it is confirmed, for settlement too', async () => {
  await setBankAccount(bench)
  bench.advance(Date.parse(`${EID}T06:00:00+01:00`) - bench.clock().getTime())
  await setSettings(bench, { schedule: 'daily@12:00' })
  const nextClose = async () => dataOf(await bench.call({ url: SETTINGS })).nextCloseAt

  assert.equal(isBusinessDay(EID, await readHolidays(bench.db)), true)
  assert.equal((await nextClose()).slice(0, 10), EID)

  const { status, source, updatedBy } = dataOf(await set(EID, ANNOUNCED))
  assert.deepEqual([status, source], ['confirmed', 'Ministry of Interior'])
  assert.notEqual(updatedBy, null)
  assert.equal(isBusinessDay(EID, await readHolidays(bench.db)), false)
  assert.equal((await nextClose()).slice(0, 10), '2027-03-11')

  dataOf(await set(EID, { ...ANNOUNCED, status: 'expected' }))
  assert.equal((await nextClose()).slice(0, 10), EID)
})

test('bad dates, bodies and too many holidays are refused, and change nothing', async () => {
  const before = await list()
  for (const date of [
    '2026-02-30',
    'Monday',
    '2026-1-1',
    '2027-03-10T00:00',
    '%00',
    '10000-01-01',
  ]) {
    assertRefused(await set(date, ANNOUNCED), { code: 'invalid_request' })
  }
  for (const body of [
    {},
    { ...ANNOUNCED, name: '' },
    { ...ANNOUNCED, name: 'x'.repeat(101) },
    { ...ANNOUNCED, source: '' },
    { ...ANNOUNCED, status: 'maybe' },
    { ...ANNOUNCED, day: EID },
  ]) {
    assertRefused(await set(EID, body), { code: 'invalid_request' })
  }
  const gone = await bench.call({ method: 'DELETE', url: `${HOLIDAYS}/2027-07-07` })
  assertRefused(gone, { status: 404, code: 'holiday_not_found' })
  assertRefused(await bench.call({ url: `${HOLIDAYS}?year=27` }), {
    code: 'invalid_request',
  })
  assert.deepEqual(await list(), before)

  const days = Array.from({ length: 100 }, (_, at) =>
    new Date(Date.UTC(2031, 0, 1 + at)).toISOString().slice(0, 10),
  )
  for (const day of days) dataOf(await set(day, ANNOUNCED))
  assertRefused(await set('2031-12-31', ANNOUNCED), { code: 'invalid_request' })
  dataOf(await set('2031-01-01', ANNOUNCED))
})

test('only an operator sees and sets holidays, and the audit log has each change', async () => {
  const developer = await newBrowser(bench, 'developer')
  const url = `${HOLIDAYS}/2030-01-01`
  assert.equal((await developer.call({ url: HOLIDAYS })).statusCode, 403)
  assert.equal((await developer.call({ method: 'PUT', url, body: ANNOUNCED })).statusCode, 403)

  dataOf(await bench.call({ method: 'PUT', url, body: ANNOUNCED }))
  dataOf(await bench.call({ method: 'DELETE', url }))

  const log = (await bench.call({ url: '/api/v1/audit-log?limit=2' })).json().data
  assert.deepEqual(
    log.map(({ action, subject }: Record<string, string>) => [action, subject]),
    [
      ['holiday.remove', 'holiday/2030-01-01'],
      ['holiday.set', 'holiday/2030-01-01'],
    ],
  )
})

test('the Islamic holidays of 2026 are supplied, those to be announced as expected', async () => {
  const days: Record<string, string>[] = await list('?year=2026')
  const islamic = days.filter(({ name }) => name?.startsWith('Eid'))
  assert.deepEqual(
    islamic.map(({ date, status }) => `${date} ${status}`),
    [
      '2026-03-19 confirmed',
      '2026-03-20 confirmed',
      '2026-05-27 expected',
      '2026-05-28 expected',
      '2026-08-26 expected',
    ],
  )
})

test('operators are warned 90 days before the calendar ends, until a later holiday is added', async () => {
  await using own = await startTestService()
  // Runs the worker; returns the open alerts about a calendar of holidays that ends soon.
  const openAlerts = async () => {
    await watchHolidaysRound({ db: own.db as never, clock: own.clock })(
      new AbortController().signal,
    )
    const url = '/api/v1/operator/alerts?kind=holidays_run_out&open=true'
    return (await own.call({ url })).json().data
  }
  const advanceTo = (day: string) =>
    own.advance(Date.parse(`${day}T12:00:00+01:00`) - own.clock().getTime())
  advanceTo('2028-09-26')
  assert.deepEqual(await openAlerts(), [])

  advanceTo('2028-09-27')
  const [alert, ...others] = await openAlerts()
  assert.deepEqual([alert.detail, others], [{ lastDay: '2028-12-26' }, []])
  assert.equal((await openAlerts()).length, 1)

  await own.call({ method: 'PUT', url: `${HOLIDAYS}/2029-01-01`, body: ANNOUNCED })
  assert.deepEqual(await openAlerts(), [])
})
