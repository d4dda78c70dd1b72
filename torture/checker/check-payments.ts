// Advices and their payments: each exists once, with the reference and the number that the service answered,
// and the paid amount is the sum of the payment's credits.

import { type Books, differs, existsOnce, sameAnswers } from './books.ts'

const ADVICES = `
  select a.merchant_ref, a.amount_kobo, replace(a.id::text, '-', '') as reference, c.client_id,
         (a.cancelled_at is not null) as is_cancelled
    from advices a join clients c on c.id = a.client_id`

const PAYMENTS = `
  select a.merchant_ref as advice, replace(p.id::text, '-', '') as reference, p.status,
         p.amount_kobo, p.amount_paid_kobo, p.amount_policy, n.account_number,
         coalesce(b.booked, 0) as booked, coalesce(e.successful, 0) as successful
    from payments p
    join advices a on a.id = p.advice_id
    left join payment_numbers n on n.payment_id = p.id
    left join (select payment_id, sum(amount_kobo - suspended_kobo - reversed_kobo) as booked
                 from credits where payment_id is not null group by 1) as b on b.payment_id = p.id
    left join (select payment_id, count(*) as successful from events
                where type = 'payment.successful' group by 1) as e on e.payment_id = p.id`

export async function checkPayments(books: Books): Promise<string[]> {
  return [...(await checkAdvices(books)), ...(await checkStartedPayments(books))]
}

// Checks that each payment request (advice) exists once, with its terms, and is cancelled if its
// cancellation was acknowledged.
async function checkAdvices({ rows, testimony }: Books): Promise<string[]> {
  const advices = await rows(ADVICES)
  const intents = testimony.of('advice') // The requests of the run, each with its answers.
  const cancelled = new Set(
    testimony
      .of('advice_cancellation')
      .filter(({ acknowledged }) => acknowledged.length > 0)
      .map(({ terms }) => terms.advice),
  )
  return [
    ...existsOnce('advice', { intents, rows: advices, keyOf: (row) => row.merchant_ref as string }),
    ...sameAnswers('advice', intents, 'adviceReference'),
    ...advices.flatMap((row) =>
      cancelled.has(row.merchant_ref) && row.is_cancelled !== 'true'
        ? [`advice ${row.merchant_ref} was cancelled and is not`]
        : [],
    ),
    ...advices.flatMap(({ merchant_ref: key = '', reference, amount_kobo: amount, client_id }) => {
      const intent = testimony.intents.get(key)
      if (!intent) return []
      const answer = intent.acknowledged[0]?.adviceReference
      return [
        ...(answer
          ? differs(`the reference of advice ${key}`, reference, plainReference(answer))
          : []),
        ...differs(`the amount of advice ${key}`, amount, intent.terms.amount),
        ...differs(`the client of advice ${key}`, client_id, intent.terms.clientId),
      ]
    }),
  ]
}

// Checks that an advice has at most one payment, with the reference and number that the service answered.
async function checkStartedPayments({ rows, testimony }: Books): Promise<string[]> {
  const payments = await rows(PAYMENTS)
  const intents = testimony.of('payment') // The requests of the run, each with its answers.
  const byAdvice = Map.groupBy(payments, ({ advice }) => advice as string)
  const requested = Map.groupBy(intents, ({ terms }) => terms.advice as string)
  return [
    ...[...byAdvice].flatMap(([advice, started]) => [
      ...(started.length > 1 ? [`advice ${advice} has ${started.length} payments or numbers`] : []),
      ...(requested.has(advice) ? [] : [`a payment of ${advice} exists and nobody wanted it`]),
    ]),
    ...sameAnswers('payment', intents, 'paymentReference'),
    ...sameAnswers('payment', intents, 'accountNumber'),
    ...intents.flatMap(({ key, terms, acknowledged: [answer] }) => {
      if (!answer) return []
      const payment = byAdvice.get(terms.advice as string)?.[0]
      return [
        ...differs(
          `the reference of ${key}`,
          payment?.reference,
          plainReference(answer.paymentReference ?? ''),
        ),
        ...differs(`the number of ${key}`, payment?.account_number, answer.accountNumber),
      ]
    }),
    ...payments.flatMap(checkPaidAmount),
  ]
}

// Checks that the paid amount is the sum of the booked credits, and that a successful payment is paid in full
// (policy `any` accepts any amount) and has one payment.successful event.
function checkPaidAmount(payment: Record<string, string>): string[] {
  const { reference, status = '', amount_paid_kobo: paid = '0', booked = '0' } = payment
  const isFull = payment.amount_policy === 'any' || paid === payment.amount_kobo
  return [
    ...differs(`what is paid of payment ${reference} (${status})`, paid, booked),
    ...(status === 'Successful' && !isFull ? [`payment ${reference} succeeded without money`] : []),
    ...(['Successful', 'Reversed'].includes(status)
      ? differs(`payment.successful events of ${reference}`, payment.successful, '1')
      : []),
  ]
}

// The API writes references with hyphens; the SQL above compares them without.
function plainReference(reference: string): string {
  return reference.replaceAll('-', '').toLowerCase()
}
