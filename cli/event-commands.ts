// `manilla events …`: lists events and delivers them again.

import type { Command } from 'commander'
import { parseAccountNumber, parseLimit } from './arguments.ts'
import {
  type Context,
  KEY_OPTION,
  keyed,
  listAnswer,
  type Run,
  toAction,
} from './command-context.ts'
import { type Column, time } from './table.ts'

export function addEventCommands(program: Command, run: Run): void {
  const events = program.command('events').description('Events, as webhooks deliver them.')
  events
    .command('list')
    .description('List events, newest first.')
    .option('--type <type>', 'Such as payment.successful.')
    .option('--payment <reference>', 'Of this payment.')
    .option('--account <number>', 'Of this account number.', parseAccountNumber)
    .option('--undelivered', 'Only those that a destination has not accepted yet.')
    .option('--limit <count>', 'How many at most.', parseLimit, 20)
    .action(toAction(run, listEvents))
  events
    .command('resend')
    .description('Deliver an event again, to all of its destinations.')
    .argument('<id>', 'Id of the event.')
    .option(...KEY_OPTION)
    .action(toAction(run, resendEvent))
}

type Events = Context['manilla']['events']
type Event = Awaited<ReturnType<ReturnType<Events['list']>['page']>>['data'][number]

const COLUMNS: readonly Column<Event>[] = [
  { title: '#', value: ({ sequence }) => sequence, isRight: true },
  { title: 'time', value: ({ createdAt }) => time(createdAt), isExtra: true },
  { title: 'type', value: ({ type }) => type },
  { title: 'delivery', value: ({ deliveryState }) => deliveryState },
  { title: 'id', value: ({ id }) => id },
]

function listEvents(context: Context) {
  const { type, payment, account, undelivered } = context.options
  const { events } = context.manilla
  const filter = {
    type,
    paymentReference: payment,
    accountNumber: account,
    delivered: undelivered ? 'false' : undefined,
  }
  return listAnswer(context, filter, {
    columns: COLUMNS,
    read: (query, callOptions) => events.list(query, callOptions),
  })
}

async function resendEvent(context: Context, id = '') {
  const { manilla, terminal } = context
  const { queued } = await keyed(context, (idempotencyKey) =>
    manilla.events.resend(id, { idempotencyKey, signal: terminal.interrupted }),
  )
  const places = queued === 1 ? 'one destination' : `${queued} destinations`
  return { data: { id, queued }, text: `Event ${id} is being delivered again to ${places}.` }
}
