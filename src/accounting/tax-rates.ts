// Rates of tax (I117): VAT, stamp duty with its threshold and bearer, and the withholding tax of each client.
// Also the details of clients on VAT invoices.
//
// Each rate applies from a day in West Africa until the next rate begins. A new rate begins tomorrow at the
// earliest, and a rate that has begun never changes. So past months keep their rates.

import { watDay } from '#clock.ts'
import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField } from '#errors.ts'
import { createRule, type FeeRule } from '#fees/rules.ts'
import type { ClientId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { type Period, periodOf } from './journal.ts'

export const TAXES = ['vat', 'stamp_duty', 'withholding'] as const
export const BEARERS = ['sender', 'recipient'] as const
type Tax = (typeof TAXES)[number]

export type TaxRate = {
  id: bigint
  tax: Tax
  clientId: ClientId | null // Set for withholding tax only.
  clientCode: string | null
  bps: number | null // Null for stamp duty, which is an amount.
  amountKobo: Kobo | null
  thresholdKobo: Kobo | null // The least amount that bears stamp duty.
  bearer: (typeof BEARERS)[number] | null
  effectiveFrom: string
  source: string
  createdBy: string | null // Null if the rate was supplied with the service.
  createdAt: Date
}

const SELECT = `
  select r.id, r.tax, r.client_id, c.client_id as client_code, r.bps, r.amount_kobo, r.threshold_kobo,
         r.bearer, r.effective_from::text as effective_from, r.source, r.created_by, r.created_at
    from tax_rates r left join clients c on c.id = r.client_id`

type RateFilter = { tax?: Tax | undefined; clientId?: ClientId | undefined }

// Lists a page of the tax rates, newest entry first. listQuery numbers each `$`, and drops the condition of a
// filter that is undefined.
export async function listTaxRates(
  db: Queryable,
  { tax, clientId, beforeId, limit }: RateFilter & { beforeId: bigint | null; limit: number },
): Promise<TaxRate[]> {
  const { rows } = await db.query<TaxRate>(
    listQuery({
      select: SELECT,
      where: [
        ['r.tax = $', tax],
        ['r.client_id = $', clientId],
      ],
      id: 'r.id',
      after: beforeId,
      limit,
    }),
  )
  return rows
}

type Segment = Period & { rate: TaxRate | null } // Null if no rate is in force.

// Divides a period of whole days into parts, each with the rate in force. Of two rates that begin on the same
// day, the later entry applies.
export async function rateSegments(
  db: Queryable,
  { tax, clientId, period }: { tax: Tax; clientId: ClientId | null; period: Period },
): Promise<Segment[]> {
  const { rows } = await db.query<TaxRate>({
    name: 'tax-rates-in-order',
    text: `${SELECT} where r.tax = $1 and r.client_id is not distinct from $2::bigint
            order by r.effective_from, r.id`,
    values: [tax, clientId],
  })
  return segmentsOf(rows, period)
}

// Splits the period at the first day of each rate. `rates` must be in ascending order of their first days.
function segmentsOf(rates: readonly TaxRate[], { from, to }: Period): Segment[] {
  const segments: Segment[] = [{ from, to, rate: null }]
  for (const rate of rates) {
    const startsAt = periodOf(rate.effectiveFrom).from
    if (startsAt >= to) break
    const lastSegment = segments.at(-1) as Segment
    if (startsAt <= lastSegment.from) lastSegment.rate = rate
    else {
      lastSegment.to = startsAt
      segments.push({ from: startsAt, to, rate })
    }
  }
  return segments
}

// The rate that applies on the day, or null.
export async function rateInForce(
  db: Queryable,
  { tax, clientId, day }: { tax: Tax; clientId: ClientId | null; day: string },
): Promise<TaxRate | null> {
  const segments = await rateSegments(db, { tax, clientId, period: periodOf(day) })
  return segments[0]?.rate ?? null
}

type NewRate = Pick<
  TaxRate,
  | 'tax'
  | 'clientId'
  | 'bps'
  | 'amountKobo'
  | 'thresholdKobo'
  | 'bearer'
  | 'effectiveFrom'
  | 'source'
>

type By = { clientId: ClientId; actor: string; now: Date }

// Adds a rate that begins tomorrow or later. The lock lets one transaction at a time add a rate, because a
// new rate of VAT also replaces the fee rules that charge the former rate.
export async function addTaxRate(tx: Transaction, by: By, rate: NewRate): Promise<TaxRate> {
  const { tax, clientId, bps, amountKobo, thresholdKobo, bearer, effectiveFrom, source } = rate
  if (effectiveFrom <= watDay(by.now)) {
    throw invalidField('effectiveFrom', 'Must be tomorrow or later: past days keep their rate.')
  }
  await tx.query(`select pg_advisory_xact_lock(hashtext('tax_rates'))`)
  if (tax === 'vat') await changeFeeRules(tx, by, { bps: bps as number, day: effectiveFrom })
  await tx.query({
    name: 'add-tax-rate',
    text: `insert into tax_rates (tax, client_id, bps, amount_kobo, threshold_kobo, bearer, effective_from,
                                  source, created_by, created_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    values: [
      tax,
      clientId,
      bps,
      amountKobo,
      thresholdKobo,
      bearer,
      effectiveFrom,
      source,
      by.actor,
      by.now,
    ],
  })
  const [added] = await listTaxRates(tx, { tax, beforeId: null, limit: 1 }) // The newest entry.
  await writeAuditLog(tx, by.now, {
    clientId: by.clientId,
    actor: by.actor,
    action: 'tax_rate.add',
    subject: `tax/${tax}`,
    detail: {
      clientId: added?.clientCode,
      bps,
      bearer,
      effectiveFrom,
      source,
      amountKobo: amountKobo?.toString(),
      thresholdKobo: thresholdKobo?.toString(),
    },
  })
  return added as TaxRate
}

// Fees bear the VAT of their rule. So each rule with the standard rate gets a successor with the new rate
// from that day on. Refuses if a rule begins later than that day: the operator must withdraw that rule first.
async function changeFeeRules(
  tx: Transaction,
  by: By,
  { bps, day }: { bps: number; day: string },
): Promise<void> {
  const effectiveFrom = periodOf(day).from
  const formerRate = await rateInForce(tx, {
    tax: 'vat',
    clientId: null,
    day: dayBefore(effectiveFrom),
  })
  if (formerRate?.bps === bps) return // The rate does not change, so the rules stay.
  const { rows } = await tx.query<FeeRule>({
    name: 'fee-rules-with-standard-vat',
    text: `select r.client_id, r.merchant_code, r.code, r.basis, r.flat_kobo, r.bps, r.min_kobo, r.cap_kobo,
                  r.waive_flat_below_kobo, r.vat_bps, r.vat_included, r.bearer
             from fee_rules r
            where r.effective_to is null and r.withdrawn_at is null and r.vat_bps = $1
            order by r.client_id, r.id`,
    values: [formerRate?.bps ?? null],
  })
  for (const { clientId, merchantCode, ...terms } of rows) {
    await createRule(tx, by, {
      clientId,
      merchantCode,
      effectiveFrom,
      terms: { ...terms, vatBps: bps },
    })
  }
}

const dayBefore = (start: Date) => watDay(new Date(start.getTime() - 1))

// The legal name, address and TIN of a client on its VAT invoices, or of the operator that issues them.

export type TaxDetails = {
  legalName: string
  address: string | null // Null, like the TIN, if not on record.
  tin: string | null
}

// The client's name stands in for a missing legal name.
export async function readTaxDetails(db: Queryable, clientId: ClientId): Promise<TaxDetails> {
  const { rows } = await db.query<TaxDetails>({
    name: 'read-tax-details',
    text: `select coalesce(d.legal_name, c.name) as legal_name, d.address, d.tin
             from clients c left join tax_details d on d.client_id = c.id where c.id = $1`,
    values: [clientId],
  })
  return rows[0] as TaxDetails
}

export async function writeTaxDetails(
  tx: Transaction,
  by: By,
  details: { clientId: ClientId; clientCode: string } & { [K in keyof TaxDetails]: string },
): Promise<void> {
  const { clientId, clientCode, legalName, address, tin } = details
  await tx.query({
    name: 'write-tax-details',
    text: `insert into tax_details (client_id, legal_name, address, tin, updated_by, updated_at)
           values ($1, $2, $3, $4, $5, $6)
           on conflict (client_id) do update
             set legal_name = $2, address = $3, tin = $4, updated_by = $5, updated_at = $6`,
    values: [clientId, legalName, address, tin, by.actor, by.now],
  })
  await writeAuditLog(tx, by.now, {
    clientId: by.clientId,
    actor: by.actor,
    action: 'client.tax_details',
    subject: `client/${clientCode}`,
    detail: { legalName, address, tin },
  })
}
