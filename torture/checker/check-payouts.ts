// Money out: each payout and refund once, the bank told once at most, and its books the same as ours.

import { type Books, differs, existsOnce, sameAnswers } from './books.ts'

const PAYOUTS = `
  select p.reference, p.purpose, p.status, p.amount_kobo, p.narration, c.client_id,
         coalesce(m.held, 0) as held, coalesce(m.paid, 0) as paid
    from payouts p
    left join clients c on c.id = p.client_id
    left join (select t.payout_id,
                      sum(case when k.kind in ('paying', 'refunding') then t.amount_kobo
                               when d.kind in ('paying', 'refunding') then -t.amount_kobo
                               else 0 end) as held,
                      sum(case when k.kind = 'bank' and d.kind in ('paying', 'refunding')
                               then t.amount_kobo else 0 end) as paid
                 from transfers t
                 join ledger_accounts d on d.id = t.debit_account_id
                 join ledger_accounts k on k.id = t.credit_account_id
                where t.payout_id is not null group by 1) as m on m.payout_id = p.id`

const REFUNDS = `
  select r.reason, r.reference, r.amount_kobo, coalesce(sum(p.amount_kobo), 0) as sent
    from refunds r left join payouts p on p.refund_id = r.id
   group by r.id`

const CONFIRMED = `
  select (select count(*) from payouts where status = 'confirmed' and purpose = 'payout') as payouts,
         (select count(*) from events where type = 'payout.confirmed') as events`

const NEVER_SENT = ['queued', 'cancelled']
const NOT_PAID = [...NEVER_SENT, 'failed']

export async function checkPayouts(books: Books): Promise<string[]> {
  const { rows, testimony } = books
  const payouts = await rows(PAYOUTS)
  const asked = payouts.filter(({ purpose }) => purpose === 'payout')
  const wanted = testimony.of('payout')
  const [confirmed] = await rows(CONFIRMED)
  return [
    ...existsOnce('payout', { wanted, rows: asked, keyOf: (row) => row.narration as string }),
    ...sameAnswers('payout', wanted, 'reference'),
    ...asked.flatMap(({ narration: key = '', reference, amount_kobo: amount, client_id }) => {
      const told = testimony.wanted.get(key)
      if (!told) return []
      const answer = told.acknowledged[0]?.reference
      return [
        ...(answer ? differs(`the reference of ${key}`, reference, answer) : []),
        ...differs(`the amount of ${key}`, amount, told.terms.amount),
        ...differs(`the client of ${key}`, client_id, told.terms.clientId),
      ]
    }),
    ...payouts.flatMap(checkTransfers),
    ...differs('payout.confirmed events', confirmed?.events, confirmed?.payouts),
    ...(await checkRefunds(books)),
    ...checkBank(books, payouts),
  ]
}

// Held in full while it is open, and then gone: to the bank, or back.
function checkTransfers(payout: Record<string, string>): string[] {
  const { reference, status = '', amount_kobo: amount = '0' } = payout
  const isOpen = ['queued', 'sending', 'unknown'].includes(status)
  return [
    ...differs(
      `what is held for payout ${reference} (${status})`,
      payout.held,
      isOpen ? amount : '0',
    ),
    ...differs(
      `what left the bank for payout ${reference} (${status})`,
      payout.paid,
      status === 'confirmed' ? amount : '0',
    ),
  ]
}

async function checkRefunds({ rows, testimony }: Books): Promise<string[]> {
  const refunds = await rows(REFUNDS)
  const wanted = testimony.of('refund')
  return [
    ...existsOnce('refund', { wanted, rows: refunds, keyOf: (row) => row.reason as string }),
    ...sameAnswers('refund', wanted, 'reference'),
    ...refunds.flatMap(({ reason: key = '', amount_kobo: amount, sent }) => [
      ...differs(`the amount of ${key}`, amount, testimony.wanted.get(key)?.terms.amount ?? amount),
      ...differs(`the payouts of ${key}`, sent, amount),
    ]),
  ]
}

function checkBank({ testimony }: Books, payouts: readonly Record<string, string>[]): string[] {
  const known = new Map(payouts.map((payout) => [payout.reference as string, payout]))
  const orders = Map.groupBy(testimony.orders, ({ reference }) => reference)
  const paid = Map.groupBy(testimony.payments, ({ reference }) => reference)
  return [
    ...[...orders].flatMap(([reference, all]) => [
      ...(all.length > 1 ? [`the bank was told ${all.length} times to pay ${reference}`] : []),
      ...(known.has(reference)
        ? []
        : [`the bank was told to pay ${reference}, which does not exist`]),
      ...(NEVER_SENT.includes(known.get(reference)?.status ?? '')
        ? [`the bank was told to pay ${reference}, which is ${known.get(reference)?.status}`]
        : []),
    ]),
    ...[...paid].flatMap(([reference, all]) => {
      const payout = known.get(reference)
      return [
        ...(all.length > 1 ? [`the bank paid ${reference} ${all.length} times`] : []),
        ...(NOT_PAID.includes(payout?.status ?? 'queued')
          ? [`the bank paid ${reference}, which is ${payout?.status} in the books`]
          : []),
        ...differs(`what the bank paid for ${reference}`, all[0]?.amount, payout?.amount_kobo),
      ]
    }),
    ...payouts.flatMap(({ reference = '', status }) =>
      status === 'confirmed' && !paid.has(reference)
        ? [`payout ${reference} is confirmed and the bank did not pay it`]
        : [],
    ),
  ]
}
