// `manilla payments …`: payments by bank transfer, from the request to the refund.

import { type Command, Option } from 'commander'
import { parseAmount, parseHttpUrl, parseLimit, wholeNumber } from './arguments.ts'
import {
  type Context,
  KEY_OPTION,
  keyed,
  listAnswer,
  type Run,
  toAction,
} from './command-context.ts'
import { CliProblem } from './problems.ts'
import { type Column, details, naira, time } from './table.ts'
import { showProgress } from './terminal.ts'

const EXPIRY_SECONDS = [60, 172_800] as const
const POLICIES = ['exact', 'allow_under', 'any']
const STATUSES = ['Processing', 'PartPayment', 'Successful', 'Expired', 'Cancelled', 'Reversed']

export function addPaymentCommands(program: Command, run: Run): void {
  const payments = program.command('payments').description('Payments by bank transfer.')
  payments
    .command('create')
    .description('Request a payment and get the account number to pay it to.')
    .argument('<amount>', 'Amount in naira.', parseAmount)
    .requiredOption('--customer <name>', 'Name of the customer.')
    .requiredOption(
      '--callback-url <url>',
      'Where the payer returns to, and the outcome is posted.',
      parseHttpUrl,
    )
    .option('--email <address>', 'Email address of the customer.')
    .option('--bank <code>', 'Bank to issue the number. Default: the first that does.')
    .option('--reference <text>', 'Your reference (merchantRef).')
    .option('--narration <text>', 'What it is for.')
    .option('--notification-url <url>', 'Where its events are sent.', parseHttpUrl)
    .option('--expires <seconds>', 'How long it can be paid.', wholeNumber(...EXPIRY_SECONDS))
    .addOption(new Option('--policy <policy>', 'Which amounts count.').choices(POLICIES))
    .option(...KEY_OPTION)
    .action(toAction(run, createPayment))
  payments
    .command('get')
    .description('Show a payment.')
    .argument('<reference>', 'Payment, advice or your own reference.')
    .option('--wait', 'Wait until it is paid, expired or cancelled.')
    .action(toAction(run, getPayment))
  payments
    .command('list')
    .description('List payments, newest first.')
    .addOption(new Option('--status <status>', 'Only these.').choices(STATUSES))
    .option('--search <text>', 'Part of the customer’s name.')
    .option('--reference <text>', 'Your reference (merchantRef).')
    .option('--limit <count>', 'How many at most.', parseLimit, 20)
    .action(toAction(run, listPayments))
  payments
    .command('cancel')
    .description('Cancel a payment that is not paid.')
    .argument('<reference>', 'Payment, advice or your own reference.')
    .option(...KEY_OPTION)
    .action(toAction(run, cancelPayment))
  payments
    .command('refund')
    .description('Refund a paid payment, in whole or in part.')
    .argument('<reference>', 'Payment, advice or your own reference.')
    .argument('<amount>', 'Amount in naira.', parseAmount)
    .requiredOption('--reason <text>', 'Why.')
    .option(...KEY_OPTION)
    .action(toAction(run, refundPayment))
}

// Creates a payment request and starts its payment, which issues the number to pay to. Both requests have an
// idempotency key derived from the same key, so repeating the command is safe.
async function createPayment(context: Context, amount = '') {
  const { manilla, terminal, options } = context
  const texts = options as Record<string, string>
  const signal = terminal.interrupted
  const body = {
    amount,
    customer: { customerFullName: texts.customer, customerEmail: texts.email },
    callBackUrl: texts.callbackUrl,
    notificationUrl: texts.notificationUrl,
    merchantRef: texts.reference,
    narration: texts.narration,
    expiresInSeconds: options.expires,
    amountPolicy: texts.policy,
  }
  // Chooses the bank before anything is created, so that no request is left behind if there is none.
  const bankCode = texts.bank ?? (await manilla.payments.banks({ signal }))[0]?.code
  if (bankCode === undefined) throw new CliProblem('No bank issues numbers at the moment.')
  // The second request has a key derived from that of the first, because each request needs its own.
  const payment = await keyed(context, async (key) => {
    const advice = await manilla.advices.create(body as never, { idempotencyKey: key, signal })
    const { adviceReference } = advice
    const numberOptions = { idempotencyKey: `${key}-number`, signal }
    const payment = await manilla.payments.initiate(adviceReference, { bankCode }, numberOptions)
    return { ...payment, adviceReference, paymentUrl: advice.paymentUrl, currency: advice.currency }
  })
  const text = details(terminal, [
    ['amount', naira(payment.amount, payment.currency)],
    ['pay to', payment.bankAccount],
    ['bank', `${payment.bankName} (${payment.bankCode})`],
    ['account name', payment.accountName],
    ['expires', time(payment.expiresAt)],
    ['payment', payment.paymentReference],
    ['advice', payment.adviceReference],
    ['checkout', payment.paymentUrl],
  ])
  return { data: payment, text }
}

