// Scheduled reports of a test: their set-up, and the requests for another client's.

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

// The user gets it, unless the changes name others.
export async function schedule(by: Browser, changes: object = {}) {
  const body = scheduleBody({ recipients: [by.user.email], ...changes })
  const answer = await by.call({ url: SCHEDULES, body })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

// A schedule with a run that has not expired.
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
  getReportSchedule: (of) => [{ url: `${SCHEDULES}/${of.scheduleReference}` }],
  createReportSchedule: (of) => [
    { method: 'POST', url: SCHEDULES, body: scheduleBody({ recipients: [of.userEmail] }) },
  ],
  deleteReportSchedule: (of) => [{ method: 'DELETE', url: `${SCHEDULES}/${of.scheduleReference}` }],
  getReport: (of) => [{ url: `${REPORTS}/${of.reportReference}` }],
}
