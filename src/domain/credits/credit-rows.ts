// Reads a credit and the places of its money in one statement.

import type { BankCharges, CreditIdentifier, IdentifierKind } from '#banks/notifications.ts'
import {
  CREDIT_SHARES,
  openShares,
  type ShareRows,
  type ShareView,
} from '#domain/splits/read-shares.ts'
import type { CreditId } from '#ids.ts'
import { maskAccountNumber } from '#mask.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { OTHER_IDENTIFIERS } from './credit-identifiers.ts'
import {
  type CreditLocation,
  locateCredit,
  REASON_NOW,
  type TracedItem,
  type TracedReturn,
} from './credit-location.ts'
import type { CreditSource, JudgedBy } from './judge-credit.ts'

export const OUTCOMES = ['booked', 'suspended', 'assigned', 'returned', 'reversed'] as const
export type Outcome = (typeof OUTCOMES)[number]

export type CreditTrace = {
  id: CreditId
  sessionId: string
  bankCode: string
  accountNumber: string
  amountKobo: Kobo
  currency: string
  outcome: Outcome
  reason: string | null
  sourceAccountName: string | null
  sourceAccountNumberMasked: string | null
  sourceBankCode: string | null
  narration: string | null
  paymentReference: string | null
  adviceReference: string | null
  merchantRef: string | null
  collectionAccountNumber: string | null
  transactionTime: Date | null
  transactionDate: string | null // If the bank gave no time of day.
  receivedAt: Date
  reversedKobo: Kobo // The total that banks took back.
  shortfallKobo: Kobo // The part of it that had already left us.
  receivableKobo: Kobo // The part of it that the client owes.
  refundedKobo: Kobo // To the payer, confirmed by the banks.
  judgedBy: JudgedBy | null
  source: CreditSource
  identifiers: CreditIdentifier[] // The session id first, whatever its kind.
  charges: BankCharges
  merchantFeeKobo: Kobo // Charged by the operator, less returned fees.
  merchantVatKobo: Kobo // The VAT on it.
  splits: ShareView[] // The subaccounts'.
  items: TracedItem[]
  locations: CreditLocation[]
  archivedIn: string | null // Month, as 2025-01.
  archivedAt: Date | null
}

type InJson<T> = {
  [Key in keyof T]: T[Key] extends bigint
    ? string
    : T[Key] extends Date | null
      ? Extract<T[Key], null> | string
      : T[Key]
}
type ReturnRow = InJson<TracedReturn>
type ItemRow = Omit<InJson<TracedItem>, 'returns'> & { returns: ReturnRow[] | null }

export type CreditRow = Omit<
  CreditTrace,
  | 'sourceAccountNumberMasked'
  | 'items'
  | 'locations'
  | 'transactionTime'
  | 'identifiers'
  | 'charges'
  | 'splits'
> &
  BankCharges & {
    identifiedBy: IdentifierKind
    otherIdentifiers: CreditIdentifier[] | null
    bookedKobo: Kobo
    sourceSealed: Buffer | null
    transactionTime: Date | null
    reversedBy: string | null
    items: ItemRow[] | null
    splits: ShareRows
  }

const RETURNS = `
  (select json_agg(json_build_object(
            'reference', r.reference, 'status', r.status,
            'amountKobo', r.amount_kobo::text, 'bankReference', r.bank_reference,
            'failureReason', r.failure_reason, 'requestedAt', r.requested_at,
            'settledAt', r.settled_at) order by r.id)
     from returns r where r.item_id = i.id)`

