// Money out: each payout exists once, reaches the bank at most once, agrees with the bank's books,
// and its client gets one event with the result.

import { type Books, differs, existsOnce, sameAnswers } from './books.ts'

type Row = Record<string, string>

const PAYOUTS = `
  select p.reference, p.purpose, p.status, p.amount_kobo, p.narration, c.client_id,
         (p.batch_id is not null) as is_in_file,
         coalesce(m.held, 0) as held, coalesce(m.paid, 0) as paid,
         coalesce(e.confirmed, 0) as told_confirmed, coalesce(e.failed, 0) as told_failed
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
                where t.payout_id is not null group by 1) as m on m.payout_id = p.id
    left join (select facts->>'reference' as reference,
                      count(*) filter (where type = 'payout.confirmed') as confirmed,
                      count(*) filter (where type = 'payout.failed') as failed
                 from events where type in ('payout.confirmed', 'payout.failed')
                group by 1) as e on e.reference = p.reference`

const NEVER_SENT = ['queued', 'cancelled']
const NOT_PAID = [...NEVER_SENT, 'failed']
// At the end of a run, at most one in four payouts that the bank decided may still be open, because the
// other workers must finish the work of a killed worker. Fewer payouts than DECIDED_MIN prove nothing.
const DECIDED_PER_OPEN_MIN = 4
const DECIDED_MIN = 12

// Compares payouts with their requests, transfers, events and the bank's own records. If acknowledged work
// may be lost (`isLossy`), the requests are not compared, because a payout may be missing.
export async function checkPayouts(books: Books): Promise<string[]> {
  const { rows, isLossy } = books
  const payouts = await rows(PAYOUTS)
  return [
    ...(isLossy ? [] : checkRequested(books, payouts)),
    // Returns move money between suspense accounts.
    ...payouts.filter(({ purpose }) => purpose !== 'return').flatMap(checkTransfers),
    ...payouts.flatMap(checkResultEvents),
    ...checkBankOrders(books, payouts),
    ...checkDecided(books, payouts),
  ]
}

// Checks that each requested payout exists once, with the amount and client of its request. The narration of
// a payout is the key of its request.
function checkRequested(books: Books, payouts: readonly Row[]): string[] {
  const { testimony } = books
  const ownPayouts = payouts.filter(({ purpose }) => purpose === 'payout')
  const intents = testimony.of('payout') // The requests of the run, each with its answers.
  return [
    ...existsOnce('payout', { intents, rows: ownPayouts, keyOf: (row) => row.narration as string }),
    ...sameAnswers('payout', intents, 'reference'),
    ...ownPayouts.flatMap(({ narration: key = '', reference, amount_kobo: amount, client_id }) => {
      const intent = testimony.intents.get(key)
      if (!intent) return []
      const answer = intent.acknowledged[0]?.reference
      return [
        ...(answer ? differs(`the reference of ${key}`, reference, answer) : []),
        ...differs(`the amount of ${key}`, amount, intent.terms.amount),
        ...differs(`the client of ${key}`, client_id, intent.terms.clientId),
      ]
    }),
    ...checkCancelled(books, payouts),
  ]
}

