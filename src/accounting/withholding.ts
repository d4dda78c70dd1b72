// Withholding tax: what may still be booked of the tax that a VAT document states (I178), and the tax of a
// month by client. All but the tax on documents are movements of ledger accounts.

import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Period } from './journal.ts'
import { DECIDED_TAX, getVatDocument, parseNumber } from './vat-documents.ts'

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

// Returns the most that may be adjusted. `owedKobo` is the balance of the account that the adjustment
// credits. The caller has locked it, so no other booking of the document runs at the same time.
export async function findTaxLimit(
  db: Queryable,
  { kind, clientId, document, owedKobo }: TaxAdjustment,
): Promise<Kobo> {
  const booked = await sumApproved(db, clientId, document)
  if (kind === 'wht_credit_note' || kind === 'wht_credit_note_reversal') {
    const notedKobo = booked.wht_credit_note - booked.wht_credit_note_reversal
    if (kind === 'wht_credit_note_reversal') return least(notedKobo, owedKobo)
    if (notedKobo > 0n) throw new Refusal('document_recorded')
    return owedKobo
  }
  const { kind: documentKind, whtKobo } = await getVatDocument(db, parseNumber(document), clientId)
  const withheldKobo = booked.withholding - booked.withholding_reversal
  const standingKobo = withheldKobo - booked.wht_write_off
  const isInvoice = documentKind === 'invoice'
  if (kind === 'withholding') return kobo(isInvoice ? whtKobo - withheldKobo : 0n)
  if (kind === 'not_withheld') {
    const doneKobo = isInvoice ? withheldKobo : -withheldKobo
    return kobo(whtKobo - doneKobo - booked.not_withheld)
  }
  // A credit note states tax that is taken back, because its fees were given back.
  if (!isInvoice)
    return kind === 'wht_write_off' ? kobo(0n) : least(whtKobo + withheldKobo, owedKobo)
  return least(standingKobo, owedKobo)
}

function least(one: bigint, other: bigint): Kobo {
  return kobo(one < other ? one : other)
}

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
  const none = Object.fromEntries(TAX_KINDS.map((kind) => [kind, 0n]))
  return { ...none, ...Object.fromEntries(rows.map((row) => [row.kind, row.kobo])) } as never
}

export type Withholding = {
  clientCode: string
  currency: string
  invoicedKobo: Kobo // On the VAT invoices of the month, less that on its credit notes.
  withheldKobo: Kobo // Booked in the month, less what was reversed.
  creditNotesKobo: Kobo // Booked in the month, less what was reversed.
  writtenOffKobo: Kobo // In the month.
  receivableKobo: Kobo // Withheld tax without a credit note, at the end of the month.
}

// The caller must call this in one snapshot. The period is a month.
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

// Counts the VAT documents of the month whose tax is neither booked nor decided not to be withheld, in full.
export async function countUnbookedWithholding(db: Queryable, month: string): Promise<number> {
  const { rows } = await db.query<{ count: bigint }>({
    name: 'count-unbooked-withholding',
    text: `select count(*) as count from vat_documents d cross join ${DECIDED_TAX}
            where d.month = $1 and d.wht_kobo > decided.booked + decided.refused`,
    values: [`${month}-01`],
  })
  return Number(rows[0]?.count)
}
