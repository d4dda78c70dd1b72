// What accounting reports are asked for: days, months, moments, and the currency of a journal.

import { Type } from '@fastify/type-provider-typebox'
import type { Pool } from '#db/pool.ts'
import { withSnapshot } from '#db/snapshot.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { parseBankTime, watDay } from '#wat-time.ts'

export const OPERATOR = '/api/v1/operator'
export const SCOPES = { read: 'accounting:read', write: 'accounting:write' } as const

const DAY = /^[12][0-9]{3}-[01][0-9]-[0-3][0-9]$/
const MONTH = /^([12][0-9]{3})-(0[1-9]|1[0-2])$/
const NOT_A_DAY = 'Must be a day as yyyy-MM-dd, e.g. 2026-11-15.'
const NOT_A_MONTH = 'Must be a month as yyyy-MM, e.g. 2026-11.'
const IN_THE_FUTURE = 'Must not be in the future.'

export const dayField = (description: string) =>
  Type.String({ description, maxLength: 10, 'x-says': NOT_A_DAY })

export const DayQuery = { day: dayField('Day in West Africa, as yyyy-MM-dd.') }

export const MonthQuery = {
  month: Type.String({
    description: 'Month in West Africa, as yyyy-MM.',
    maxLength: 7,
    'x-says': NOT_A_MONTH,
  }),
}

export function refused(field: string, message: string): Refusal {
  return new Refusal('invalid_request', [{ field, message }])
}

// A day of the calendar.
export function parseDay(text: string, field = 'day'): string {
  if (!DAY.test(text) || !parseBankTime(text)) throw refused(field, NOT_A_DAY)
  return text
}

// One that has begun.
export function parsePastDay(text: string, now: Date): string {
  const day = parseDay(text)
  if (day > watDay(now)) throw refused('day', IN_THE_FUTURE)
  return day
}

export function parseMonth(text: string, now: Date): { from: Date; to: Date } {
  const [, year, month] = MONTH.exec(text) ?? []
  if (!year || !month) throw refused('month', NOT_A_MONTH)
  if (text > watDay(now).slice(0, 7)) throw refused('month', IN_THE_FUTURE)
  const next = month === '12' ? `${Number(year) + 1}-01` : `${year}-${pad(Number(month) + 1)}`
  return { from: parseBankTime(`${text}-01`) as Date, to: parseBankTime(`${next}-01`) as Date }
}

// Sums of a million transfers are kept in memory while they are made.
export function withReport<T>(db: Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return withSnapshot(db, async (tx) => {
    await tx.query(`set local work_mem = '64MB'`)
    return work(tx)
  })
}

const pad = (month: number) => String(month).padStart(2, '0')
