// The control API, through which a test, an evaluator or a demo controls the simulated bank. It has JSON
// bodies with amounts in naira as text. It needs no password, because the bank listens on the loopback
// address only.

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

type ControlContext = {
  bank: Bank
  notifier: Notifier
  wakePump: () => void // Called when a notification may be due.
}

type Order = TransferOrder & { fate?: Fate | undefined }

// Adds the routes of the control API. `context` has the simulated bank and its notifier. wakePump() resets
// the timer of the notifications, which is necessary after any change of what is due.
export function controlRoutes(app: FastifyInstance, context: ControlContext): void {
  const { bank, notifier } = context
  app.get('/control/health', async () => ({
    status: 'ok',
    bankCode: bank.bankCode,
    unansweredPayoutCalls: bank.payouts.unanswered,
  }))
  transferRoutes(app, context)
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
    // Acts as if the time had passed: payouts and notifications fall due earlier.
    bank.payouts.bringForward(advanceMs as number)
    notifier.bringForward(advanceMs as number)
    await notifier.sendDue()
    context.wakePump()
    return { advancedMs: advanceMs }
  })
  app.post('/control/reset', async () => {
    bank.clear()
    notifier.clear()
    return { status: 'ok' }
  })
}

// Adds the routes that simulate transfers, one or several at once, and list them.
function transferRoutes(app: FastifyInstance, { bank, notifier, wakePump }: ControlContext): void {
  const view = (transfer: Transfer) => transferOf(transfer, notifier)
  app.post('/control/transfers', async ({ body }, reply) => {
    const entries = Array.isArray(body) ? body : [body]
    if (entries.length === 0 || entries.length > TRANSFERS_MAX) {
      return refuse(reply, `1 to ${TRANSFERS_MAX} transfers at once`)
    }
    const orders = entries.map(readOrder)
    const problem = orders.find((order) => typeof order === 'string')
    if (problem !== undefined) return refuse(reply, problem)
    // A transfer to a blocked account does not take place; its answer has only the status.
    const answers = (orders as Order[]).map((order) => {
      const transfer = bank.receive(order)
      if (!transfer) return { accountNumber: order.accountNumber, status: 'account_blocked' }
      notifier.add(transfer, order.fate)
      return view(transfer)
    })
    wakePump()
    return Array.isArray(body) ? answers : answers[0]
  })
  app.get('/control/transfers', async () => bank.allTransfers().map(view))
}

// Adds the routes that list payouts, reverse one, and set how the bank handles the next ones.
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
    const knownBehaviour = PAYOUT_BEHAVIOURS.find((each) => each === behaviour)
    if (!knownBehaviour)
      return refuse(reply, `behaviour must be one of: ${PAYOUT_BEHAVIOURS.join(', ')}`)
    if (!Number.isInteger(delayMs) || (delayMs as number) < 0 || !textOf(reason)) {
      return refuse(reply, 'delayMs must be a whole number, reason must be text')
    }
    payouts.behaviour = knownBehaviour
    payouts.delayMs = delayMs as number
    payouts.reason = textOf(reason)
    return { behaviour: knownBehaviour, delayMs, reason }
  })
}

// Reads one transfer of a request. Returns a sentence if it is invalid.
function readOrder(value: unknown): Order | string {
  const { accountNumber, amount, narration, payer, fate } = recordOf(value)
  const amountKobo = koboOf(amount)
  if (!isAccountNumber(textOf(accountNumber))) return 'accountNumber must be 10 digits'
  if (amountKobo === undefined || amountKobo <= 0n || amountKobo > AMOUNT_MAX_KOBO) {
    return 'amount must be naira above 0, such as "1500.00"'
  }
  const knownFate = FATES.find((each) => each === fate)
  if (fate !== undefined && !knownFate) return `fate must be one of: ${FATES.join(', ')}`
  return {
    accountNumber: textOf(accountNumber),
    amountKobo,
    narration: textOf(narration) || undefined,
    payer: readPayer(payer),
    fate: knownFate,
  }
}

// Reads the fields of a payer that the request names. The bank fills in the others.
function readPayer(value: unknown): Partial<Payer> {
  const payer = recordOf(value)
  const fields = ['accountNumber', 'accountName', 'bankCode'] as const
  return Object.fromEntries(
    fields.flatMap((field) => (textOf(payer[field]) ? [[field, textOf(payer[field])]] : [])),
  )
}

// Returns a transfer as the control API shows it, with the state of its notification.
function transferOf(transfer: Transfer, notifier: Notifier) {
  const { amountKobo, feeKobo, vatKobo, settledKobo, accountName: _, ...otherFields } = transfer
  return {
    ...otherFields,
    amount: formatKobo(amountKobo),
    fee: formatKobo(feeKobo),
    vat: formatKobo(vatKobo),
    settledAmount: formatKobo(settledKobo),
    notification: notifier.deliveryOf(transfer),
  }
}

// Returns the bank's statement as the control API shows it.
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
