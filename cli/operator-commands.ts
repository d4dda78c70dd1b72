// The operator's commands, on the service's own machine: `manilla admin …`, statements, export,
// backup, restore and verify. Each loads its part of src/admin/, and with it the database, when it runs.

import { type Command, Help, Option } from 'commander'
import {
  type OperatorCommand,
  ROLES,
  SCOPES,
  type View,
  type Work,
} from '#admin/operator-command.ts'
import {
  collect,
  parseClientId,
  parseEmail,
  parseTime,
  plainText,
  wholeNumber,
} from './arguments.ts'
import { type Options, print, type Run } from './command-context.ts'
import { CliProblem, EXIT } from './problems.ts'
import { details, table } from './table.ts'
import type { Terminal } from './terminal.ts'

const ADMIN =
  'Manage clients, users, keys, erasures and payouts, directly on the database: DATABASE_URL, or the ' +
  'embedded one in MANILLA_DATA_DIR, whether or not the service runs.'
const CLIENT = ['--client <client-id>', 'Client of the user.'] as const
const REASON = ['--reason <text>', 'Why. Kept in the audit log, shown to operators.'] as const
const BACKUPS = 'Folder of the backups. Default: MANILLA_BACKUP_DIR.'
const AT = ['--at <time>', 'Up to this moment, such as 2026-11-16T10:00:00Z.', parseTime] as const
const TIMELINE = [
  '--timeline <number>',
  'Timeline to follow. Default: the newest.',
  wholeNumber(0, 2 ** 31),
] as const
const FORMATS = ['camt053', 'mt940', 'csv']
const HOURS_MAX = 720

const clients = () => import('#admin/client-commands.ts')
const users = () => import('#admin/user-commands.ts')
const privacy = () => import('#admin/privacy-commands.ts')
const backups = () => import('#admin/backup-commands.ts')
const money = () => import('#admin/money-commands.ts')
const database = () => import('#admin/database-commands.ts')
export const loadDatabase = async () => (await database()).showDatabase
export const loadMessages = async () => (await database()).showMessages

export function addOperatorCommands(program: Command, run: Run): void {
  const admin = group(program, 'admin', ADMIN)
  addClientCommands(admin, run)
  addUserCommands(admin, run)
  addPrivacyCommands(admin, run)
  addPayoutCommands(admin, run)
  addScreeningCommands(admin, run)
  admin
    .command('database')
    .description(
      'Show the database hosts, which one is used, and whether a standby has all writes.',
    )
    .action(toOperatorAction(run, loadDatabase))
  addFileCommands(program, run)
  // These commands were once part of `admin`, as `manilla admin backup`, and still work there.
  addFileCommands(admin, run, { hidden: true })
}

function group(parent: Command, name: string, description: string): Command {
  return withoutUrl(parent.command(name).description(description))
}

// Hides --url in the help of commands that do not use the API.
function withoutUrl(command: Command): Command {
  return command.configureHelp({
    ...command.configureHelp(),
    visibleGlobalOptions(shownCommand: Command) {
      const options = Help.prototype.visibleGlobalOptions.call(this, shownCommand)
      return options.filter(({ long }) => long !== '--url')
    },
  })
}

// Turns an operator command into the action that Commander calls. `load` imports the command's module only
// when it runs, and `subject` is the command's only argument, such as a client id. The command works on the
// database directly, so --url makes no sense for it.
function toOperatorAction(run: Run, load: () => Promise<Work>) {
  return async (...args: unknown[]): Promise<void> => {
    const { url, json, ...options } = (args.at(-1) as Command).optsWithGlobals<Options>()
    if (url !== undefined) {
      throw new CliProblem('--url is for the API; this command uses the database.', EXIT.usage)
    }
    const [subject = ''] = args.slice(0, -2) as string[]
    const command: OperatorCommand = { load, options, subject }
    const { data, view } = await run.terminal.operate(command)
    print(run, { json: json === true }, { data, text: layOut(run.terminal, view) })
  }
}

// Formats the answer of an operator command: sentences, fields and tables, one below the other.
function layOut(terminal: Terminal, view: View | readonly View[]): string {
  const parts = [view].flat() as View[]
  return parts
    .map((part) => {
      if (typeof part === 'string') return part
      if ('fields' in part) return details(terminal, part.fields)
      const columns = part.columns.map((title, index) => ({
        title,
        value: (row: (typeof part.rows)[number]) => row[index],
        isRight: part.rows.every((row) => typeof row[index] === 'number'),
      }))
      return table(terminal, columns, part.rows)
    })
    .join('\n')
}

// Adds the options that restrict a client's scopes, merchants and addresses.
function withRestrictionOptions(command: Command): Command {
  const scopes = (text: string, before?: readonly string[]) => collect(text, before, SCOPES)
  return command
    .option('--scope <scope>', `Allowed scopes: ${SCOPES.join(' ')}.`, scopes)
    .option('--merchant-code <code>', 'Allowed merchant codes.', collect)
    .option('--from <address>', 'Allowed IP addresses or CIDR ranges.', collect)
}

