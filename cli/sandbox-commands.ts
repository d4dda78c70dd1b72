// `manilla pay` and `manilla trigger`: simulate the bank, or the cause of an event, in the sandbox.

import { setTimeout as pause } from 'node:timers/promises'
import { Argument, type Command } from 'commander'
import { ManillaError } from '../sdk/src/sdk.ts'
import { parseAccountNumber, parseAmount } from './arguments.ts'
import { answering, type Context, KEY_OPTION, keyed, type Run } from './command-context.ts'
import { CliProblem, Unfinished } from './problems.ts'
import { showProgress } from './progress.ts'
import { details, naira } from './table.ts'
import { Player, SCENARIOS } from './trigger-scenarios.ts'

const EVENT_WAIT_MS = 90_000 // Workers send payouts, and payments live for at least a minute.
const LOOK_MS = 300

export function addSandboxCommands(program: Command, run: Run): void {
  program
    .command('pay')
    .description('Pay an account number as a payer’s bank would. Sandbox only.')
    .argument('<number>', 'Account number.', parseAccountNumber)
    .argument('<amount>', 'Amount in naira.', parseAmount)
    .option(...KEY_OPTION)
    .action(answering(run, pay))
  program
    .command('trigger')
    .description('Make an event happen, by playing what causes it, and print it. Sandbox only.')
    .addArgument(new Argument('<type>', 'Type of the event.').choices(Object.keys(SCENARIOS)))
    .action(answering(run, trigger))
}

async function pay(context: Context, number = '', amount = '') {
  const { manilla, terminal } = context
  const transfer = await keyed(context, (idempotencyKey) =>
    manilla.sandbox.pay(number, amount, { idempotencyKey, signal: terminal.interrupted }),
  )
  const text = details(terminal, [
    ['outcome', outcomeOf(transfer)],
    ['status', transfer.status],
    ['amount', naira(transfer.amount)],
    ['paid', naira(transfer.amountPaid)],
    // A credit to a collection account has no payment.
    ['payment', transfer.paymentReference === transfer.sessionId ? '' : transfer.paymentReference],
    ['session id', transfer.sessionId],
  ])
  return { data: transfer, text }
}

type TransferOutcome = { outcome: string; reason: string | null }

function outcomeOf({ outcome, reason }: TransferOutcome): string {
  if (reason === null) return outcome
  if (reason === 'excess') return `${outcome}; the excess is in suspense`
  return `${outcome}: ${reason.replaceAll('_', ' ')}`
}

async function trigger(context: Context, type = '') {
  const { terminal } = context
  using progress = showProgress(terminal)
  progress.show(`Playing what causes ${type} …`)
  await assertSandbox(context)
  const before = await newest(context)
  try {
    await SCENARIOS[type]?.(new Player(context))
  } catch (error) {
    throw new Unfinished(error, 'Part of the scenario may have been played; run it again.')
  }
  progress.show(`Waiting for ${type} …`)
  const event = await eventAfter(context, type, before)
  return { data: event, text: JSON.stringify(event, null, 2) }
}

// Call before creating anything: scenarios start with requests that a live service would perform. A live
// service refuses the path before it reads the body. The sandbox refuses this body and does nothing.
async function assertSandbox({ manilla, terminal }: Context): Promise<void> {
  const request = { body: {} as never, idempotencyKey: null, signal: terminal.interrupted }
  try {
    await manilla.request('post', '/sandbox/transfers', request)
  } catch (error) {
    if (!(error instanceof ManillaError && error.code === 'invalid_request')) throw error
  }
}

async function newest({ manilla, terminal }: Context): Promise<number> {
  const list = manilla.events.list({ limit: '1' } as never, { signal: terminal.interrupted })
  return (await list.page()).data[0]?.sequence ?? 0
}

async function eventAfter({ manilla, terminal }: Context, type: string, before: number) {
  const signal = terminal.interrupted
  for (let waitedMs = 0; waitedMs < EVENT_WAIT_MS; waitedMs += LOOK_MS) {
    const list = manilla.events.list({ type, limit: '20' } as never, { signal })
    const { data } = await list.page()
    const event = data.findLast(({ sequence }) => sequence > before)
    if (event) return event
    await pause(LOOK_MS, undefined, { signal })
  }
  const seconds = EVENT_WAIT_MS / 1000
  throw new CliProblem(`What causes ${type} was done, but it did not follow within ${seconds} s.`)
}