async function getPayment({ manilla, terminal, options }: Context, reference = '') {
  const signal = terminal.interrupted
  using progress = showProgress(terminal)
  if (options.wait) progress.show(`Waiting for ${reference} … (Ctrl-C to stop)`)
  const payment = options.wait
    ? await manilla.waitForPayment(reference, { signal })
    : await manilla.payments.get(reference, { signal })
  const text = details(terminal, [
    ['status', payment.status],
    ['amount', naira(payment.amount, payment.currency)],
    ['paid', naira(payment.amountPaid, payment.currency)],
    ['remaining', naira(payment.amountRemaining, payment.currency)],
    ['refunded', payment.refundedAmount ? naira(payment.refundedAmount, payment.currency) : ''],
    ['customer', payment.customerName],
    ...payment.numbers.map(
      (number) => ['pay to', `${number.accountNumber} ${number.bankName}`] as const,
    ),
    ['payment', payment.paymentReference],
    ['advice', payment.adviceReference],
    ['reference', payment.merchantRef],
    ['created', time(payment.createdAt)],
    ['expires', time(payment.expiresAt)],
  ])
  return { data: payment, text }
}

type Payments = Context['manilla']['payments']
type Payment = Awaited<ReturnType<ReturnType<Payments['list']>['page']>>['data'][number]

const COLUMNS: readonly Column<Payment>[] = [
  { title: 'payment', value: ({ paymentReference }) => paymentReference },
  { title: 'status', value: ({ status }) => status },
  { title: 'amount', value: ({ amount }) => naira(amount), isRight: true },
  { title: 'paid', value: ({ amountPaid }) => naira(amountPaid), isRight: true, isExtra: true },
  { title: 'created', value: ({ createdAt }) => time(createdAt), isExtra: true },
  { title: 'customer', value: ({ customerName }) => customerName },
]

function listPayments(context: Context) {
  const { status, search, reference } = context.options
  const { payments } = context.manilla
  return listAnswer(
    context,
    { status, search, merchantRef: reference },
    { columns: COLUMNS, read: (filter, callOptions) => payments.list(filter, callOptions) },
  )
}

async function cancelPayment(context: Context, reference = '') {
  const { manilla, terminal } = context
  const advice = await keyed(context, (idempotencyKey) =>
    manilla.payments.cancel(reference, { idempotencyKey, signal: terminal.interrupted }),
  )
  const text = details(terminal, [
    ['status', advice.status],
    ['amount', naira(advice.amount, advice.currency)],
    ['paid', naira(advice.amountPaid, advice.currency)],
    ['payment', advice.paymentReference],
    ['advice', advice.adviceReference],
  ])
  return { data: advice, text }
}

async function refundPayment(context: Context, reference = '', amount = '') {
  const { manilla, terminal, options } = context
  const body = { amount, reason: options.reason as string }
  const refund = await keyed(context, (idempotencyKey) =>
    manilla.payments.refund(reference, body, { idempotencyKey, signal: terminal.interrupted }),
  )
  const text = details(terminal, [
    ['refund', refund.reference],
    ['status', refund.status],
    ['amount', naira(refund.amount, refund.currency)],
    ['payment', refund.paymentReference],
    ['reason', refund.reason],
  ])
  return { data: refund, text }
}