function addClientCommands(admin: Command, run: Run): void {
  const client = group(admin, 'client', 'The clients.')
  const clientCommand = (name: string, description: string) =>
    client.command(name).description(description).argument('<client-id>', 'Client ID.')
  withRestrictionOptions(
    client
      .command('create')
      .description('Create a client; its secret is shown once.')
      .requiredOption('--name <text>', 'Merchant name shown to payers.', plainText(100))
      .option('--id <client-id>', 'Client ID; generated when omitted.', parseClientId)
      .option('--operator', 'Operates the service: manages clients and unidentified money.'),
  ).action(toOperatorAction(run, async () => (await clients()).createClient))
  client
    .command('list')
    .description('List clients, oldest first.')
    .action(toOperatorAction(run, async () => (await clients()).listAllClients))
  clientCommand('show', 'Show a client and its secrets.').action(
    toOperatorAction(run, async () => (await clients()).showClient),
  )
  clientCommand('use', 'Show the daily usage of a client.')
    .option('--days <count>', 'Number of days, including today, 1 to 31.', wholeNumber(1, 31), 7)
    .action(toOperatorAction(run, async () => (await clients()).showUsage))
  clientCommand('rotate-secret', 'Rotate a client secret; the new one is shown once.')
    .option(
      '--overlap <hours>',
      'How long the old secret stays valid. 0 revokes it and all tokens.',
      wholeNumber(0, HOURS_MAX),
      24,
    )
    .action(toOperatorAction(run, async () => (await clients()).rotateSecret))
  // The former name of --reason.
  const noteOption = () => new Option('--note <text>').argParser(plainText(500)).hideHelp()
  clientCommand(
    'suspend',
    'Suspend a client: no logins, and no money leaves it until it is resumed.',
  )
    .option(...REASON, plainText(500))
    .addOption(noteOption())
    .action(toOperatorAction(run, async () => (await clients()).suspend))
  clientCommand('resume', 'Resume a suspended client; it must log in again.')
    .option(...REASON, plainText(500))
    .addOption(noteOption())
    .action(toOperatorAction(run, async () => (await clients()).resume))
  withRestrictionOptions(
    clientCommand(
      'restrict',
      'Change the restrictions of a client. Omitted options keep their value.',
    ),
  )
    .option('--any-merchant', 'Allow all merchant codes.')
    .option('--from-anywhere', 'Allow all IP addresses.')
    .option('--users-from-anywhere', 'Let its users sign in from all IP addresses.')
    .action(toOperatorAction(run, async () => (await clients()).restrict))
}

function addUserCommands(admin: Command, run: Run): void {
  const user = group(admin, 'user', 'The users of a client.')
  const userCommand = (name: string, description: string) =>
    user
      .command(name)
      .description(description)
      .argument('<email>', 'Email address of the user.')
      .requiredOption(...CLIENT)
  user
    .command('create')
    .description('Invite a user; a single-use link and a temporary password are shown once.')
    .argument('<email>', 'Email address of the user.', parseEmail)
    .requiredOption(...CLIENT)
    .addOption(new Option('--role <role>', 'Role.').choices(ROLES).makeOptionMandatory())
    .action(toOperatorAction(run, async () => (await users()).createUser))
  user
    .command('list')
    .description('List the users of a client, newest first.')
    .requiredOption(...CLIENT)
    .action(toOperatorAction(run, async () => (await users()).listAllUsers))
  userCommand('disable', 'Disable a user and end all sessions.').action(
    toOperatorAction(run, async () => (await users()).disable),
  )
  userCommand('enable', 'Enable a disabled user.').action(
    toOperatorAction(run, async () => (await users()).enable),
  )
  userCommand(
    'vouch',
    'Vouch for a user: they count as a person of their own, whoever invited them.',
  )
    .requiredOption('--note <text>', 'How you know the person.')
    .action(toOperatorAction(run, async () => (await users()).vouch))
  userCommand(
    'reset-password',
    'Reset a password; a link and a temporary one are shown once. Lifts any lockout.',
  )
    .option('--remove-totp', 'Also remove the authenticator app.')
    .action(toOperatorAction(run, async () => (await users()).resetUserPassword))
}

function addPrivacyCommands(admin: Command, run: Run): void {
  const reason = [
    '--reason <text>',
    'Reason (audit log), without personal data.',
    plainText(200),
  ] as const
  group(admin, 'account', 'Collection accounts of any client.')
    .command('erase')
    .description('Erase the personal data of a collection account. Irreversible.')
    .argument('<number>', 'Account number.')
    .requiredOption(...reason)
    .option('--same-bvn', 'Also erase other accounts of the client with the same BVN.')
    .action(toOperatorAction(run, async () => (await privacy()).eraseAccount))
  group(admin, 'advice', 'Advices of any client.')
    .command('erase')
    .description('Erase the personal data of an advice. Irreversible.')
    .argument('<reference>', 'Advice reference.')
    .requiredOption(...reason)
    .action(toOperatorAction(run, async () => (await privacy()).eraseOneAdvice))
  admin
    .command('tiers')
    .description(
      'Report which accounts would get another KYC tier, and whose limits they would then exceed. ' +
        'Changes nothing without --apply or --queue.',
    )
    .option('--client <client-id>', 'Only the accounts of this client.', parseClientId)
    .option('--queue', 'Also have accounts verified that never were.')
    .option('--apply', 'Also assign the tiers, and so the limits.')
    .action(toOperatorAction(run, async () => (await clients()).tiers))
  admin
    .command('rotate-keys')
    .description('Rotate the data key and re-encrypt all data, online.')
    .option('--check', 'Only count values by key.')
    .action(toOperatorAction(run, async () => (await privacy()).rotate))
}

