// VAT invoices and credit notes of a client and month, and the withholding tax that they state.
//
// An invoice states the fees that were charged in the month and their VAT; a credit note states the fees that
// were credited back. Invoices less credit notes are the output VAT of the VAT report (I69).
//
// Documents are issued only after the last day of the month is closed, so their figures can never change.
// Invoices and credit notes are each numbered without gaps (I116): a document gets its number under a lock,
// in the transaction that writes it, and its row names the number before it (the constraint
// vat_documents_follow_one_another).

import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { findLastClosed, type Period } from './journal.ts'
import { rateSegments, readTaxDetails, type TaxDetails } from './tax-rates.ts'
import { type OutputVat, readFees, readVatReport } from './vat.ts'

export const DOCUMENT_KINDS = ['invoice', 'credit_note'] as const
type DocumentKind = (typeof DOCUMENT_KINDS)[number]

type Parties = { seller: TaxDetails; buyer: TaxDetails; vatBps: number | 'several' | null }

export type VatDocument = {
  id: bigint
  kind: DocumentKind
  number: bigint
  clientId: ClientId
  clientCode: string
  month: string // yyyy-MM.
  currency: string
  feesKobo: Kobo
  vatKobo: Kobo
  // Withholding tax on the fees of the month, less fees credited back. If more fees were credited back than
  // charged, the credit note states the tax to reverse.
  whtKobo: Kobo
  whtOpenKobo: Kobo // Neither booked nor decided not to be withheld.
  parties: Parties
  issuedBy: string
  issuedAt: Date
}

const PREFIXES = { invoice: 'INV', credit_note: 'CRN' } as const
const DIGITS = 6
const NUMBER = /^(INV|CRN)([0-9]{6,15})$/

export function numberOf({ kind, number }: Pick<VatDocument, 'kind' | 'number'>): string {
  return `${PREFIXES[kind]}${number.toString().padStart(DIGITS, '0')}`
}

// Parses a number such as INV000012. Refuses extra leading zeros, so that a document's number has one
// spelling.
export function parseNumber(text: string): Pick<VatDocument, 'kind' | 'number'> {
  const [, prefix, digits] = NUMBER.exec(text) ?? []
  const document = {
    kind: prefix === 'INV' ? ('invoice' as const) : ('credit_note' as const),
    number: BigInt(digits ?? 0),
  }
  if (!prefix || numberOf(document) !== text) throw new Refusal('vat_invoice_not_found')
  return document
}

// SQL lateral: how much of the withholding tax that the VAT document `d` states has been booked, and how much
// was decided not to be withheld. A reversal reduces the booked tax of an invoice and increases that of a
// credit note, which states tax to reverse.
const DECIDED_TAX = `
  lateral (
    select coalesce(sum(a.amount_kobo * case when a.kind = 'withholding_reversal' then -1 else 1 end)
                      filter (where a.kind in ('withholding', 'withholding_reversal')), 0)
             * case when d.kind = 'invoice' then 1 else -1 end as booked,
           coalesce(sum(a.amount_kobo) filter (where a.kind = 'not_withheld'), 0) as refused
      from adjustments a
     where a.client_id = d.client_id and a.subject = 'withholding' and a.state = 'approved'
       and a.document = case when d.kind = 'invoice' then 'INV' else 'CRN' end
                        || lpad(d.number::text, greatest(6, length(d.number::text)), '0')) as decided`

const SELECT = `
  select d.id, d.kind, d.number, d.client_id, c.client_id as client_code,
         to_char(d.month, 'YYYY-MM') as month, d.currency, d.fees_kobo, d.vat_kobo, d.wht_kobo,
         greatest(d.wht_kobo - decided.booked - decided.refused, 0)::bigint as wht_open_kobo, d.parties,
         d.issued_by, d.issued_at
    from vat_documents d join clients c on c.id = d.client_id cross join ${DECIDED_TAX}`

type DocumentFilter = {
  clientId?: ClientId | undefined
  clientCode?: string | undefined
  month?: string | undefined
  kind?: DocumentKind | undefined
  beforeId: bigint | null
  limit: number
}

// Lists VAT documents, newest first. listQuery numbers each `$`, and drops the condition of a filter that is
// undefined. `clientId` is the internal id, `clientCode` the public one.
export async function listVatDocuments(
  db: Queryable,
  { clientId, clientCode, month, kind, beforeId, limit }: DocumentFilter,
): Promise<VatDocument[]> {
  const { rows } = await db.query<VatDocument>(
    listQuery({
      select: SELECT,
      where: [
        ['d.client_id = $', clientId],
        ['c.client_id = $', clientCode],
        ['d.month = $', month && `${month}-01`],
        ['d.kind = $', kind],
      ],
      id: 'd.id',
      after: beforeId,
      limit,
    }),
  )
  return rows
}

