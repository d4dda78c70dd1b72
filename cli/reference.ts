// The reference of the commands in docs/cli.md, generated from their help (`npm run generate`).

import type { Argument, Command, Option } from 'commander'
import { Run } from './command-context.ts'
import { visibleCommands } from './completion-command.ts'
import { DELEGATED } from './delegated-commands.ts'
import { processTerminal } from './process-terminal.ts'
import { createProgram } from './program.ts'

const BEGIN = '<!-- commands: written by npm run generate -->'
const END = '<!-- /commands -->'

// Returns docs/cli.md with the part between the two marks replaced by the commands as they are now.
export function insertCommands(document: string): string {
  const [before = '', fromBegin = ''] = document.split(BEGIN)
  const [, after = ''] = fromBegin.split(END)
  return `${before}${BEGIN}\n\n${renderCommands()}\n\n${END}${after}`
}

// The sections of all commands for docs/cli.md, read from the program as its help is.
function renderCommands(): string {
  const program = createProgram(new Run(processTerminal(new AbortController().signal)))
  const delegated = new Set(DELEGATED.map(({ name }) => name))
  const ownCommands = visibleCommands(program).filter((command) => !delegated.has(command.name()))
  const rows = DELEGATED.map(({ name, summary }) => `| \`manilla ${name}\` | ${summary} |`)
  const everywhere = ['### Everywhere', '', ...renderTable([], [...program.options])].join('\n')
  const service = ['### Run the service, on its own machine', '', ...HEADER, ...rows].join('\n')
  return [
    ...ownCommands.flatMap((command) => renderSections(command, 'manilla')),
    everywhere,
    service,
  ].join('\n\n')
}

// A section for each command; a group of commands becomes the sections of its commands.
function renderSections(command: Command, path: string): string[] {
  const name = `${path} ${command.name()}`
  const commands = visibleCommands(command)
  if (commands.length > 0) return commands.flatMap((each) => renderSections(each, name))
  const words = command.registeredArguments.map((argument) => ` <${argument.name()}>`).join('')
  const rows = renderTable(
    [...command.registeredArguments],
    command.options.filter(({ hidden }) => !hidden),
  )
  return [[`### \`${name}${words}\``, '', command.description(), '', ...rows].join('\n').trimEnd()]
}

const HEADER = ['| | |', '| --- | --- |']

// Returns the lines of a Markdown table of a command's arguments and options, or no lines if there are none.
function renderTable(args: readonly Argument[], options: readonly Option[]): string[] {
  const rows = [
    ...args.map((each) => [`<${each.name()}>`, describe(each)] as const),
    ...options.map((each) => [each.flags, describe(each)] as const),
  ]
  if (rows.length === 0) return []
  return [...HEADER, ...rows.map(([name, text]) => `| \`${name}\` | ${text} |`)]
}

// Returns the description of an argument or option, with its choices and its default. A pipe is escaped,
// because it would end the table's cell.
function describe({
  description,
  argChoices,
  defaultValue,
  ...otherFields
}: Argument | Option): string {
  const choices = argChoices ? ` One of ${argChoices.map((word) => `\`${word}\``).join(', ')}.` : ''
  const defaultText = defaultValue === undefined ? '' : ` Default: ${defaultValue}.`
  const isNeeded = 'mandatory' in otherFields && otherFields.mandatory
  return `${description}${isNeeded ? ' Required.' : ''}${choices}${defaultText}`.replaceAll(
    '|',
    '\\|',
  )
}
