// The statement of a settlement as a page to print: plain HTML, no script.

import type { presentLine, presentSettlement } from './settlement-presenters.ts'

type Statement = {
  client: string
  settlement: ReturnType<typeof presentSettlement>
  lines: readonly ReturnType<typeof presentLine>[]
}

export const STATEMENT_STYLE = `
body { font: 14px/1.4 system-ui, sans-serif; margin: 2rem; color: #111 }
h1 { font-size: 1.4rem } table { border-collapse: collapse; margin: 1rem 0 }
th, td { border-bottom: 1px solid #ccc; padding: .25rem .6rem; text-align: left }
td.amount, th.amount { text-align: right; font-variant-numeric: tabular-nums }
tr.total td { font-weight: bold; border-top: 2px solid #111 }
thead { display: table-header-group } tr { break-inside: avoid }
@media print { body { margin: 0; font-size: 11px } }`

const MARKS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeHtml(text: string | number | null): string {
  return String(text ?? '').replace(/[&<>"]/g, (mark) => MARKS[mark] as string)
}

const FORMAT = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const money = (amount: number) => `<td class="amount">${FORMAT.format(amount)}</td>`
const cell = (text: string | number | null) => `<td>${escapeHtml(text)}</td>`
// yyyy-MM-dd HH:mm:ss of a timestamp in West Africa Time.
const time = (at: string) => at.slice(0, 19).replace('T', ' ')

const TOTALS = [
  ['gross', 'Gross'],
  ['fees', 'Fees'],
  ['vat', 'VAT on fees'],
  ['reversed', 'Reversed'],
  ['refunds', 'Refunds'],
  ['paidOut', 'Paid out before'],
  ['recovered', 'Recovered'],
  ['reserved', 'Held back'],
  ['released', 'Released'],
  ['carried', 'Carried'],
] as const
const ADDED: readonly string[] = ['gross', 'released', 'carried']

export function statementPage({ client, settlement, lines }: Statement): string {
  const { reference, status, period, net, payouts } = settlement
  const title = `Settlement ${escapeHtml(reference)}`
  const from = period.from === null ? 'the beginning' : time(period.from)
  const totals = TOTALS.map(([name, label]) => {
    const amount = settlement[name]
    return `<tr>${cell(label)}${money(ADDED.includes(name) || amount === 0 ? amount : -amount)}</tr>`
  })
  const paid = payouts.map(
    (payout) =>
      `<tr>${cell(payout.reference)}${cell(payout.subaccountCode)}${cell(payout.status)}` +
      `${money(payout.amount)}</tr>`,
  )
  const rows = lines.map(
    (line) =>
      `<tr>${cell(time(line.postedAt))}${cell(line.kind)}` +
      `${cell(line.sessionId ?? line.payoutReference)}` +
      `${cell(line.merchantRef ?? line.collectionAccountNumber)}` +
      `${money(line.gross)}${money(line.fee)}${money(line.vat)}${money(line.split)}` +
      `${money(line.reversed)}${money(line.other)}${money(line.net)}</tr>`,
  )
  const more = settlement.lines > lines.length && settlement.status !== 'cancelled'
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<style>${STATEMENT_STYLE}</style></head><body>
<h1>${title}</h1>
<p>${escapeHtml(client)}<br>From ${escapeHtml(from)} to ${escapeHtml(time(settlement.cutOff))} (WAT)<br>
Status: ${escapeHtml(status)}, closed ${escapeHtml(time(settlement.closedAt))}</p>
<table><tbody>${totals.join('\n')}
<tr class="total"><td>Net (${escapeHtml(settlement.currency)})</td>${money(net)}</tr></tbody></table>
<h2>Payouts</h2>
<table><thead><tr><th>Reference<th>Subaccount<th>Status<th class="amount">Amount</tr></thead>
<tbody>${paid.join('\n')}</tbody></table>
<h2>Lines</h2>
<table><thead><tr><th>Posted (WAT)<th>Kind<th>Reference<th>For<th class="amount">Gross
<th class="amount">Fee<th class="amount">VAT<th class="amount">Split<th class="amount">Reversed
<th class="amount">Other<th class="amount">Net</tr></thead>
<tbody>${rows.join('\n')}</tbody></table>
${more ? `<p>The first ${lines.length} of ${settlement.lines} lines; the CSV has all.</p>` : ''}
</body></html>
`
}
