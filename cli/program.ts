// The whole command line: commands in help order, global options, and the end of a run.

import { Command, Help, type Option } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { addAccountCommands } from './account-commands.ts'
import { Run } from './command-context.ts'
import { addCompletionCommand } from './completion-command.ts'
import { addDelegatedCommands } from './delegated-commands.ts'
import { addDoctorCommand } from './doctor-command.ts'
import { addEventCommands } from './event-commands.ts'
import { addListenCommand } from './listen-command.ts'
import { addLoginCommand } from './login-command.ts'
import { addOperatorCommands } from './operator-commands.ts'
import { addPaymentCommands } from './payment-commands.ts'
import { describeFailure, EXIT } from './problems.ts'
import { addSandboxCommands } from './sandbox-commands.ts'
import type { Terminal } from './terminal.ts'
import { addTraceCommand } from './trace-command.ts'

const AFTER_HELP = `
Environment: MANILLA_URL, MANILLA_CLIENT_ID, MANILLA_CLIENT_SECRET. Without them, what manilla login
stored; on this machine, the sandbox’s demo credentials.

Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 cannot reach the service or database, 4 not
signed in or wrong credentials, 130 interrupted.`

// Builds all commands. Errors are thrown, so that runCli() reports them in one place.
export function createProgram(run: Run): Command {
  const { terminal } = run
  const program = new Command('manilla')
    .description(packageJson.description)
    .version(packageJson.version, '-V, --version', 'Show the version.')
    .helpOption('-h, --help', 'Show help.')
    .option('--url <url>', 'URL of the service.')
    .option('--json', 'Print JSON, for programs.')
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true, optionDescription: describeOption })
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: () => {}, // Reported once, at the end.
      getOutHelpWidth: () => Math.min(terminal.columns, 100),
      getErrHelpWidth: () => Math.min(terminal.columns, 100),
    })
    .addHelpText('beforeAll', ({ command }) => refuseUnknown(command))
    .addHelpText('after', AFTER_HELP)
  program.commandsGroup('Use the service:')
  addLoginCommand(program, run)
  addAccountCommands(program, run)
  addPaymentCommands(program, run)
  addEventCommands(program, run)
  addTraceCommand(program, run)
  program.commandsGroup('Develop:')
  addListenCommand(program, run)
  addSandboxCommands(program, run)
  addDoctorCommand(program, run)
  addCompletionCommand(program, run)
  program.commandsGroup('Run the service, on its own machine:')
  addDelegatedCommands(program, run)
  program.commandsGroup('Operate the service, on its own machine:')
  addOperatorCommands(program, run)
  const help = new Command('help').argument('[command]').description('Show the help of a command.')
  return program.addHelpCommand(help.helpGroup('Develop:'))
}

// Refuses an unknown command before its help. The library would show the help of its group, as if the command
// existed, and would exit with 0.
function refuseUnknown(command: Command): string {
  const [name] = command.args
  const isGroup = command.commands.length > 0
  const isKnown = command.commands.some((child) => child.name() === name || name === 'help')
  const { unknownCommand } = command as Command & { unknownCommand(): never }
  if (name !== undefined && !name.startsWith('-') && isGroup && !isKnown)
    unknownCommand.call(command)
  return ''
}

// Says in the help which options are required.
function describeOption(this: Help, option: Option): string {
  const text = Help.prototype.optionDescription.call(this, option)
  return option.mandatory ? `${text} Required.` : text
}

// Runs a command line and returns the exit code. Writes results to standard output, and one sentence about a
// failure to standard error.
export async function runCli(words: readonly string[], terminal: Terminal): Promise<number> {
  const run = new Run(terminal)
  const program = createProgram(run)
  try {
    await program.parseAsync(words.length > 0 ? words : ['--help'], { from: 'user' })
    return run.exitCode
  } catch (error) {
    const isInterrupted = terminal.interrupted.aborted
    const failure = describeFailure(error, { url: run.url, isInterrupted })
    if (!failure) throw error
    const { sentence, exitCode, error: refusal } = failure
    if (sentence === '') return exitCode // Help or the version, which is printed already.
    const isJson = words.includes('--json')
    const report = {
      message: sentence,
      exitCode,
      code: refusal?.code,
      requestId: refusal?.requestId,
    }
    const hint = exitCode === EXIT.usage ? ` See ${namedCommand(program, words)} --help.` : ''
    terminal.err(isJson ? `${JSON.stringify({ error: report })}\n` : `${sentence}${hint}\n`)
    return exitCode
  }
}

// Returns the full name of the longest command that the words name, for a hint like "See manilla payments
// --help".
function namedCommand(program: Command, words: readonly string[]): string {
  let [command, path] = [program, 'manilla']
  for (const word of words) {
    const next = command.commands.find((child) => child.name() === word)
    if (!next) continue
    ;[command, path] = [next, `${path} ${word}`]
  }
  return path
}
