// `manilla accounts …`: collection accounts.

import type { Command } from 'commander'
import { collect, parseAccountNumber, parseHttpUrl, parseLimit, readBody } from './arguments.ts'
import {
  type Context,
  KEY_OPTION,
  keyed,
  listAnswer,
  type Options,
  type Run,
  toAction,
} from './command-context.ts'
import { type Column, details, naira, time } from './table.ts'

const FIELD_OF_FLAG = {
  name: 'accountName',
  bvn: 'bvn',
  nin: 'nin',
  email: 'email',
  phone: 'phoneNumber',
  merchantId: 'merchantId',
  merchantCode: 'merchantCode',
  notificationUrl: 'notificationUrl',
  channel: 'channel',
  bank: 'banks',
} as const

export function addAccountCommands(program: Command, run: Run): void {
  const accounts = program.command('accounts').description('Collection accounts.')
  accounts
    .command('create')
    .description(
      'Create a collection account. All of its fields but --nin, --channel and --bank are needed; ' +
        'they may also come from --data.',
    )
    .option('--name <text>', 'Name of the account.')
    .option('--bvn <bvn>', 'Bank verification number of the customer.')
    .option('--nin <nin>', 'National identification number of the customer.')
    .option('--email <address>', 'Email address of the customer.')
    .option('--phone <number>', 'Phone number of the customer.')
    .option('--merchant-id <id>', 'Your identifier of the customer.')
    .option('--merchant-code <code>', 'Your code, such as of a branch.')
    .option('--notification-url <url>', 'Where its events are sent.', parseHttpUrl)
    .option('--channel <text>', 'Where it was requested. Default: API.')
    .option('--bank <code>', 'Bank to issue its number; several for several numbers.', collect)
    .option('--data <file>', 'Fields as JSON, in a file or - for standard input.')
    .option(...KEY_OPTION)
    .action(toAction(run, createAccount))
  accounts
    .command('get')
    .description('Show a collection account.')
    .argument('<number>', 'Account number.', parseAccountNumber)
    .action(toAction(run, getAccount))
  accounts
    .command('list')
    .description('List collection accounts, newest first.')
    .option('--name <text>', 'Part of the name.')
    .option('--email <address>', 'Email address.')
    .option('--phone <number>', 'Phone number.')
    .option('--merchant-id <id>', 'Your identifier of the customer.')
    .option('--limit <count>', 'How many at most.', parseLimit, 20)
    .action(toAction(run, listAccounts))
}

async function createAccount(context: Context) {
  const { manilla, terminal, options } = context
  const body = {
    channel: 'API',
    ...readBody(options.data as string | undefined),
    ...fieldsFromFlags(options),
  }
  const account = await keyed(context, (idempotencyKey) =>
    // The service checks the fields and names missing ones.
    manilla.accounts.create(body as never, { idempotencyKey, signal: terminal.interrupted }),
  )
  return { data: account, text: describeAccount(context, account) }
}

async function getAccount(context: Context, number = '') {
  const account = await context.manilla.accounts.get(number, {
    signal: context.terminal.interrupted,
  })
  return { data: account, text: describeAccount(context, account) }
}

function listAccounts(context: Context) {
  const { name, email, phone, merchantId } = context.options
  const { accounts } = context.manilla
  return listAnswer(
    context,
    { name, email, phone, merchantId },
    { columns: COLUMNS, read: (filter, callOptions) => accounts.list(filter, callOptions) },
  )
}

type Account = Awaited<ReturnType<Context['manilla']['accounts']['get']>>

const COLUMNS: readonly Column<Omit<Account, 'bvn'>>[] = [
  { title: 'number', value: ({ accountNumber }) => accountNumber },
  { title: 'bank', value: ({ bankCode }) => bankCode },
  { title: 'balance', value: ({ accountBalance }) => naira(accountBalance), isRight: true },
  { title: 'state', value: ({ isActive }) => (isActive ? 'active' : 'inactive') },
  { title: 'created', value: ({ createdAt }) => time(createdAt), isExtra: true },
  { title: 'name', value: ({ accountName }) => accountName },
]

function describeAccount({ terminal }: Context, account: Account): string {
  return details(terminal, [
    ['number', account.accountNumber],
    ['bank', account.bankCode],
    ['name', account.accountName],
    ['state', account.isActive ? 'active' : 'inactive'],
    ['balance', naira(account.accountBalance, account.currencyCode)],
    ['merchant id', account.merchantId],
    ['merchant code', account.merchantCode],
    ['email', account.email],
    ['phone', account.phoneNumber],
    ['notified at', account.notificationUrl],
    ['created', time(account.createdAt)],
    ...account.accounts
      .filter(({ accountNumber }) => accountNumber !== account.accountNumber)
      .map((number) => ['also', `${number.accountNumber} ${number.bankName}`] as const),
  ])
}

// The fields of the request that flags set; they override those of --data.
function fieldsFromFlags(options: Options): Record<string, unknown> {
  const fields = Object.entries(FIELD_OF_FLAG).filter(([flag]) => options[flag] !== undefined)
  return Object.fromEntries(fields.map(([flag, field]) => [field, options[flag]]))
}
