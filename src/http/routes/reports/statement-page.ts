// A statement as a page to read and print.

import { kindName, reasonName } from '#domain/reports/ledger-names.ts'
import type { StatementRow } from '#domain/reports/statements.ts'
import { escapeHtml, printablePage } from '#http/printable-page.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import { watTime } from '#wat-time.ts'

export type StatementPage = {
  title: string // Whose statement, and of what.
  holder: string
  currency: string
  from: Date | undefined
  to: Date
  openingKobo: Kobo
  rows: readonly StatementRow[]
}

export function renderStatement(page: StatementPage): string {
  const { title, holder, currency, openingKobo, rows } = page
  const closingKobo = rows.at(-1)?.balanceKobo ?? openingKobo
  const total = (isCounted: (change: bigint) => boolean) => {
    const counted = rows.filter(({ changeKobo }) => isCounted(changeKobo))
    return kobo(counted.reduce((sum, { changeKobo }) => sum + changeKobo, 0n))
  }
  const sums: [string, Kobo][] = [
    ['Opening balance', openingKobo],
    ['In', total((change) => change > 0n)],
    ['Out', kobo(-total((change) => change < 0n))],
    ['Closing balance', closingKobo],
  ]
  const body = `<header>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(holder)} · ${period(page)} · ${escapeHtml(currency)}</p>
<dl>${sums.map(([name, sum]) => `<div><dt>${name}</dt><dd>${amount(sum)}</dd></div>`).join('')}</dl>
</header>
<main>${rows.length > 0 ? table(rows) : '<p>No movements in this period.</p>'}</main>`
  return printablePage({ title, body })
}

function period({ from, to }: StatementPage): string {
  return `${from ? `${time(from)} to ` : 'Until '}${time(to)} (West Africa Time)`
}

function table(rows: readonly StatementRow[]): string {
  return `
<table>
<thead><tr><th scope="col">Posted</th><th scope="col">Movement</th>
<th scope="col" class="amount">In</th><th scope="col" class="amount">Out</th>
<th scope="col" class="amount">Balance</th></tr></thead>
<tbody>${rows.map(line).join('')}</tbody>
</table>`
}

function line(row: StatementRow): string {
  const { changeKobo } = row
  const cell = (name: string, text: string) => `<td class="amount" data-name="${name}">${text}</td>`
  return `
<tr><td>${time(row.postedAt)}</td>
<td>${escapeHtml(reasonName(row.reason))}${detailsOf(row).map(small).join('')}</td>${[
    cell('In', changeKobo > 0n ? amount(changeKobo) : ''),
    cell('Out', changeKobo < 0n ? amount(kobo(-changeKobo)) : ''),
    cell('Balance', amount(row.balanceKobo)),
  ].join('')}</tr>`
}

function detailsOf(row: StatementRow): string[] {
  const [from, to] = row.changeKobo > 0n ? ['From', ''] : ['', 'To']
  const references = [row.sessionId, row.payoutReference, row.settlementReference]
  return [
    ...(row.accountNumber ? [`Account ${row.accountNumber}`] : []),
    `${from}${to} ${row.otherAccountNumber ?? kindName(row.otherKind)}`,
    [row.sourceAccountName, row.narration].filter(Boolean).join(', '),
    ...references.map((reference) => reference ?? ''),
  ].filter(Boolean)
}

const small = (text: string) => `<small>${escapeHtml(text)}</small>`
const time = (at: Date) => watTime(at).slice(0, 19).replace('T', ' ')
const amount = (sum: Kobo) => formatKobo(sum).replace(/\B(?=(\d{3})+(?=\.))/g, ',')
