// The control API, by which a test, an evaluator or a demo controls the bank. JSON, amounts in
// naira as text, without a password: the bank listens on the loopback address only.

import type { FastifyInstance, FastifyReply } from 'fastify'
import { isAccountNumber } from '#banks/nuban.ts'
import { AMOUNT_MAX_KOBO, formatKobo, koboOf } from '#money.ts'
import type { Bank, Payer, Transfer, TransferOrder } from './bank.ts'
import { type Query, readJson, recordOf, textOf } from './dialect.ts'
import { changeFaults, FATES, type Fate } from './faults.ts'
import type { Notifier } from './notifier.ts'
import { PAYOUT_BEHAVIOURS } from './payouts.ts'

const TRANSFERS_MAX = 10_000
const ADVANCE_MS_MAX = 30 * 86_400_000

type Controlled = {
  bank: Bank
  notifier: Notifier
  changed: () => void // Called when a notification may be due.
}

type Order = TransferOrder & { fate?: Fate | undefined }

export function controlRoutes(app: FastifyInstance, controlled: Controlled): void {
  const { bank, notifier } = controlled
  app.get('/control/health', async () => ({
    status: 'ok',
    bankCode: bank.bankCode,
    unansweredPayoutCalls: bank.payouts.unanswered,
  }))
  transferRoutes(app, controlled)
  app.post('/control/name-enquiries', async ({ body }, reply) => {
    const response = await notifier.enquireName(textOf(recordOf(body).accountNumber))
    if (!response) return refuse(reply, 'Manilla did not answer', 502)
    return { httpStatus: response.httpStatus, answer: readJson(response.body) ?? null }
  })
  app.get('/control/faults', async () => notifier.faults)
  app.post('/control/faults', async ({ body }, reply) => {
    const faults = changeFaults(notifier.faults, recordOf(body))
    if (typeof faults === 'string') return refuse(reply, faults)
    notifier.faults = faults
    return faults
  })
  payoutRoutes(app, bank)
  app.get<Query>('/control/statement', async ({ query }) => statementOf(bank, query))
  app.post('/control/clock', async ({ body }, reply) => {
    const { advanceMs } = recordOf(body)
    const isWhole = Number.isInteger(advanceMs)
    if (!isWhole || (advanceMs as number) < 0 || (advanceMs as number) > ADVANCE_MS_MAX) {
      return refuse(reply, `advanceMs must be a whole number from 0 to ${ADVANCE_MS_MAX}`)
    }
    bank.payouts.bringForward(advanceMs as number)
    notifier.bringForward(advanceMs as number)
    await notifier.sendDue()
    controlled.changed()
    return { advancedMs: advanceMs }
  })
  app.post('/control/reset', async () => {
    bank.clear()
    notifier.clear()
    return { status: 'ok' }
  })
}

function transferRoutes(app: FastifyInstance, { bank, notifier, changed }: Controlled): void {
  const view = (transfer: Transfer) => transferOf(transfer, notifier)
  app.post('/control/transfers', async ({ body }, reply) => {
    const entries = Array.isArray(body) ? body : [body]
    if (entries.length === 0 || entries.length > TRANSFERS_MAX) {
      return refuse(reply, `1 to ${TRANSFERS_MAX} transfers at once`)
    }
    const orders = entries.map(readOrder)
    const problem = orders.find((order) => typeof order === 'string')
    if (problem !== undefined) return refuse(reply, problem)
    const answers = (orders as Order[]).map((order) => {
      const transfer = bank.receive(order)
      if (!transfer) return { accountNumber: order.accountNumber, status: 'account_blocked' }
      notifier.add(transfer, order.fate)
      return view(transfer)
    })
    changed()
    return Array.isArray(body) ? answers : answers[0]
  })
  app.get('/control/transfers', async () => bank.allTransfers().map(view))
}

function payoutRoutes(app: FastifyInstance, { payouts }: Bank): void {
  app.get('/control/payouts', async () =>
    payouts.all().map(({ amountKobo, dueMs: _, ...payout }) => ({
      ...payout,
      amount: formatKobo(amountKobo),
    })),
  )
  app.post('/control/payout-reversals', async ({ body }, reply) => {
    const reference = textOf(recordOf(body).reference)
    if (!payouts.reverse(reference)) return refuse(reply, 'reference must be that of a paid payout')
    return { reference, status: 'reversed' }
  })
  app.post('/control/payout-behaviour', async ({ body }, reply) => {
    const { behaviour, delayMs = payouts.delayMs, reason = payouts.reason } = recordOf(body)
    const known = PAYOUT_BEHAVIOURS.find((each) => each === behaviour)
    if (!known) return refuse(reply, `behaviour must be one of: ${PAYOUT_BEHAVIOURS.join(', ')}`)
    if (!Number.isInteger(delayMs) || (delayMs as number) < 0 || !textOf(reason)) {
      return refuse(reply, 'delayMs must be a whole number, reason must be text')
    }
    payouts.behaviour = known
    payouts.delayMs = delayMs as number
    payouts.reason = textOf(reason)
    return { behaviour: known, delayMs, reason }
  })
}

// Returns a sentence if the order is invalid.
function readOrder(value: unknown): Order | string {
  const { accountNumber, amount, narration, payer, fate } = recordOf(value)
  const amountKobo = koboOf(amount)
  if (!isAccountNumber(textOf(accountNumber))) return 'accountNumber must be 10 digits'
  if (amountKobo === undefined || amountKobo <= 0n || amountKobo > AMOUNT_MAX_KOBO) {
    return 'amount must be naira above 0, such as "1500.00"'
  }
  const known = FATES.find((each) => each === fate)
  if (fate !== undefined && !known) return `fate must be one of: ${FATES.join(', ')}`
  return {
    accountNumber: textOf(accountNumber),
    amountKobo,
    narration: textOf(narration) || undefined,
    payer: readPayer(payer),
    fate: known,
  }
}

function readPayer(value: unknown): Partial<Payer> {
  const payer = recordOf(value)
  const fields = ['accountNumber', 'accountName', 'bankCode'] as const
  return Object.fromEntries(
    fields.flatMap((field) => (textOf(payer[field]) ? [[field, textOf(payer[field])]] : [])),
  )
}

function transferOf(transfer: Transfer, notifier: Notifier) {
  const { amountKobo, feeKobo, vatKobo, settledKobo, accountName: _, ...rest } = transfer
  return {
    ...rest,
    amount: formatKobo(amountKobo),
    fee: formatKobo(feeKobo),
    vat: formatKobo(vatKobo),
    settledAmount: formatKobo(settledKobo),
    notification: notifier.deliveryOf(transfer),
  }
}

function statementOf(bank: Bank, { from, to }: Record<string, string | undefined>) {
  const { openingKobo, lines, closingKobo } = bank.statement(dateOf(from), dateOf(to))
  return {
    openingBalance: formatKobo(openingKobo),
    closingBalance: formatKobo(closingKobo),
    lines: lines.map(({ amountKobo, balanceKobo, ...line }) => ({
      ...line,
      amount: formatKobo(amountKobo),
      balance: formatKobo(balanceKobo),
    })),
  }
}

function dateOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text)
}

function refuse(reply: FastifyReply, message: string, httpStatus = 400): FastifyReply {
  return reply.code(httpStatus).send({ message })
}
