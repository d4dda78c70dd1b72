// `manilla completion bash|zsh|fish` prints a shell script that completes the commands, generated from the
// commands themselves.

import { Argument, type Command } from 'commander'
import { type Options, print, type Run } from './command-context.ts'
import { DELEGATED } from './delegated-commands.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]
type Words = ReadonlyMap<string, readonly string[]> // Keyed by the words typed so far.

export function addCompletionCommand(program: Command, run: Run): void {
  program
    .command('completion')
    .description('Print a completion script: eval "$(manilla completion bash)".')
    .addArgument(new Argument('<shell>', 'Your shell.').choices(SHELLS))
    .action((shell: Shell, _, command: Command) => {
      const text = SCRIPTS[shell](wordsByCommand(program))
      print(run, command.optsWithGlobals<Options>(), { data: { shell, script: text }, text })
    })
}

// The subcommands that help shows, without `help` itself.
export function visibleCommands(command: Command): Command[] {
  const commands = command.createHelp().visibleCommands(command)
  return commands.filter((child) => child.name() !== 'help')
}

// For each command, the words that may follow: its subcommands, the choices of its arguments, and its
// flags.
function wordsByCommand(program: Command): Words {
  const words = new Map<string, readonly string[]>()
  // Adds the words of one command, and then those of its subcommands.
  const add = (command: Command, path: string) => {
    const commands = visibleCommands(command)
    const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
    const help = command.createHelp()
    const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
    const flags = options.map(({ long }) => long as string)
    const names = [...commands.map((child) => child.name()), ...choices, ...flags]
    const isTop = path === ''
    const offeredNames = names.filter(
      (name) => name !== '--help' && (isTop || name !== '--version'),
    )
    words.set(path, [...offeredNames, '--help'])
    for (const child of commands) add(child, `${path} ${child.name()}`.trim())
  }
  add(program, '')
  for (const { name, words: delegatedWords } of DELEGATED) {
    if (delegatedWords.length > 0) words.set(name, delegatedWords)
  }
  return words
}

// The script for each shell. Its first function prints the words that may follow a command, and fails if the
// text names no command; its second function finds the command on the line and offers its words.
const SCRIPTS: Record<Shell, (words: Words) => string> = {
  bash: (words) => `# Completion of manilla for bash.
_manilla_words() {
  case "$1" in
${shellCases(words)}
    *) return 1 ;;
  esac
}
_manilla() {
  local path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if _manilla_words "\${path:+$path }$word" >/dev/null; then path="\${path:+$path }$word"; fi
  done
  COMPREPLY=($(compgen -W "$(_manilla_words "$path")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _manilla manilla`,
  zsh: (words) => `#compdef manilla
_manilla_words() {
  case "$1" in
${shellCases(words)}
    *) return 1 ;;
  esac
}
_manilla() {
  local at="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if _manilla_words "\${at:+$at }$word" >/dev/null; then at="\${at:+$at }$word"; fi
  done
  compadd -- \${=$(_manilla_words "$at")} || _files
}
compdef _manilla manilla`,
  fish: (words) => `# Completion of manilla for fish.
function __manilla_words
  switch "$argv[1]"
${[...words].map(([path, list]) => `    case '${path}'\n      printf '%s\\n' ${list.join(' ')}`).join('\n')}
    case '*'
      return 1
  end
end
function __manilla_complete
  set -l path ''
  for word in (commandline -opc)[2..]
    set -l longer (string trim "$path $word")
    __manilla_words $longer >/dev/null; and set path $longer
  end
  __manilla_words "$path"
end
complete -c manilla -a '(__manilla_complete)'`,
}

function shellCases(words: Words): string {
  return [...words].map(([path, list]) => `    "${path}") echo "${list.join(' ')}" ;;`).join('\n')
}