function addPayoutCommands(admin: Command, run: Run): void {
  const payouts = group(admin, 'payouts', 'The sending of payouts.')
  payouts
    .command('hold')
    .description('Send no payouts until they are released.')
    .requiredOption('--reason <text>', 'Why.', plainText(200))
    .action(toOperatorAction(run, async () => (await money()).hold))
  payouts
    .command('release')
    .description('Send payouts again, after a hold, a restore or a failover.')
    .option(
      '--nothing-missing',
      'You know that the promoted standby lacks nothing: send what was queued.',
    )
    .action(toOperatorAction(run, async () => (await money()).release))
  payouts
    .command('status')
    .description('Show whether payouts are held, and why.')
    .action(toOperatorAction(run, async () => (await money()).showHolds))
}

function addScreeningCommands(admin: Command, run: Run): void {
  group(admin, 'screening', 'The screening of credits and payouts.')
    .command('replay')
    .description('Make the decisions of a past time again, and compare them with those stored.')
    .requiredOption(
      '--from <time>',
      'Received from then on, such as 2026-10-01T00:00:00Z.',
      parseTime,
    )
    .requiredOption('--to <time>', 'Received before then.', parseTime)
    .action(toOperatorAction(run, async () => (await money()).replayScreening))
}

// Adds the commands that read or write files: statements, export, backup, restore and verify.
function addFileCommands(parent: Command, run: Run, visibility: { hidden?: boolean } = {}): void {
  const add = (name: string, description: string) =>
    withoutUrl(parent.command(name, visibility).description(description))
  const statements = add('statements', 'Bank statements.')
  statements
    .command('import')
    .description('Import a bank’s statement: camt.053, MT940 or CSV, plain or gzip.')
    .argument('<file>', 'The statement.')
    .requiredOption('--bank <code>', 'Bank that it is of, such as 058.')
    .addOption(
      new Option(
        '--format <format>',
        'Its format. Default: as the bank is configured, else by the name.',
      ).choices(FORMATS),
    )
    .option('--profile <name>', 'Profile of a CSV. Default: as configured.')
    .action(toOperatorAction(run, async () => (await money()).importFile))
  statements
    .command('list')
    .description('List bank statements: the latest 50.')
    .option('--bank <code>', 'Bank code, such as 058.')
    .action(toOperatorAction(run, async () => (await money()).listImported))
  add('export', 'Export the books for an independent check.')
    .option('--proof <folder>', 'Write them to this folder, new or empty.')
    .option('--proof-key', 'Only show the public key that signs exports.')
    .action(toOperatorAction(run, async () => (await money()).exportBooks))
  addBackupCommands(add, run)
}

// Adds backup, restore and verify. `add` creates a command below the parent, without --url.
function addBackupCommands(add: (name: string, description: string) => Command, run: Run): void {
  add('backup', 'Back up the database, whether the service runs or not.')
    .option('--to <folder>', BACKUPS)
    .option(
      '--keep <count>',
      'Then remove all but so many, and log not needed.',
      wholeNumber(1, 99_999),
    )
    .option('--without-secrets', 'Leave out secrets.json, and the banks and chart files.')
    .option('--database-url <url>', 'Your own server. Default: DATABASE_URL, or the embedded one.')
    .action(toOperatorAction(run, async () => (await backups()).backup))
  add('restore', 'Restore a backup into a new data directory, up to a moment.')
    .option('--from <folder>', BACKUPS)
    .option(...AT)
    .option('--latest', 'Up to the end of the archived log.')
    .option('--data-dir <folder>', 'New data directory.')
    .option(...TIMELINE)
    .option('--secrets <file>', 'secrets.json, if the backup has none.')
    .option(
      '--skip-numbers <count>',
      'Account numbers of each range not to be issued. Default: 1,000 or 1%.',
      wholeNumber(0, 1e9),
    )
    .option('--database-url <url>', 'Instead: prepare this database, restored by other means.')
    .action(toOperatorAction(run, async () => (await backups()).restore))
  add('verify', 'Prove that a backup can be restored: restore it, and check its books.')
    .option('--from <folder>', BACKUPS)
    .option(...AT)
    .option(...TIMELINE)
    .option('--database-url <url>', 'Instead: check the books of this database.')
    .action(toOperatorAction(run, async () => (await backups()).verify))
}
