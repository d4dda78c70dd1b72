// Parses the operator’s command line: finds the command, reads its options, reports usage errors.
// Pure; nothing runs here.

import { parseArgs } from 'node:util'

export type Option = {
  name: string // Without its dashes.
  value?: string // The placeholder of its value in the help. A switch has none.
  isMany?: boolean // May be repeated, or have several values separated by commas.
  about: string
}

export type Arguments = {
  subject: string // The argument after the command's name, or ''.
  flag(name: string): boolean
  text(name: string): string | undefined
  list(name: string): string[] | undefined
}

export type Command<Context> = {
  name: string // For example 'client create'.
  subject?: string // The argument after the name, for example 'clientId'.
  summary: string
  options: readonly Option[]
  isTopLevel?: boolean // Typed as `manilla export`, without `admin`.
  statementMaxMs?: number // The timeout of one statement, if longer than usual.
  run(context: Context, args: Arguments): Promise<Answer>
}

// `data` is for programs (--json), `text` for people.
export type Answer = { data: unknown; text: string }

export class UsageProblem extends Error {}

type ParsedCommand<Context> =
  | { help: string }
  | { command: Command<Context>; args: Arguments; isJson: boolean }

const EVERYWHERE: readonly Option[] = [
  { name: 'json', about: 'Output JSON.' },
  { name: 'help', about: 'Show help.' },
]

export function parseCommand<Context>(
  commands: readonly Command<Context>[],
  words: readonly string[],
): ParsedCommand<Context> {
  const command = commands.find(({ name }) =>
    name.split(' ').every((word, at) => words[at] === word),
  )
  const isHelp = words.includes('--help') || words.includes('-h')
  if (!command) {
    const typed = words.filter((word) => !word.startsWith('-')).join(' ')
    if (isHelp || typed === '') return { help: overview(commands) }
    throw new UsageProblem(`Unknown command: ${typed}\n\n${overview(commands)}`)
  }
  if (isHelp) return { help: formatUsage(command) }
  const rest = words.slice(command.name.split(' ').length)
  return { command, ...readOptions(command, rest) }
}

function readOptions<Context>(command: Command<Context>, words: readonly string[]) {
  const options = [...command.options, ...EVERYWHERE].map(
    ({ name, value, isMany }) =>
      [name, { type: value ? 'string' : 'boolean', multiple: isMany ?? false }] as const,
  )
  let parsed: ReturnType<typeof parseArgs>
  try {
    parsed = parseArgs({
      args: [...words],
      options: Object.fromEntries(options),
      allowPositionals: true,
    })
  } catch (error) {
    throw usageProblem(command, (error as Error).message.split('. ')[0] as string)
  }
  const { values, positionals } = parsed
  const [subject = '', ...more] = positionals
  if (command.subject && subject === '')
    throw usageProblem(command, `Missing argument: ${command.subject}`)
  const tooMany = command.subject ? more : positionals
  if (tooMany.length > 0) throw usageProblem(command, `Unexpected argument: ${tooMany[0]}`)
  const args: Arguments = {
    subject,
    flag: (name) => values[name] === true,
    text: (name) => values[name] as string | undefined,
    list: (name) => {
      const entries = (values[name] as string[] | undefined)?.flatMap((entry) => entry.split(','))
      return entries?.map((entry) => entry.trim()).filter((entry) => entry !== '')
    },
  }
  return { args, isJson: args.flag('json') }
}

function usageProblem<Context>(command: Command<Context>, problem: string): UsageProblem {
  return new UsageProblem(`${problem}.\n\n${formatUsage(command)}`)
}

function overview<Context>(commands: readonly Command<Context>[]): string {
  const lines = commands
    .filter(({ isTopLevel }) => !isTopLevel)
    .map((command) => [formatCall(command), command.summary] as const)
  return [
    'Usage: manilla admin <command> [options]',
    '',
    ...columns(lines),
    '',
    'All commands accept --json and --help. They use DATABASE_URL, or the embedded database in',
    'MANILLA_DATA_DIR, whether or not the service is running.',
  ].join('\n')
}

function formatUsage<Context>(command: Command<Context>): string {
  const options = [...command.options, ...EVERYWHERE].map(
    ({ name, value, about }) => [`--${name}${value ? ` <${value}>` : ''}`, about] as const,
  )
  return [
    `Usage: manilla ${command.isTopLevel ? '' : 'admin '}${formatCall(command)} [options]`,
    '',
    command.summary,
    '',
    ...columns(options),
  ].join('\n')
}

function formatCall<Context>({ name, subject }: Command<Context>): string {
  return subject ? `${name} <${subject}>` : name
}

export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd())
}