// Lists the invoices, then the credit notes, each in the order of their numbers.
export async function listDocumentsOfMonth(db: Queryable, month: string): Promise<VatDocument[]> {
  const { rows } = await db.query<VatDocument>({
    name: 'list-vat-documents-of-month',
    text: `${SELECT} where d.month = $1 order by d.kind desc, d.number`,
    values: [`${month}-01`],
  })
  return rows
}

// Without `clientId`, finds the document of any client.
export async function getVatDocument(
  db: Queryable,
  { kind, number }: Pick<VatDocument, 'kind' | 'number'>,
  clientId: ClientId | null,
): Promise<VatDocument> {
  const { rows } = await db.query<VatDocument>({
    name: 'get-vat-document',
    text: `${SELECT} where d.kind = $1 and d.number = $2 and ($3::bigint is null or d.client_id = $3)`,
    values: [kind, number, clientId],
  })
  if (!rows[0]) throw new Refusal('vat_invoice_not_found')
  return rows[0]
}

type Issuing = { clientId: ClientId; actor: string; now: Date }
type Draft = Pick<VatDocument, 'kind' | 'clientId' | 'currency' | 'feesKobo' | 'vatKobo'>

// Issues the VAT invoices and credit notes of a month, for all clients, as far as they are not issued yet.
export async function issueVatDocuments(
  tx: Transaction,
  by: Issuing,
  { month, period }: { month: string; period: Period },
): Promise<{ month: string; invoices: number; creditNotes: number }> {
  const lastClosedDay = await findLastClosed(tx, by.now)
  if (!lastClosedDay || lastClosedDay.endsAt < period.to) throw new Refusal('month_open')
  await tx.query(`select pg_advisory_xact_lock(hashtext('vat_documents'))`)
  const drafts = await listMissing(tx, { month, period })
  const counts = { invoice: 0, credit_note: 0 }
  const seller = await readTaxDetails(tx, by.clientId)
  const vatBps = await standardRateOf(tx, period)
  for (const draft of drafts) {
    const buyer = await readTaxDetails(tx, draft.clientId)
    const parties = { seller, buyer, vatBps }
    const withheldKobo = await withholdingTaxOf(tx, draft, period)
    const whtKobo = draft.kind === 'invoice' ? withheldKobo : -withheldKobo
    await insertDocument(tx, by, {
      ...draft,
      month,
      whtKobo: kobo(whtKobo > 0n ? whtKobo : 0n),
      parties,
    })
    counts[draft.kind] += 1
  }
  const result = { month, invoices: counts.invoice, creditNotes: counts.credit_note }
  if (drafts.length > 0) {
    const action = {
      action: 'vat_invoice.issue',
      subject: `month/${month}`,
      detail: result,
    } as const
    await writeAuditLog(tx, by.now, { clientId: by.clientId, actor: by.actor, ...action })
  }
  return result
}

// Returns the standard rate of VAT in basis points: `several` if it changed in the period, null if none was
// in force.
async function standardRateOf(tx: Transaction, period: Period): Promise<Parties['vatBps']> {
  const segments = await rateSegments(tx, { tax: 'vat', clientId: null, period })
  const [firstBps = null, ...otherBps] = new Set(segments.map(({ rate }) => rate?.bps ?? null))
  return otherBps.length > 0 ? 'several' : firstBps
}

// Lists the documents of a month that are not issued yet.
export async function listMissing(
  db: Queryable,
  { month, period }: { month: string; period: Period },
): Promise<Draft[]> {
  const { output } = await readVatReport(db, period)
  const issued = await readIssued(db, month)
  return output.flatMap(draftsOf).filter((draft) => !issued.has(keyOf(draft)))
}

// The documents for a client's row of the VAT report: an invoice for fees charged, a credit note for fees
// credited back. A row without a client gets none.
function draftsOf(row: OutputVat): Draft[] {
  const { clientId, currency } = row
  if (clientId === null) return []
  const drafts: Draft[] = [
    {
      kind: 'invoice',
      clientId,
      currency,
      feesKobo: row.feesChargedKobo,
      vatKobo: row.chargedKobo,
    },
    {
      kind: 'credit_note',
      clientId,
      currency,
      feesKobo: row.feesGivenBackKobo,
      vatKobo: row.givenBackKobo,
    },
  ]
  return drafts.filter(({ feesKobo, vatKobo }) => feesKobo + vatKobo > 0n)
}

