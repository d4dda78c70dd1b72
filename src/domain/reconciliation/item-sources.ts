// The sources of a bank's items in SQL, as in the view bank_items, with their identifiers. Written out,
// because each source has its own index by time: credits by their ids, which follow time, and the others
// by small indexes.

// The filter for items of the bank `$1` in the currency `$2`.
export type ItemFilter = {
  credit: string // On credits c.
  payout: string // On payouts p.
  payoutReturn: string // On payout_returns n.
  reversal: string // On reversals r.
  return: string // On returns r.
  recovery: string // On adjustments a.
  booked: string // On transfers t.
}

// Posted at `$3` or later; credits from the id `$4` on.
export const POSTED_SINCE: ItemFilter = {
  credit: 'c.id >= $4 and c.received_at >= $3',
  payout: 'p.settled_at >= $3',
  payoutReturn: 'n.returned_at >= $3',
  reversal: 'r.received_at >= $3',
  return: 'r.settled_at >= $3',
  recovery: 'a.decided_at >= $3',
  booked: 't.posted_at >= $3',
}

const SOURCES = {
  credit: (filter: ItemFilter) => credits(filter.credit),
  charges: (filter: ItemFilter) => charges(filter.credit),
  reversal: (filter: ItemFilter) => reversals(filter.reversal),
  payout: (filter: ItemFilter) => payouts(filter.payout),
  payout_cost: (filter: ItemFilter) => payoutCosts(filter.payout),
  payout_return: (filter: ItemFilter) => payoutReturns(filter.payoutReturn),
  return: (filter: ItemFilter) => returns(filter.return),
  recovery: (filter: ItemFilter) => recoveries(filter.recovery),
  booked: (filter: ItemFilter) => booked(filter.booked),
}

export type ItemKind = keyof typeof SOURCES
export const ITEM_KINDS = Object.keys(SOURCES) as ItemKind[]

// One row for each item. Charges have their parts, all negative.
export function itemSources(filter: ItemFilter): string {
  return ITEM_KINDS.map((kind) => SOURCES[kind](filter)).join('\nunion all\n')
}

// Items of one kind, as `i`.
export function itemSource(kind: ItemKind, filter: ItemFilter): string {
  return `(${SOURCES[kind](filter)}) as i (kind, id, posted_at, amount_kobo, fee_kobo, vat_kobo,
    duty_kobo, session_id, has_session_id, bank_reference, reference, other_reference,
    account_number, name, parent_kind, parent_id, line_id)`
}

const NO_PARTS = '0::bigint as fee_kobo, 0::bigint as vat_kobo, 0::bigint as duty_kobo'
const NO_PARENT = 'null::text as parent_kind, null::bigint as parent_id, null::bigint as line_id'

const credits = (condition: string) => `
  select 'credit' as kind, c.id, c.received_at as posted_at, c.amount_kobo, ${NO_PARTS},
         c.session_id, c.identified_by = 'session_id' as has_session_id,
         null::text as bank_reference, null::text as reference, null::text as other_reference,
         c.account_number, c.source_account_name as name, ${NO_PARENT}
    from all_credits c
   where c.bank_code = $1 and c.currency = $2 and ${condition}`

const charges = (condition: string) => `
  select 'charges', c.id, c.received_at, -(c.fee_kobo + c.vat_kobo + c.duty_kobo), -c.fee_kobo,
         -c.vat_kobo, -c.duty_kobo, c.session_id, c.identified_by = 'session_id', null, null, null,
         c.account_number, null, 'credit', c.id, null
    from all_credits c
   where c.bank_code = $1 and c.currency = $2 and c.fee_kobo + c.vat_kobo + c.duty_kobo > 0
     and ${condition}`

const reversals = (condition: string) => `
  select 'reversal', r.id, r.received_at, -r.amount_kobo, 0, 0, 0, r.session_id, true,
         c.session_id, null, null, c.account_number, c.source_account_name, null, null, null
    from reversals r join credits c on c.id = r.credit_id
   where r.bank_code = $1 and c.currency = $2 and ${condition}`

const payouts = (condition: string) => `
  select 'payout', p.id, p.settled_at, -p.amount_kobo, 0, 0, 0, null, false, p.bank_reference,
         p.reference, f.reference, null, p.to_account_name, null, null, null
    from payouts p left join refunds f on f.id = p.refund_id
   where p.bank_code = $1 and p.currency = $2 and p.status = 'confirmed' and p.purpose <> 'return'
     and ${condition}`

// The cost of a return that was paid as a payout belongs to the return.
const payoutCosts = (condition: string) => `
  select 'payout_cost', p.id, p.settled_at, -(p.cost_kobo + p.cost_vat_kobo), -p.cost_kobo,
         -p.cost_vat_kobo, 0, null, false, p.bank_reference, p.reference, f.reference, null, null,
         case when p.purpose = 'return' then 'return' else 'payout' end,
         case when p.purpose = 'return' then n.id else p.id end, null
    from payouts p
    left join refunds f on f.id = p.refund_id
    left join returns n on n.reference = p.reference and p.purpose = 'return'
   where p.bank_code = $1 and p.currency = $2 and p.status = 'confirmed'
     and p.cost_kobo + p.cost_vat_kobo > 0 and ${condition}`

// Confirmed payouts that the bank gave back.
const payoutReturns = (condition: string) => `
  select 'payout_return', p.id, n.returned_at, n.amount_kobo, 0, 0, 0, null, false, p.bank_reference,
         p.reference, f.reference, null, p.to_account_name, null, null, null
    from payout_returns n
    join payouts p on p.id = n.payout_id
    left join refunds f on f.id = p.refund_id
   where p.bank_code = $1 and p.currency = $2 and ${condition}`

const returns = (condition: string) => `
  select 'return', r.id, r.settled_at, -r.amount_kobo, 0, 0, 0, null, false, r.bank_reference,
         r.reference, null, c.account_number, c.source_account_name, null, null, null
    from returns r
    join suspense_items s on s.id = r.item_id
    join credits c on c.id = s.credit_id
   where c.bank_code = $1 and c.currency = $2 and r.status = 'confirmed' and ${condition}`

const recoveries = (condition: string) => `
  select 'recovery', a.id, a.decided_at, a.amount_kobo, 0, 0, 0, null, false, null, a.reference,
         null, null, null, null, null, null
    from adjustments a
   where a.bank_code = $1 and a.currency = $2 and a.kind = 'recovery' and a.subject = 'shortfall'
     and a.state = 'approved' and ${condition}`

// With the line of the difference that the transfer was booked for.
const booked = (condition: string) => `
  select 'booked', t.id, t.posted_at,
         case when t.debit_account_id = l.id then t.amount_kobo else -t.amount_kobo end, 0, 0, 0,
         null, false, null, null, null, null, null, null, null, d.line_id
    from transfers t
    join ledger_accounts l on l.kind = 'bank' and l.owner = 'bank:' || $1 and l.currency = $2
                          and l.id in (t.debit_account_id, t.credit_account_id)
    join differences d on d.id = t.difference_id
   where t.difference_id is not null and ${condition}`
