// `manilla pay` and `manilla trigger` simulate the bank, or the cause of an event, in the sandbox.
// `manilla sandbox` fills it with history, empties it, and moves its clock.

import { setTimeout as pause } from 'node:timers/promises'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import { ManillaError } from '../sdk/src/sdk.ts'
import { parseAccountNumber, parseAmount, wholeNumber } from './arguments.ts'
import { type Context, KEY_OPTION, keyed, type Run, toAction } from './command-context.ts'
import { CliProblem, EXIT, Unfinished } from './problems.ts'
import { type Column, details, naira, table, time } from './table.ts'
import { showProgress } from './terminal.ts'
import { Player, SCENARIOS } from './trigger-scenarios.ts'

const EVENT_WAIT_MS = 90_000 // Workers send payouts, and a payment takes at least a minute to expire.
const POLL_MS = 300
const SEED_POLL_MS = 500
const RESET_WARNING = 'Everything in the sandbox would be deleted. Repeat with --yes.'
const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const
type Unit = keyof typeof SECONDS

export function addSandboxCommands(program: Command, run: Run): void {
  program
    .command('pay')
    .description('Pay an account number as a payer’s bank would. Sandbox only.')
    .argument('<number>', 'Account number.', parseAccountNumber)
    .argument('<amount>', 'Amount in naira.', parseAmount)
    .option(...KEY_OPTION)
    .action(toAction(run, payNumber))
  program
    .command('trigger')
    .description('Make an event happen, by playing what causes it, and print it. Sandbox only.')
    .addArgument(new Argument('<type>', 'Type of the event.').choices(Object.keys(SCENARIOS)))
    .action(toAction(run, triggerEvent))
  addDataCommands(program, run)
}

// Simulates a transfer to the number, and prints how the service booked it.
async function payNumber(context: Context, number = '', amount = '') {
  const { manilla, terminal } = context
  const transfer = await keyed(context, (idempotencyKey) =>
    manilla.sandbox.pay(number, amount, { idempotencyKey, signal: terminal.interrupted }),
  )
  const text = details(terminal, [
    ['outcome', outcomeOf(transfer)],
    ['status', transfer.status],
    ['amount', naira(transfer.amount)],
    ['paid', naira(transfer.amountPaid)],
    // A credit to a collection account has no payment; the service then repeats the session id here.
    ['payment', transfer.paymentReference === transfer.sessionId ? '' : transfer.paymentReference],
    ['session id', transfer.sessionId],
  ])
  return { data: transfer, text }
}

type TransferOutcome = { outcome: string; reason: string | null }

// Describes how the service booked a transfer. With `excess`, all but the excess was booked.
function outcomeOf({ outcome, reason }: TransferOutcome): string {
  if (reason === null) return outcome
  if (reason === 'excess') return `${outcome}; the excess is in suspense`
  return `${outcome}: ${reason.replaceAll('_', ' ')}`
}

// Plays the scenario that causes an event of this type, and prints the first such event that is newer than
// the scenario's start.
async function triggerEvent(context: Context, type = '') {
  const { terminal } = context
  using progress = showProgress(terminal)
  progress.show(`Playing what causes ${type} …`)
  await assertSandbox(context)
  const sequenceBefore = await newestSequence(context)
  try {
    await SCENARIOS[type]?.(new Player(context))
  } catch (error) {
    throw new Unfinished(error, 'Part of the scenario may have been played; run it again.')
  }
  progress.show(`Waiting for ${type} …`)
  const event = await waitForEvent(context, type, sequenceBefore)
  return { data: event, text: JSON.stringify(event, null, 2) }
}

// Throws unless the service is a sandbox. Run it before a scenario, which begins with requests that a live
// service would carry out. A live service refuses this path before it reads the body; a sandbox refuses the
// empty body as invalid and does nothing.
async function assertSandbox({ manilla, terminal }: Context): Promise<void> {
  const request = { body: {} as never, idempotencyKey: null, signal: terminal.interrupted }
  try {
    await manilla.request('post', '/sandbox/transfers', request)
  } catch (error) {
    if (!(error instanceof ManillaError && error.code === 'invalid_request')) throw error
  }
}

// The number of the client's newest event, or 0 if there is none.
async function newestSequence({ manilla, terminal }: Context): Promise<number> {
  const list = manilla.events.list({ limit: '1' } as never, { signal: terminal.interrupted })
  return (await list.page()).data[0]?.sequence ?? 0
}

// Polls until the client has an event of this type whose number is higher than `afterSequence`.
async function waitForEvent({ manilla, terminal }: Context, type: string, afterSequence: number) {
  const signal = terminal.interrupted
  for (let waitedMs = 0; waitedMs < EVENT_WAIT_MS; waitedMs += POLL_MS) {
    const list = manilla.events.list({ type, limit: '20' } as never, { signal })
    const { data } = await list.page()
    const event = data.findLast(({ sequence }) => sequence > afterSequence)
    if (event) return event
    await pause(POLL_MS, undefined, { signal })
  }
  const seconds = EVENT_WAIT_MS / 1000
  throw new CliProblem(`What causes ${type} was done, but it did not follow within ${seconds} s.`)
}

