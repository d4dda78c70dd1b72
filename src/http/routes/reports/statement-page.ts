// A statement as a page to read and print: no script, no request but its own.

import { createHash } from 'node:crypto'
import { kindName, reasonName } from '#domain/reports/ledger-names.ts'
import type { StatementRow } from '#domain/reports/statements.ts'
import { PAGE_HEADERS } from '#http/static-pages.ts'
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

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f23; --soft: #59636e; --line: #d1d9e0; --ground: #fff }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9198a1; --line: #3d444d; --ground: #0d1117 }
}
@media print { :root { --ink: #000; --soft: #333; --line: #999; --ground: #fff } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.5rem 1rem; max-width: 70rem; color: var(--ink);
  background: var(--ground); font: 0.9375rem/1.5 system-ui, sans-serif }
h1 { margin: 0; font-size: 1.375rem; overflow-wrap: anywhere }
p, dt, small { color: var(--soft) }
p { margin: 0.25rem 0 1rem }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 0.75rem;
  margin: 0 0 1.25rem }
dd { margin: 0; font-size: 1.125rem; font-variant-numeric: tabular-nums }
table { width: 100%; border-collapse: collapse }
th, td { padding: 0.375rem 0.5rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; overflow-wrap: anywhere }
th { color: var(--soft); font-weight: 600 }
small { display: block }
.amount { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
thead { display: table-header-group }
tr { break-inside: avoid }
@media screen and (max-width: 40rem) {
  thead { display: none }
  table, tbody, tr, td { display: block }
  tr { padding: 0.5rem 0; border-bottom: 1px solid var(--line) }
  td { padding: 0.125rem 0; border: 0 }
  .amount { display: flex; justify-content: space-between }
  .amount:empty { display: none }
  .amount::before { content: attr(data-name); color: var(--soft) }
}
@page { margin: 15mm }
`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

export const STATEMENT_HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'; ` +
    `base-uri 'none'; form-action 'none'`,
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
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(holder)} · ${period(page)} · ${escapeHtml(currency)}</p>
<dl>${sums.map(([name, sum]) => `<div><dt>${name}</dt><dd>${amount(sum)}</dd></div>`).join('')}</dl>
</header>
<main>${rows.length > 0 ? table(rows) : '<p>No movements in this period.</p>'}</main>
</body>
</html>
`
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

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
}
