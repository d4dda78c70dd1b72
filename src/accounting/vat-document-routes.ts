// /api/v1/operator/vat-invoices: lists VAT invoices and credit notes of all clients, and issues those of a
// month.
// /api/v1/vat-invoices: a client's own VAT documents. Each document is also a page to print.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { refuseRestricted } from '#access/permissions.ts'
import { watDay } from '#clock.ts'
import type { Columns } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { choice, NoQuery } from '#http/lists.ts'
import { escapeHtml, PRINTABLE_HEADERS, printablePage } from '#http/pages.ts'
import { resource } from '#http/resource.ts'
import { BEARER, named, namedBody, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { formatKobo, groupThousands, type Kobo, kobo } from '#money.ts'
import { content, MonthQuery, OPERATOR, parseMonth, SCOPES } from './report-views.ts'
import type { TaxDetails } from './tax-rates.ts'
import {
  DOCUMENT_KINDS,
  getVatDocument,
  issueVatDocuments,
  listVatDocuments,
  numberOf,
  parseNumber,
  type VatDocument,
} from './vat-documents.ts'

const ALL_CLIENTS = `${OPERATOR}/vat-invoices`
const OWN_CLIENT = '/api/v1/vat-invoices'

const PartyView = view('VatInvoiceParty', (f: Fields<TaxDetails>) => ({
  name: f.text('legalName'),
  address: f.textOrNull('address', 'Null: not on record when it was issued.'),
  tin: f.textOrNull('tin', 'Null: not on record when it was issued.'),
}))

const DocumentView = view('VatInvoice', (f: Fields<VatDocument>) => ({
  number: f.text(numberOf, 'INV or CRN, and digits. Numbers of each have no gaps.'),
  kind: f.oneOf('kind', DOCUMENT_KINDS, 'credit_note: fees that were given back in the month.'),
  clientId: f.text('clientCode'),
  month: f.text('month'),
  currency: f.text('currency'),
  fees: f.naira('feesKobo', 'Without VAT.'),
  vat: f.naira('vatKobo'),
  total: f.naira(totalOf, 'fees + vat.'),
  withholdingTax: f.naira(
    'whtKobo',
    'On the fees of the month less those given back. On a credit note: to be taken back, because more ' +
      'fees were given back than charged.',
  ),
  withholdingOpen: f.naira('whtOpenKobo', 'Neither booked nor decided not to be withheld.'),
  seller: f.one(PartyView, ({ parties }) => parties.seller),
  buyer: f.one(PartyView, ({ parties }) => parties.buyer),
  issuedAt: f.time('issuedAt'),
}))

export const COLUMNS: Columns<VatDocument> = [
  ['number', numberOf],
  ['kind', ({ kind }) => kind],
  ['clientId', ({ clientCode }) => clientCode],
  ['month', ({ month }) => month],
  ['fees', ({ feesKobo }) => formatKobo(feesKobo), 'amount'],
  ['vat', ({ vatKobo }) => formatKobo(vatKobo), 'amount'],
  ['total', (document) => formatKobo(totalOf(document)), 'amount'],
  ['withholdingTax', ({ whtKobo }) => formatKobo(whtKobo), 'amount'],
  ['currency', ({ currency }) => currency],
]

function totalOf({ feesKobo, vatKobo }: Pick<VatDocument, 'feesKobo' | 'vatKobo'>): Kobo {
  return kobo(feesKobo + vatKobo)
}

const MonthFilter = { month: Type.Optional(MonthQuery.month) }
const KindFilter = { kind: choice(DOCUMENT_KINDS, 'Filter by kind.') }

const Issued = named('IssuedVatInvoices', {
  month: Type.String(),
  invoices: Type.Integer({ description: 'Issued now.' }),
  creditNotes: Type.Integer({ description: 'Issued now.' }),
})

// Refuses a text that is not a month, and a month that has not begun.
const checkMonth = (month: string | undefined, now: Date) => {
  if (month !== undefined) parseMonth(month, now)
  return month
}

export const operatorVatInvoices = resource(ALL_CLIENTS, {
  tag: 'Accounting',
  noun: 'VAT invoice',
  view: DocumentView,
  scopes: SCOPES,
  params: { number: parseNumber },
})
  .list('listClientVatInvoices', {
    exportAs: 'exportClientVatInvoices',
    summary: 'List VAT invoices of all clients, newest first',
    description: 'Invoices and credit notes, one of each per client and month.',
    filters: {
      ...MonthFilter,
      ...KindFilter,
      clientId: Type.Optional(text(64, 'Filter by client.')),
    },
    rows: (db, { query, after: beforeId, limit, now }) => {
      const { clientId: clientCode, kind } = query
      const month = checkMonth(query.month, now)
      return listVatDocuments(db, { clientCode, month, kind, beforeId, limit })
    },
  })
  .get('getClientVatInvoice', {
    summary: 'Retrieve a VAT invoice',
    description: 'Or a credit note, of any client, by its number.',
    errors: ['vat_invoice_not_found'],
    run: (db, { params }) => getVatDocument(db, params.number, null),
  })
  .create('issueVatInvoices', {
    summary: 'Issue the VAT invoices of a month',
    description:
      'One invoice for each client that was charged fees, and one credit note for each that was given ' +
      'some back. The last day of the month must be closed. Repeating it issues nothing more.',
    view: Issued,
    body: namedBody('VatInvoicesRequest', MonthQuery),
    errors: ['month_open'],
    message: 'VAT invoices issued successfully',
    run: (tx, call) => {
      const { month } = call.body
      return issueVatDocuments(tx, call, { month, period: parseMonth(month, call.now) })
    },
  })

export const ownVatInvoices = resource(OWN_CLIENT, {
  tag: 'Settlements',
  noun: 'VAT invoice',
  view: DocumentView,
  scopes: { read: 'payouts:read', write: 'payouts:write' },
  params: { number: parseNumber },
  isForWholeClient: true,
})
  .list('listVatInvoices', {
    exportAs: 'exportVatInvoices',
    summary: 'List your VAT invoices, newest first',
    description:
      'For the fees that you were charged, one per month; and credit notes for those given back.',
    filters: { ...MonthFilter, ...KindFilter },
    rows: (db, { query, clientId, after: beforeId, limit, now }) => {
      const month = checkMonth(query.month, now)
      return listVatDocuments(db, { clientId, month, kind: query.kind, beforeId, limit })
    },
  })
  .get('getVatInvoice', {
    summary: 'Retrieve your VAT invoice',
    description: 'Or a credit note, by its number.',
    errors: ['vat_invoice_not_found'],
    run: (db, { params, clientId }) => getVatDocument(db, params.number, clientId),
  })

const pageSchema = (operationId: string, tag: string) => ({
  tags: [tag],
  security: BEARER,
  operationId,
  summary: 'Retrieve a VAT invoice as a page to print',
  description: 'The invoice, or the credit note, as HTML without scripts.',
  params: Type.Object({ number: Type.String() }),
  querystring: NoQuery,
  response: content('text/html'),
})

const PAGE = { exposeHeadRoute: false, config: { errors: ['vat_invoice_not_found'] } } as const

export const vatInvoicePages: FastifyPluginAsyncTypebox<Deps> = async (
  app,
  { db, authentication },
) => {
  app.get(
    `${ALL_CLIENTS}/:number.html`,
    {
      ...PAGE,
      onRequest: authentication.requires('accounting:read'),
      schema: pageSchema('printClientVatInvoice', 'Accounting'),
    },
    async ({ params }, reply) => {
      const document = await getVatDocument(db, parseNumber(params.number), null)
      return reply.headers(PRINTABLE_HEADERS).send(documentPage(document))
    },
  )
  app.get(
    `${OWN_CLIENT}/:number.html`,
    {
      ...PAGE,
      onRequest: authentication.requires('payouts:read'),
      schema: pageSchema('printVatInvoice', 'Settlements'),
    },
    async ({ params, client }, reply) => {
      refuseRestricted(client)
      const document = await getVatDocument(db, parseNumber(params.number), client.id)
      return reply.headers(PRINTABLE_HEADERS).send(documentPage(document))
    },
  )
}

const TITLES = { invoice: 'VAT invoice', credit_note: 'VAT credit note' } as const
const FEES = { invoice: 'Fees charged', credit_note: 'Fees given back' } as const

// A document as HTML to print. Names and TINs are those of the time when it was issued. `data-name` shows the
// currency beside each amount on narrow screens, where the head of the table is hidden.
function documentPage(document: VatDocument): string {
  const { kind, month, currency, parties, feesKobo, vatKobo, whtKobo, issuedAt } = document
  const title = `${TITLES[kind]} ${numberOf(document)}`
  const rate = rateText(parties.vatBps)
  const row = (label: string, amount: Kobo, style = '') =>
    `<tr${style}><td>${escapeHtml(label)}</td>` +
    `<td class="amount" data-name="${currency}">${groupThousands(formatKobo(amount))}</td></tr>`
  const withholdingRow =
    whtKobo > 0n ? row('Withholding tax that may be deducted from the fees', whtKobo) : ''
  const body = `<header><h1>${escapeHtml(title)}</h1>
<p>Month of supply: ${month} (West Africa Time)<br>Issued: ${watDay(issuedAt)}</p></header>
<main>
<h2>From</h2>${partyHtml(parties.seller)}
<h2>To</h2>${partyHtml(parties.buyer)}
<h2>Amounts</h2>
<table><thead><tr><th scope="col">For</th>
<th scope="col" class="amount">${escapeHtml(currency)}</th></tr></thead>
<tbody>${row(FEES[kind], feesKobo)}
${row(`VAT${rate}`, vatKobo)}
${row('Total', totalOf(document), ' class="total"')}
${withholdingRow}</tbody></table>
</main>`
  return printablePage({ title, body })
}

// The standard VAT rate of the month, as text behind "VAT". `several` means that it changed within the month,
// null that no rate was in force.
function rateText(vatBps: VatDocument['parties']['vatBps']): string {
  if (vatBps === null) return ''
  return vatBps === 'several' ? ' (several rates)' : ` (standard rate ${vatBps / 100}%)`
}

function partyHtml({ legalName, address, tin }: TaxDetails): string {
  const lines = [legalName, address ?? 'Address: not on record', `TIN: ${tin ?? 'not on record'}`]
  return `<p>${lines.map(escapeHtml).join('<br>')}</p>`
}