// A client has at most one document per kind, month and currency.
const keyOf = ({ kind, clientId, currency }: Pick<Draft, 'kind' | 'clientId' | 'currency'>) =>
  `${kind}/${clientId}/${currency}`

// Returns the keys (keyOf) of the documents that are issued already.
async function readIssued(db: Queryable, month: string): Promise<Set<string>> {
  const { rows } = await db.query<Draft>({
    name: 'vat-documents-of-month',
    text: 'select kind, client_id, currency from vat_documents where month = $1',
    values: [`${month}-01`],
  })
  return new Set(rows.map(keyOf))
}

const ALL_BPS = 10_000n

// Returns the withholding tax on the client's fees, by the rate in force on each day, rounded half up for
// each rate. The result is negative if more fees were credited back than charged.
async function withholdingTaxOf(
  tx: Transaction,
  { clientId, currency }: Draft,
  period: Period,
): Promise<bigint> {
  let total = 0n
  for (const { from, to, rate } of await rateSegments(tx, {
    tax: 'withholding',
    clientId,
    period,
  })) {
    if (!rate?.bps) continue
    const feesKobo = await readFees(tx, { from, to }, { clientId, currency })
    const [sign, sizeKobo] = feesKobo < 0n ? [-1n, -feesKobo] : [1n, feesKobo]
    // Half up: feesKobo * bps / 10,000 + 1/2, with both sides of the fraction doubled.
    total += (sign * (2n * sizeKobo * BigInt(rate.bps) + ALL_BPS)) / (2n * ALL_BPS)
  }
  return total
}

type NewDocument = Draft & Pick<VatDocument, 'month' | 'whtKobo' | 'parties'>

// Gives the document the next number of its kind. The caller holds the lock, so no number is used twice.
async function insertDocument(tx: Transaction, by: Issuing, document: NewDocument): Promise<void> {
  const { kind, clientId, month, currency, feesKobo, vatKobo, whtKobo, parties } = document
  await tx.query({
    name: 'insert-vat-document',
    text: `insert into vat_documents (kind, number, previous, client_id, month, currency, fees_kobo, vat_kobo,
                                      wht_kobo, parties, issued_by, issued_at)
           select $1, coalesce(max(number), 0) + 1, max(number), $2, $3, $4, $5, $6, $7, $8, $9, $10
             from vat_documents where kind = $1`,
    values: [
      kind,
      clientId,
      `${month}-01`,
      currency,
      feesKobo,
      vatKobo,
      whtKobo,
      JSON.stringify(parties),
      by.actor,
      by.now,
    ],
  })
}

// Withholding tax: how much of the tax that a VAT document states may still be booked (I178), and the report
// of a month by client. All its figures but the invoiced tax are movements of ledger accounts.

export const TAX_KINDS = [
  'withholding',
  'withholding_reversal',
  'not_withheld',
  'wht_credit_note',
  'wht_credit_note_reversal',
  'wht_write_off',
] as const
type TaxKind = (typeof TAX_KINDS)[number]

export function isTaxKind(kind: string): kind is TaxKind {
  return (TAX_KINDS as readonly string[]).includes(kind)
}

type TaxAdjustment = { kind: TaxKind; clientId: ClientId; document: string; owedKobo: Kobo }

// Returns the most that an adjustment of a document's tax may move. `owedKobo` is the balance of the account
// that the adjustment credits. The caller has locked it, so no other booking of the document runs at the same
// time. For `wht_credit_note` and its reversal, `document` is the credit note that the client hands
// over; for the other kinds, it is our VAT invoice or VAT credit note.
export async function findTaxLimit(
  db: Queryable,
  { kind, clientId, document, owedKobo }: TaxAdjustment,
): Promise<Kobo> {
  const booked = await sumApproved(db, clientId, document)
  if (kind === 'wht_credit_note' || kind === 'wht_credit_note_reversal') {
    const recordedKobo = booked.wht_credit_note - booked.wht_credit_note_reversal
    if (kind === 'wht_credit_note_reversal') return smallerOf(recordedKobo, owedKobo)
    if (recordedKobo > 0n) throw new Refusal('document_recorded')
    return owedKobo
  }
  const { kind: documentKind, whtKobo } = await getVatDocument(db, parseNumber(document), clientId)
  const withheldKobo = booked.withholding - booked.withholding_reversal
  const dueKobo = withheldKobo - booked.wht_write_off
  const isInvoice = documentKind === 'invoice'
  // Only invoices have tax to withhold: a VAT credit note takes tax back.
  if (kind === 'withholding') return kobo(isInvoice ? whtKobo - withheldKobo : 0n)
  if (kind === 'not_withheld') {
    const bookedKobo = isInvoice ? withheldKobo : -withheldKobo
    return kobo(whtKobo - bookedKobo - booked.not_withheld)
  }
  // A VAT credit note states tax to reverse, because its fees were credited back.
  if (!isInvoice)
    return kind === 'wht_write_off' ? kobo(0n) : smallerOf(whtKobo + withheldKobo, owedKobo)
  // A write-off or reversal of an invoice's tax: at most the tax that is booked and not written off.
  return smallerOf(dueKobo, owedKobo)
}

