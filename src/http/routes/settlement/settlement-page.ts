// The statement of a settlement as a page to read and print.

import { escapeHtml, printablePage } from '#http/printable-page.ts'
import type { LineView, SettlementView } from './settlement-presenters.ts'

type Statement = {
  client: string
  settlement: ReturnType<typeof SettlementView.present>
  lines: readonly ReturnType<typeof LineView.present>[]
}

const FORMAT = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const money = (amount: number, name = '') =>
  `<td class="amount" data-name="${name}">${FORMAT.format(amount)}</td>`
const cell = (text: string | null) => `<td>${escapeHtml(text ?? '')}</td>`
// yyyy-MM-dd HH:mm:ss of a timestamp in West Africa Time.
const time = (at: string) => at.slice(0, 19).replace('T', ' ')

const TOTALS = [
  ['gross', 'Credits settled'],
  ['fees', 'Fees on credits and payouts'],
  ['vat', 'VAT on these fees'],
  ['reversed', 'Reversed before settlement'],
  ['refunds', 'Refunds drawn'],
  ['paidOut', 'Payouts drawn'],
  ['recovered', 'Recovered'],
  ['reserved', 'Reserve held back'],
  ['released', 'Reserve released'],
  ['carried', 'Carried forward'],
] as const
const LINE_AMOUNTS = [
  ['gross', 'Gross'],
  ['fee', 'Fee'],
  ['vat', 'VAT'],
  ['split', 'Split'],
  ['reversed', 'Reversed'],
  ['other', 'Other'],
  ['net', 'Net'],
] as const
const ADDED: readonly string[] = ['gross', 'released', 'carried']

export function statementPage({ client, settlement, lines }: Statement): string {
  const { reference, status, period, net, payouts } = settlement
  const title = `Settlement ${reference}`
  const from = period.from === null ? 'the beginning' : time(period.from)
  const totals = TOTALS.map(([name, label]) => {
    const amount = settlement[name]
    return `<tr>${cell(label)}${money(ADDED.includes(name) || amount === 0 ? amount : -amount)}</tr>`
  })
  const paid = payouts.map(
    (payout) =>
      `<tr>${cell(payout.reference)}${cell(payout.subaccountCode)}${cell(payout.status)}` +
      `${money(payout.amount, 'Amount')}</tr>`,
  )
  const rows = lines.map(
    (line) =>
      `<tr>${cell(time(line.postedAt))}${cell(line.kind)}` +
      `${cell(line.sessionId ?? line.payoutReference)}` +
      `${cell(line.merchantRef ?? line.collectionAccountNumber)}` +
      `${LINE_AMOUNTS.map(([field, name]) => money(line[field], name)).join('')}</tr>`,
  )
  const more = settlement.lines > lines.length && settlement.status !== 'cancelled'
  const body = `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(client)}<br>From ${escapeHtml(from)} to ${escapeHtml(time(settlement.cutOff))} (WAT)<br>
Status: ${escapeHtml(status)}, closed ${escapeHtml(time(settlement.closedAt))}</p>
<table><tbody>${totals.join('\n')}
<tr class="total"><td>Settlement amount (${escapeHtml(settlement.currency)})</td>${money(net)}</tr>
</tbody></table>
<h2>Payouts</h2>
<table><thead><tr><th>Reference<th>Subaccount<th>Status<th class="amount">Amount</tr></thead>
<tbody>${paid.join('\n')}</tbody></table>
<h2>Lines</h2>
<table><thead><tr><th>Posted (WAT)<th>Type<th>Reference<th>For
${LINE_AMOUNTS.map(([, name]) => `<th class="amount">${name}`).join('')}</tr></thead>
<tbody>${rows.join('\n')}</tbody></table>
${more ? `<p>The first ${lines.length} of ${settlement.lines} lines; the CSV has all.</p>` : ''}`
  return printablePage({ title, body })
}
