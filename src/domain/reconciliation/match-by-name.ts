// Rules 1 to 3: a line names its item by the session id, by the bank's reference or settlement id, or by
// our own reference of a payout, return, refund or recovery.
//
// A line and an item are a pair if each is the other's best match: the same amount first, then the item
// whose own reference of ours the line has, then the lower id. Lines and items that are all equal are
// paired in order.
//
// Lines of fees, VAT and duty name the charged item; rule 6 (match-charges.ts) reads them. Most are
// recognised by words, though, and those may be a payer's ("school fees"): a line with exactly the amount
// of the item that it names, alone or with its charges, is for that item, unless the same amount was also
// charged for it.

import type { Transaction } from '#db/transaction.ts'
import {
  CHARGE_LINE,
  matchExactCharges,
  matchOtherCharges,
  NAMED_CHARGES,
} from './match-charges.ts'
import { loadNamedItems } from './open-sets.ts'
import type { Run } from './reconciled-banks.ts'
import { HAS_CHARGES, JOIN_CHARGES, pairsOf, type Rule, takeMatches } from './take-pairs.ts'

const RANKED: readonly Rule[] = ['booked', 'session_id', 'bank_reference', 'our_reference']
const OUR_REFERENCE = '(?:PYT|RTN|RFD|ADJ)[0-9]{12,15}'

// Returns the number of matched lines.
export async function matchByName(tx: Transaction, run: Run): Promise<number> {
  // Matches almost all lines, so that few remain.
  let matched = await matchPairs(tx, run, {
    rule: 'session_id',
    from: 'open_lines l join open_items i on i.session_id = l.session_id',
    isOurs: 'false',
    isExact: true,
  })
  const ofSession = 'open_items x on x.session_id = l.session_id'
  matched += await matchExactCharges(tx, run, { join: ofSession })
  await tx.query('analyze open_lines')
  await tx.query('analyze open_items')
  await nameLines(tx, run)
  await loadNamedItems(tx, run)
  // Before lines of other amounts: charges with their own lines are not part of those.
  matched += await matchExactCharges(tx, run, { join: NAMED_CHARGES })
  for (const [rank, rule] of RANKED.entries()) {
    const from = `line_names n
      join open_lines l on l.id = n.line_id
      join open_items i on i.kind = n.item_kind and i.id = n.item_id and n.rank = ${rank}`
    matched += await matchAllPairs(tx, run, { rule, from, isOurs: 'n.has_our_reference' })
  }
  return matched + (await matchOtherCharges(tx, run, ofSession))
}

// A line for another number of ours than the credit it names belongs to another owner. A line for any of
// our numbers is a customer's payment, even if it names a payout.
const OTHER_NUMBER = `((i.kind = 'credit' and l.account_number <> i.account_number
                        or i.kind = 'payout_return')
  and exists (select from numbers k where k.account_number = l.account_number))`

const NO_CHARGE = `(not ${CHARGE_LINE} or l.amount in (i.amount, i.amount + x.amount)
  and coalesce(l.amount not in (x.amount, x.fee, x.vat, x.duty), true))`

// A pass may turn others into each other's best match.
const PASSES_MAX = 20

type NameRule = { rule: Rule; from: string; isOurs: string; isExact?: boolean }

async function matchAllPairs(tx: Transaction, run: Run, nameRule: NameRule): Promise<number> {
  let matched = 0
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const count = await matchPairs(tx, run, nameRule)
    if (count === 0) break
    matched += count
  }
  return matched
}

async function matchPairs(
  tx: Transaction,
  run: Run,
  { rule, from, isOurs, isExact = false }: NameRule,
): Promise<number> {
  return takeMatches(tx, run, {
    rule,
    pairs: `
     with candidates as (
       select l.id as line_id, l.day as line_day, i.kind, i.id, i.day as item_day, i.amount,
              ${HAS_CHARGES} as has_charges, x.kind as x_kind, x.id as x_id, x.amount as x_amount,
              x.day as x_day, ${CHARGE_LINE} as is_charge, ${isOurs} as is_ours,
              case when l.amount in (i.amount, i.amount + x.amount) then 0 else 1 end as is_off
         from ${from} ${JOIN_CHARGES}
        where sign(l.amount) = sign(i.amount) and i.parent_kind is null and ${NO_CHARGE}
          and not ${OTHER_NUMBER}
          ${isExact ? 'and l.amount in (i.amount, i.amount + x.amount)' : ''}
     ), ranked as (
       select *, row_number() over (partition by line_id
                                    order by is_off, is_ours desc, kind, id) as of_line,
              row_number() over (partition by kind, id
                                 order by is_off, is_ours desc, is_charge, line_id) as of_item
         from candidates
     ), level as (
       select *, min(of_line) over (partition by line_id) as first_of_line,
              min(of_item) over (partition by kind, id) as first_of_item
         from ranked where of_line = of_item and (of_line = 1 or is_off = 0)
     )
     ${pairsOf(LEVEL_PAIRS, 'f.has_charges')}`,
  })
}