// Checks that the amount is held in full while the payout is open, and then goes to the bank or is credited
// back.
function checkTransfers(payout: Row): string[] {
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

// Checks that each payout has one event with its result. Refunds and returns have their own events.
function checkResultEvents({ reference, purpose = '', status, ...payout }: Row): string[] {
  const hasPayoutEvents = ['payout', 'settlement'].includes(purpose)
  return (['confirmed', 'failed'] as const).flatMap((outcome) =>
    differs(
      `payout.${outcome} events of ${reference} (${status})`,
      payout[`told_${outcome}`],
      hasPayoutEvents && status === outcome ? '1' : '0',
    ),
  )
}

// A payout whose cancellation was acknowledged is cancelled in the books.
function checkCancelled({ testimony }: Books, payouts: readonly Row[]): string[] {
  const statusOf = new Map(payouts.map(({ reference, status }) => [reference, status]))
  return testimony.of('payout_cancellation').flatMap(({ terms: { reference }, acknowledged }) => {
    const status = statusOf.get(reference)
    return acknowledged.length > 0 && status !== 'cancelled'
      ? [`payout ${reference} was cancelled and is ${status}`]
      : []
  })
}

// Compares the bank's books with the service's: the bank got each order once, paid it at most once, and
// both sides agree on the result.
function checkBankOrders({ testimony, isLossy }: Books, payouts: readonly Row[]): string[] {
  const payoutsByReference = new Map(payouts.map((payout) => [payout.reference as string, payout]))
  const orders = Map.groupBy(testimony.orders, ({ reference }) => reference)
  const paid = Map.groupBy(testimony.payments, ({ reference }) => reference)
  const refused = new Set(testimony.refusals.map(({ reference }) => reference))
  // After a lossy failover, a payout that the bank was told to pay may be queued in the books again. It is
  // cancelled only if the bank refused it.
  const neverSent = isLossy ? ['cancelled'] : NEVER_SENT
  // An asynchronous standby that was promoted may have missed the payout.
  const isLost = (reference: string) => isLossy === true && !payoutsByReference.has(reference)
  return [
    ...[...orders].flatMap(([reference, sameOrders]) => {
      const status = payoutsByReference.get(reference)?.status ?? ''
      const times = sameOrders.length
      return [
        ...(times > 1 ? [`the bank was told ${times} times to pay ${reference}`] : []),
        ...(payoutsByReference.has(reference) || isLost(reference)
          ? []
          : [`the bank was told to pay ${reference}, which does not exist`]),
        ...(neverSent.includes(status) && !(isLossy && refused.has(reference))
          ? [`the bank was told to pay ${reference}, which is ${status}`]
          : []),
        ...(status === 'failed' && !refused.has(reference)
          ? [`${reference} is failed in the books, and the bank did not refuse it`]
          : []),
      ]
    }),
    ...[...paid].flatMap(([reference, payments]) => {
      if (payments.length > 1) return [`the bank paid ${reference} ${payments.length} times`]
      if (isLost(reference)) return []
      const payout = payoutsByReference.get(reference)
      // After a lossy failover, a payout that the bank paid may be queued in the books.
      const unpaid = isLossy ? ['cancelled', 'failed'] : NOT_PAID
      return [
        ...(unpaid.includes(payout?.status ?? 'queued')
          ? [`the bank paid ${reference}, which is ${payout?.status} in the books`]
          : []),
        ...differs(`what the bank paid for ${reference}`, payments[0]?.amount, payout?.amount_kobo),
      ]
    }),
    ...payouts.flatMap(({ reference = '', status }) =>
      status === 'confirmed' && !paid.has(reference)
        ? [`payout ${reference} is confirmed and the bank did not pay it`]
        : [],
    ),
  ]
}

// Checks at the end of a run that the service knows what the bank decided, by the bank's own records
// (`testimony`). A payout sent in a file must be final once the service has acknowledged the bank's report.
// Most payouts sent by API must be final too; the service learns their results by querying the bank.
function checkDecided({ testimony, isFinal, isLossy }: Books, payouts: readonly Row[]): string[] {
  if (!isFinal || isLossy) return []
  const payoutsByReference = new Map(payouts.map((payout) => [payout.reference as string, payout]))
  // checkBankOrders() reports payouts that the books lack.
  const decidedPayouts = [...testimony.payments, ...testimony.refusals].flatMap(({ reference }) => {
    const payout = payoutsByReference.get(reference)
    return payout ? [payout] : []
  })
  const isOpen = ({ status = '' }: Row) => ['sending', 'unknown'].includes(status)
  const isLastReportAcknowledged = testimony.of('payout_report').at(-1)?.acknowledged.length === 1
  const decidedByApi = decidedPayouts.filter(({ is_in_file: isInFile }) => isInFile !== 'true')
  const openByApi = decidedByApi.filter(isOpen)
  return [
    ...(decidedByApi.length >= DECIDED_MIN &&
    openByApi.length * DECIDED_PER_OPEN_MIN > decidedByApi.length
      ? [
          `${openByApi.length} of ${decidedByApi.length} payouts that the bank decided are still open`,
        ]
      : []),
    ...decidedPayouts
      .filter(
        (payout) => isLastReportAcknowledged && payout.is_in_file === 'true' && isOpen(payout),
      )
      .map(({ reference }) => `payout ${reference} was reported in a file and is still open`),
  ]
}
