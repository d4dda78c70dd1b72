// How the operator's command line is read: what is chosen, what is given, what is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Command, parseCommand, UsageProblem } from '#admin/command-line.ts'

const COMMANDS: readonly Command<undefined>[] = [
  {
    name: 'thing make',
    summary: 'Make a thing.',
    options: [
      { name: 'name', value: 'text', about: 'Its name.' },
      { name: 'tag', value: 'tag', isMany: true, about: 'Its tags.' },
      { name: 'now', about: 'At once.' },
    ],
    run: async () => ({ data: {}, text: '' }),
  },
  {
    name: 'thing drop',
    subject: 'thingId',
    summary: 'Drop a thing.',
    options: [],
    run: async () => ({ data: {}, text: '' }),
  },
]

function read(...words: string[]) {
  const chosen = parseCommand(COMMANDS, words)
  if ('help' in chosen) return chosen.help
  const { command, args, isJson } = chosen
  const options = [args.subject, args.flag('now'), args.text('name'), args.list('tag'), isJson]
  return [command.name, ...options]
}

test('a command is found by its words, with what was given to it', () => {
  const made = read('thing', 'make', '--name', 'A b', '--tag', 'x, y,', '--tag=z', '--now')

  assert.deepEqual(made, ['thing make', '', true, 'A b', ['x', 'y', 'z'], false])
  const dropped = read('thing', 'drop', 'T1', '--json')
  assert.deepEqual(dropped, ['thing drop', 'T1', false, undefined, undefined, true])
})

test('help is given for everything, and for each command', () => {
  for (const words of [[], ['--help'], ['-h'], ['thing', '--help']]) {
    assert.match(String(read(...words)), /thing make +Make a thing\.\n +thing drop <thingId> +Drop/)
  }
  const help = String(read('thing', 'make', '--help'))
  assert.match(help, /^Usage: manilla admin thing make \[options\]/)
  assert.match(help, /--name <text> +Its name\./)
  assert.match(help, /--json +Output JSON\./)
})

for (const [words, says] of [
  [['thing', 'mend'], /^Unknown command: thing mend\n/],
  [['thing', 'drop'], /^Missing argument: thingId\./],
  [['thing', 'drop', ''], /^Missing argument: thingId\./],
  [['thing', 'drop', 'T1', 'T2'], /^Unexpected argument: T2\./],
  [['thing', 'make', 'T1'], /^Unexpected argument: T1\./],
  [['thing', 'make', '--colour', 'red'], /^Unknown option '--colour'\./],
  [['thing', 'make', '--name'], /--name <value>' argument missing\./],
  [['thing', 'make', '--now=yes'], /--now' does not take an argument\./],
] as const) {
  test(`${JSON.stringify(words)} is refused, and told what is right`, () => {
    assert.throws(
      () => read(...words),
      (error) => error instanceof UsageProblem && says.test(error.message),
    )
  })
}