function smallerOf(one: bigint, other: bigint): Kobo {
  return kobo(one < other ? one : other)
}

// Sums the approved adjustments of a document by kind: 0 for a kind without any.
async function sumApproved(
  db: Queryable,
  clientId: ClientId,
  document: string,
): Promise<Record<TaxKind, bigint>> {
  const { rows } = await db.query<{ kind: TaxKind; kobo: bigint }>({
    name: 'sum-booked-tax',
    text: `select kind, sum(amount_kobo)::bigint as kobo from adjustments
            where client_id = $1 and document = $2 and subject = 'withholding'
              and state = 'approved'
            group by kind`,
    values: [clientId, document],
  })
  const zeros = Object.fromEntries(TAX_KINDS.map((kind) => [kind, 0n]))
  return { ...zeros, ...Object.fromEntries(rows.map((row) => [row.kind, row.kobo])) } as never
}

export type Withholding = {
  clientCode: string
  currency: string
  invoicedKobo: Kobo // Stated on the VAT invoices of the month, less the tax on its credit notes.
  withheldKobo: Kobo // Booked in the month, less reversals.
  creditNotesKobo: Kobo // Booked in the month, less reversals.
  writtenOffKobo: Kobo // In the month.
  receivableKobo: Kobo // Withheld tax without a credit note, at the end of the month.
}

// Reads the withholding tax of a month by client. `from` and `to` are the bounds of `month`. Call in a
// repeatable-read transaction.
export async function readWithholding(
  db: Queryable,
  { from, to, month }: Period & { month: string },
): Promise<Withholding[]> {
  const { rows } = await db.query<Withholding>({
    name: 'read-withholding',
    text: `with accounts as (
             select id, kind, substr(owner, length('operator:') + 1)::bigint as client_id, currency
               from ledger_accounts where kind in ('wht_receivable', 'wht_credit')
           ), moved as (
             select a.kind, a.client_id, a.currency, t.posted_at, t.reason, t.amount_kobo as kobo
               from accounts a join transfers t on t.debit_account_id = a.id where t.posted_at < $2
              union all
             select a.kind, a.client_id, a.currency, t.posted_at, t.reason, -t.amount_kobo
               from accounts a join transfers t on t.credit_account_id = a.id where t.posted_at < $2
           ), parts as (
             select client_id, currency, 0 as invoiced,
                    case when kind = 'wht_receivable' and posted_at >= $1
                          and reason in ('withholding', 'withholding_reversal')
                         then kobo else 0 end as withheld,
                    case when kind = 'wht_credit' and posted_at >= $1
                         then kobo else 0 end as credit_notes,
                    case when reason = 'write_off' and posted_at >= $1
                         then -kobo else 0 end as written_off,
                    case when kind = 'wht_receivable' then kobo else 0 end as receivable
               from moved
              union all
             select client_id, currency, case when kind = 'invoice' then wht_kobo else -wht_kobo end,
                    0, 0, 0, 0
               from vat_documents where month = $3
           )
           select c.client_id as client_code, p.currency, sum(invoiced)::bigint as invoiced_kobo,
                  sum(withheld)::bigint as withheld_kobo,
                  sum(credit_notes)::bigint as credit_notes_kobo,
                  sum(written_off)::bigint as written_off_kobo,
                  sum(receivable)::bigint as receivable_kobo
             from parts p join clients c on c.id = p.client_id
            group by c.client_id, p.currency
           having sum(invoiced) <> 0 or sum(withheld) <> 0 or sum(credit_notes) <> 0
               or sum(written_off) <> 0 or sum(receivable) <> 0
            order by p.currency, c.client_id`,
    values: [from, to, `${month}-01`],
  })
  return rows
}

// Counts the VAT documents of the month with withholding tax that is neither booked nor decided not to be
// withheld.
export async function countUnbookedWithholding(db: Queryable, month: string): Promise<number> {
  const { rows } = await db.query<{ count: bigint }>({
    name: 'count-unbooked-withholding',
    text: `select count(*) as count from vat_documents d cross join ${DECIDED_TAX}
            where d.month = $1 and d.wht_kobo > decided.booked + decided.refused`,
    values: [`${month}-01`],
  })
  return Number(rows[0]?.count)
}