function addDataCommands(program: Command, run: Run): void {
  const sandbox = program
    .command('sandbox')
    .description('Manage your sandbox: sample data, reset, test clock.')
  sandbox
    .command('seed')
    .description('Create sample accounts, payments and credits.')
    .option('--accounts <count>', 'Collection accounts.', wholeNumber(1, 10_000), 20)
    .option('--days <count>', 'Days of history.', wholeNumber(1, 90), 7)
    .option('--seed <number>', 'The same number makes the same history.', wholeNumber(1, 1e9), 1)
    .action(toAction(run, seedSandbox))
  sandbox
    .command('reset')
    .description('Return to an empty sandbox; credentials, users and settings stay.')
    .option('--yes', 'Without it, nothing is done.')
    .action(toAction(run, resetSandbox))
  const clock = sandbox
    .command('clock')
    .description('Control the test clock of the sandbox, which all of its clients share.')
  clock.command('show').description('Show the test clock.').action(toAction(run, showClock))
  clock
    .command('set')
    .description('Freeze the test clock at a time.')
    .argument('<time>', 'Such as 2026-11-16T09:00:00+01:00.')
    .action(toAction(run, setClock))
  clock
    .command('advance')
    .description('Advance the test clock and run what falls due.')
    .argument('<duration>', 'Such as 30s, 45m, 2h or 7d.', parseDuration)
    .action(toAction(run, advanceClock))
  clock.command('release').description('Return to real time.').action(toAction(run, releaseClock))
}

// Converts a duration such as 45m to seconds.
function parseDuration(text: string): string {
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,7})([smhd])$/.exec(text) ?? []
  if (count === '') throw new InvalidArgumentError('It is a duration, such as 30s, 45m, 2h or 7d.')
  return String(Number(count) * SECONDS[unit as Unit])
}

// Fills the sandbox and waits until it is filled. If interrupted, the service continues to fill it.
async function seedSandbox({ manilla, terminal, options }: Context) {
  const signal = terminal.interrupted
  using progress = showProgress(terminal)
  const body = { accounts: options.accounts, days: options.days, seed: options.seed } as never
  let state = await manilla.sandbox.seed(body, { signal })
  while (state.status === 'running') {
    progress.show(`Seeding … ${state.percent}%`)
    await pause(SEED_POLL_MS, undefined, { signal })
    state = await manilla.sandbox.seeding({ signal })
  }
  if (state.status === 'failed') throw new CliProblem('The seed failed; run it again.')
  const text = details(terminal, [
    ['status', state.status],
    ['accounts', String(options.accounts)],
    ['days', String(options.days)],
  ])
  return { data: state, text }
}

// Empties the sandbox. Without --yes it only says what a reset removes.
async function resetSandbox({ manilla, terminal, options }: Context) {
  if (!options.yes) throw new CliProblem(RESET_WARNING, EXIT.usage)
  const data = await manilla.sandbox.reset({ signal: terminal.interrupted })
  return { data, text: 'The sandbox is empty.' }
}

type Step = { at: string; kind: string; count: number }
const STEPS: readonly Column<Step>[] = [
  { title: 'at', value: ({ at }) => time(at) },
  { title: 'ran', value: ({ kind }) => kind },
  { title: 'count', value: ({ count }) => count },
]

type Clock = { now: string; isFrozen: boolean }

function clockText(context: Context, { now, isFrozen }: Clock): string {
  return details(context.terminal, [
    ['now', now],
    ['clock', isFrozen ? 'stands still' : 'real time'],
  ])
}

async function showClock(context: Context) {
  const clock = await context.manilla.sandbox.clock.get({ signal: context.terminal.interrupted })
  return { data: clock, text: clockText(context, clock) }
}

async function setClock(context: Context, time = '') {
  const signal = context.terminal.interrupted
  const clock = await context.manilla.sandbox.clock.set(time, { signal })
  return { data: clock, text: clockText(context, clock) }
}

// Moves the test clock, and prints which automatic work this made due. A long move stops early, and the
// user repeats the command.
async function advanceClock(context: Context, seconds = '') {
  const { manilla, terminal } = context
  const move = await manilla.sandbox.clock.advance(
    { seconds: Number(seconds) },
    { signal: terminal.interrupted },
  )
  const ran = move.ran.length > 0 ? `\n${table(terminal, STEPS, move.ran)}` : ''
  const advice = move.isComplete ? '' : '\nThere is more to run: advance again.'
  return { data: move, text: `${clockText(context, move)}${ran}${advice}` }
}

async function releaseClock(context: Context) {
  const clock = await context.manilla.sandbox.clock.release({
    signal: context.terminal.interrupted,
  })
  return { data: clock, text: clockText(context, clock) }
}