const LEVEL_PAIRS = `
  (select * from level where of_line = first_of_line and of_item = first_of_item)`

// An unconfirmed payout is no item of the books, but tells what the line is.
const PAYOUT_KIND = `case when p.status = 'confirmed' then 'payout' else 'unpaid_payout' end`

// Confirmed payouts that came back. The bank's own reference counts only for the whole amount.
const RETURNS_NAMED = `
  select w.id, w.rank, 'payout_return', p.id, p.bank_code, p.currency
    from words w
    join payouts p on p.bank_reference = w.word
    join payout_returns n on n.payout_id = p.id and n.amount_kobo = w.amount
  union all
  select o.id, 3, 'payout_return', p.id, p.bank_code, p.currency
    from ours o
    join payouts p on p.reference = o.word
    join payout_returns n on n.payout_id = p.id
  union all
  select o.id, 3, 'payout_return', p.id, p.bank_code, p.currency
    from ours o
    join refunds f on f.reference = o.word
    join payouts p on p.refund_id = f.id
    join payout_returns n on n.payout_id = p.id`

// All items that the remaining lines name, at any bank. Includes matched items, which tell what a line is
// if it matches no open item.
async function nameLines(tx: Transaction, { bankCode, currency }: Run): Promise<void> {
  await tx.query(
    `insert into line_names
     with words as (
       select l.id, l.amount, w.word, w.rank from open_lines l
        cross join lateral (values (l.session_id, 1), (l.bank_reference, 2), (l.end_to_end_id, 2))
                           as w (word, rank)
        where w.word is not null
     ), ours as (
       select l.id, w.word[1] as word from open_lines l
        cross join lateral regexp_matches(
          concat_ws(' ', l.end_to_end_id, l.bank_reference, l.narration), $3, 'g') as w (word)
     ), credits_named as (
       select w.id, w.rank, w.amount, c.id as credit_id, c.bank_code, c.currency
         from words w
         join credit_identifiers k on k.value = w.word
         join all_credits c on c.id = k.credit_id
     ), names as (
       select id, rank, 'credit' as kind, credit_id as item_id, bank_code, currency
         from credits_named
       union all
       select n.id, n.rank, 'reversal', r.id, r.bank_code, n.currency
         from credits_named n join reversals r on r.credit_id = n.credit_id
        where n.amount = -r.amount_kobo
       union all
       select w.id, w.rank, 'reversal', r.id, r.bank_code, $2
         from words w join reversals r on r.session_id = w.word
       union all
       select w.id, w.rank, 'payout', p.id, p.bank_code, p.currency
         from words w join payouts p on p.bank_reference = w.word
        where p.status = 'confirmed' and p.purpose <> 'return'
       union all
       select w.id, w.rank, 'return', r.id, $1, $2
         from words w join returns r on r.bank_reference = w.word where r.status = 'confirmed'
       union all
       select o.id, 3, ${PAYOUT_KIND}, p.id, p.bank_code, p.currency
         from ours o join payouts p on p.reference = o.word
        where p.status <> 'confirmed' or p.purpose <> 'return'
       union all
       ${RETURNS_NAMED}
       union all
       select o.id, 3, ${PAYOUT_KIND}, p.id, p.bank_code, p.currency
         from ours o join refunds f on f.reference = o.word join payouts p on p.refund_id = f.id
       union all
       select o.id, 3, 'return', r.id, $1, $2
         from ours o join returns r on r.reference = o.word where r.status = 'confirmed'
       union all
       select o.id, 3, 'recovery', a.id, a.bank_code, a.currency
         from ours o join adjustments a on a.reference = o.word where a.bank_code is not null
       union all
       select l.id, 0, 'booked', i.id, $1, $2
         from open_lines l join open_items i on i.line_id = l.id
     )
     select id, min(rank), kind, item_id, bank_code, currency, bool_or(rank = 3)
       from names group by 1, 3, 4, 5, 6`,
    [bankCode, currency, OUR_REFERENCE],
  )
  await tx.query('analyze line_names')
}
