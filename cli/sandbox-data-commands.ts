// `manilla sandbox`: fills the sandbox with history, empties it, and moves its clock.

import { setTimeout as pause } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { wholeNumber } from './arguments.ts'
import { answering, type Context, type Run } from './command-context.ts'
import { CliProblem, EXIT } from './problems.ts'
import { showProgress } from './progress.ts'
import { type Column, details, table, time } from './table.ts'

const LOOK_MS = 500
const RESET_WARNING = 'Everything in the sandbox would be deleted. Repeat with --yes.'
const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const
type Unit = keyof typeof SECONDS

export function addSandboxDataCommands(program: Command, run: Run): void {
  const sandbox = program
    .command('sandbox')
    .description('Manage your sandbox: sample data, reset, test clock.')
  sandbox
    .command('seed')
    .description('Create sample accounts, payments and credits.')
    .option('--accounts <count>', 'Collection accounts.', wholeNumber(1, 10_000), 20)
    .option('--days <count>', 'Days of history.', wholeNumber(1, 90), 7)
    .option('--seed <number>', 'The same number makes the same history.', wholeNumber(1, 1e9), 1)
    .action(answering(run, seed))
  sandbox
    .command('reset')
    .description('Return to an empty sandbox; credentials, users and settings stay.')
    .option('--yes', 'Without it, nothing is done.')
    .action(answering(run, reset))
  const clock = sandbox.command('clock').description('Control your test clock.')
  clock.command('show').description('Show the test clock.').action(answering(run, showClock))
  clock
    .command('set')
    .description('Freeze the test clock at a time.')
    .argument('<time>', 'Such as 2026-11-16T09:00:00+01:00.')
    .action(answering(run, setClock))
  clock
    .command('advance')
    .description('Advance the test clock and run what falls due.')
    .argument('<duration>', 'Such as 30s, 45m, 2h or 7d.', parseDuration)
    .action(answering(run, advance))
  clock.command('release').description('Return to real time.').action(answering(run, release))
}

function parseDuration(text: string): string {
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,7})([smhd])$/.exec(text) ?? []
  if (count === '') throw new InvalidArgumentError('It is a duration, such as 30s, 45m, 2h or 7d.')
  return String(Number(count) * SECONDS[unit as Unit])
}

// Waits for the end. If interrupted, the seed continues on the service.
async function seed({ manilla, terminal, options }: Context) {
  const signal = terminal.interrupted
  using progress = showProgress(terminal)
  const body = { accounts: options.accounts, days: options.days, seed: options.seed } as never
  let state = await manilla.sandbox.seed(body, { signal })
  while (state.status === 'running') {
    progress.show(`Seeding … ${state.percent}%`)
    await pause(LOOK_MS, undefined, { signal })
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

async function reset({ manilla, terminal, options }: Context) {
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

async function advance(context: Context, seconds = '') {
  const { manilla, terminal } = context
  const move = await manilla.sandbox.clock.advance(
    { seconds: Number(seconds) },
    { signal: terminal.interrupted },
  )
  const ran = move.ran.length > 0 ? `\n${table(terminal, STEPS, move.ran)}` : ''
  const rest = move.isComplete ? '' : '\nThere is more to run: advance again.'
  return { data: move, text: `${clockText(context, move)}${ran}${rest}` }
}

async function release(context: Context) {
  const clock = await context.manilla.sandbox.clock.release({
    signal: context.terminal.interrupted,
  })
  return { data: clock, text: clockText(context, clock) }
}
