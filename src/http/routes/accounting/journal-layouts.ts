// The journal as CSV, in the layouts that accounting programs import. Part of closed journals: what is
// written here for a line must never change (I68).
//
//   manilla     one row a debit or credit, all currencies
//   xero        manual journals: amounts above zero are debits
//   quickbooks  QuickBooks Online, journal entries: accounts by name
//   sage        Sage 50, transactions: JD and JC

import { createHash } from 'node:crypto'
import type { Journal, JournalEntry } from '#domain/accounting/journal.ts'
import { type Columns, csvText } from '#http/csv.ts'
import { formatKobo, kobo } from '#money.ts'
import { amountOrNone } from './report-formats.ts'

export const LAYOUTS = ['manilla', 'xero', 'quickbooks', 'sage'] as const
export type Layout = (typeof LAYOUTS)[number]

// An entry of a day, or one side of a transfer.
export type JournalRow = JournalEntry & {
  day: string
  reference: string
  transferId: number | null
  postedAt: string | null
}

// What the entries of a day are told by: one journal of each currency.
export function journalNumber(day: string, currency: string): string {
  return `MANILLA-${day}-${currency}`
}

export function toRows({ day, entries }: Pick<Journal, 'day' | 'entries'>): JournalRow[] {
  return entries.map((entry) => ({
    ...entry,
    day,
    reference: journalNumber(day, entry.currency),
    transferId: null,
    postedAt: null,
  }))
}

// "bank charge, bank 058". Nothing of payers.
function narration({ reason, clientCode, bankCode }: JournalRow): string {
  const of = clientCode === null ? '' : `, client ${clientCode}`
  const at = bankCode === null ? '' : `, bank ${bankCode}`
  return `${reason.replaceAll('_', ' ')}${of}${at}`
}

const [dayOf, monthOf] = [
  (row: JournalRow) => row.day.slice(8),
  (row: JournalRow) => row.day.slice(5, 7),
]
const yearOf = (row: JournalRow) => row.day.slice(0, 4)
const dayFirst = (row: JournalRow) => `${dayOf(row)}/${monthOf(row)}/${yearOf(row)}`
const monthFirst = (row: JournalRow) => `${monthOf(row)}/${dayOf(row)}/${yearOf(row)}`
const signed = ({ debitKobo, creditKobo }: JournalRow) => formatKobo(kobo(debitKobo - creditKobo))
const nothing = () => ''

export const COLUMNS: Readonly<Record<Layout, Columns<JournalRow>>> = {
  manilla: [
    ['date', ({ day }) => day],
    ['accountCode', ({ code }) => code],
    ['accountName', ({ name }) => name],
    ['debit', ({ debitKobo }) => amountOrNone(debitKobo)],
    ['credit', ({ creditKobo }) => amountOrNone(creditKobo)],
    ['currency', ({ currency }) => currency],
    ['reference', ({ reference }) => reference],
    ['narration', narration],
    ['clientId', ({ clientCode }) => clientCode],
    ['bankCode', ({ bankCode }) => bankCode],
    ['reason', ({ reason }) => reason],
    ['transferId', ({ transferId }) => transferId],
    ['postedAt', ({ postedAt }) => postedAt],
  ],
  xero: [
    ['*Narration', ({ day, currency }) => journalNumber(day, currency)],
    ['*Date', dayFirst],
    ['Description', (row) => describe(row)],
    ['*AccountCode', ({ code }) => code],
    ['*TaxRate', () => 'Tax Exempt'],
    ['*Amount', signed],
    ['TrackingName1', nothing],
    ['TrackingOption1', nothing],
    ['TrackingName2', nothing],
    ['TrackingOption2', nothing],
  ],
  quickbooks: [
    ['*JournalNo', ({ day, currency }) => journalNumber(day, currency)],
    ['*JournalDate', monthFirst],
    ['*AccountName', ({ name }) => name],
    ['*Debits', ({ debitKobo }) => amountOrNone(debitKobo)],
    ['*Credits', ({ creditKobo }) => amountOrNone(creditKobo)],
    ['Description', (row) => describe(row)],
    ['Name', nothing],
    ['Currency', ({ currency }) => currency],
    ['Location', nothing],
    ['Class', nothing],
  ],
  sage: [
    ['Type', ({ debitKobo }) => (debitKobo > 0n ? 'JD' : 'JC')],
    ['Account Reference', nothing],
    ['Nominal A/C Ref', ({ code }) => code],
    ['Department Code', () => 0],
    ['Date', dayFirst],
    ['Reference', ({ reference }) => reference.slice(0, SAGE_REFERENCE_MAX)],
    ['Details', (row) => narration(row).slice(0, SAGE_DETAILS_MAX)],
    ['Net Amount', ({ debitKobo, creditKobo }) => formatKobo(kobo(debitKobo + creditKobo))],
    ['Tax Code', () => 'T9'], // Outside the scope of VAT.
    ['Tax Amount', () => '0.00'],
  ],
}

const SAGE_REFERENCE_MAX = 30
const SAGE_DETAILS_MAX = 60

// With the reference of the transfer, where a row is one.
function describe(row: JournalRow): string {
  return row.transferId === null ? narration(row) : `${narration(row)}, ${row.reference}`
}

// The file whose hash is kept with a closed day: by day, as `manilla`.
export function journalText(journal: Journal): string {
  return csvText(COLUMNS.manilla, toRows(journal))
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
