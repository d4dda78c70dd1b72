// Creates scheduled reports, and lists the requests for another client's reports that
// test/access/route-isolation.test.ts sends.

import assert from 'node:assert/strict'
import type { Recipe } from './isolation-recipes.ts'
import type { Browser } from './people.ts'
import type { Bench } from './running-service.ts'

export const SCHEDULES = '/api/v1/report-schedules'
export const REPORTS = '/api/v1/reports'

export const scheduleBody = (changes: object = {}) => ({
  name: 'Payments of the day',
  operation: 'exportPayments',
  frequency: 'daily',
  hour: 7,
  format: 'csv',
  ...changes,
})

// Creates a schedule whose reports go to the user, unless the changes name other recipients.
export async function schedule(by: Browser, changes: object = {}) {
  const body = scheduleBody({ recipients: [by.user.email], ...changes })
  const answer = await by.call({ url: SCHEDULES, body })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

// Creates a schedule with a report whose link has not expired; returns both references.
export async function reportThings(bench: Bench, owner: Browser) {
  const { reference } = await schedule(owner, { name: 'Alpha secret report' })
  const { rows } = await bench.db.query(
    `insert into report_runs (reference, schedule_id, client_id, from_day, to_day, expires_at, created_at)
     select 'RPT000000000004711', id, client_id, '2026-11-14', '2026-11-15',
            $2::timestamptz + interval '1 day', $2
       from report_schedules where reference = $1 returning reference`,
    [reference, bench.clock()],
  )
  return { scheduleReference: reference as string, reportReference: rows[0].reference as string }
}

export const REPORT_RECIPES: Record<string, Recipe> = {
  listReportSchedules: () => [{ url: SCHEDULES }],
  listReportExports: () => [{ url: `${SCHEDULES}/choices` }],
  getReportSchedule: (things) => [{ url: `${SCHEDULES}/${things.scheduleReference}` }],
  createReportSchedule: (things) => [
    { method: 'POST', url: SCHEDULES, body: scheduleBody({ recipients: [things.userEmail] }) },
  ],
  deleteReportSchedule: (things) => [
    { method: 'DELETE', url: `${SCHEDULES}/${things.scheduleReference}` },
  ],
  getReport: (things) => [{ url: `${REPORTS}/${things.reportReference}` }],
}