// The surrounding query supplies the credit `c` in the shape of all_credits. One statement, so that all
// parts of a credit are from the same moment.
export const SELECT_TRACE = `
  select c.id, c.session_id as "sessionId", c.bank_code as "bankCode",
         c.account_number as "accountNumber", c.amount_kobo as "amountKobo", c.currency, c.outcome,
         ${REASON_NOW} as reason, c.amount_kobo - c.suspended_kobo - c.reversed_kobo as "bookedKobo",
         c.source_account_name as "sourceAccountName", c.source_account_sealed as "sourceSealed",
         c.source_bank_code as "sourceBankCode", c.narration, p.id as "paymentReference",
         p.advice_id as "adviceReference", a.merchant_ref as "merchantRef",
         n.account_number as "collectionAccountNumber", c.transacted_at as "transactionTime",
         c.transacted_on::text as "transactionDate",
         c.received_at as "receivedAt", c.judged_by as "judgedBy", c.source,
         c.identified_by as "identifiedBy", ${OTHER_IDENTIFIERS} as "otherIdentifiers",
         c.fee_kobo as "feeKobo", c.vat_kobo as "vatKobo", c.duty_kobo as "dutyKobo",
         fees."merchantFeeKobo", fees."merchantVatKobo", ${CREDIT_SHARES},
         to_char(archive.month, 'YYYY-MM') as "archivedIn", archive.archived_at as "archivedAt",
         (select session_id from reversals where credit_id = c.id order by id desc limit 1)
           as "reversedBy",
         (select coalesce(sum(amount_kobo), 0)::bigint from reversals where credit_id = c.id)
           as "reversedKobo",
         (select coalesce(sum(shortfall_kobo), 0)::bigint from reversals where credit_id = c.id)
           as "shortfallKobo",
         (select coalesce(sum(receivable_kobo), 0)::bigint from reversals where credit_id = c.id)
           as "receivableKobo",
         (select coalesce(sum(o.amount_kobo), 0)::bigint from payouts o
           where o.credit_id = c.id and o.purpose = 'refund' and o.status = 'confirmed')
           as "refundedKobo",
         (select json_agg(json_build_object(
                   'id', i.id::text, 'amountKobo', i.amount_kobo::text, 'reason', i.reason,
                   'state', i.state, 'accountNumber', t.account_number,
                   'paymentReference', i.assigned_payment_id,
                   'openedAt', i.opened_at, 'closedAt', i.closed_at,
                   'returns', ${RETURNS}) order by i.id)
            from suspense_items i left join collection_accounts t on t.id = i.assigned_account_id
           where i.credit_id = c.id) as items`

export const WITH_OWNERS = `
    left join payments p on p.id = c.payment_id
    left join advices a on a.id = p.advice_id
    left join collection_accounts n on n.id = c.collection_account_id
    left join archives archive on archive.id = c.archive_id
    cross join lateral (
      select coalesce(sum(f.fee_kobo), 0)::bigint as "merchantFeeKobo",
             coalesce(sum(f.vat_kobo), 0)::bigint as "merchantVatKobo"
        from (select fee_kobo - fee_returned_kobo, vat_kobo - vat_returned_kobo
                from credit_fees where credit_id = c.id
              union all
              select merchant_fee_kobo, merchant_vat_kobo from archived_credits
               where id = c.id and c.archive_id is not null) as f (fee_kobo, vat_kobo)) as fees`

export function openTrace(sealer: Sealer, row: CreditRow): CreditTrace {
  const { sourceSealed, bookedKobo, reversedBy, items: itemRows, splits, ...rest } = row
  const { feeKobo, vatKobo, dutyKobo, identifiedBy, otherIdentifiers, ...credit } = rest
  const items = (itemRows ?? []).map((item) => ({
    ...item,
    amountKobo: kobo(BigInt(item.amountKobo)),
    openedAt: new Date(item.openedAt),
    closedAt: readTime(item.closedAt),
    returns: (item.returns ?? []).map(openReturn),
  }))
  return {
    ...credit,
    items,
    identifiers: [{ kind: identifiedBy, value: credit.sessionId }, ...(otherIdentifiers ?? [])],
    charges: { feeKobo, vatKobo, dutyKobo },
    splits: openShares(splits),
    sourceAccountNumberMasked: sourceSealed && maskAccountNumber(sealer.open(sourceSealed)),
    locations: locateCredit({ ...credit, bookedKobo, reversedBy, items }),
  }
}

function openReturn(row: ReturnRow): TracedReturn {
  const amountKobo = kobo(BigInt(row.amountKobo))
  const requestedAt = new Date(row.requestedAt)
  return { ...row, amountKobo, requestedAt, settledAt: readTime(row.settledAt) }
}

function readTime(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}
