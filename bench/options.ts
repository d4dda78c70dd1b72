// What can be asked of `npm run bench -- …`:
//   --quick           a minute's version: shorter rows, fewer accounts; for a look, not for a record
//   --scale           10 million accounts and 20 million credits first, then cold credits again
//   --only cold,hot   these rows alone (see rows.ts for their names)
//   --write           the table and the chart go to docs/performance.md
//   --profile FOLDER  CPU profiles of the service, and PostgreSQL's statements, into this folder
//   --sessions random no locality in session ids: the worst that a bank could send
//   --backlog         a million webhooks, delivered: about five minutes, alone
//   --small           with --scale: a hundredth of it, to try it out

import { parseArgs } from 'node:util'

export type Options = {
  only: readonly string[] | undefined
  scale: boolean
  backlog: boolean
  write: boolean
  small: boolean
  profile: string | undefined
  sessions: 'nip' | 'random'
  accounts: number
  warmUpMs: number
  measureMs: number
}

export class UsageProblem extends Error {}

export function readOptions(args: readonly string[], rowNames: readonly string[]): Options {
  const values = parse(args)
  const asked = values.backlog ? 'webhooks' : values.only
  const only = asked?.split(',').map((name) => name.trim())
  const unknown = only?.filter((name) => !rowNames.includes(name)) ?? []
  if (unknown.length > 0) {
    throw new UsageProblem(`No row is called ${unknown.join(', ')}: ${rowNames.join(', ')}`)
  }
  if (values.sessions !== 'nip' && values.sessions !== 'random') {
    throw new UsageProblem('--sessions is nip or random')
  }
  const { quick, scale, backlog, write, small, profile, sessions } = values
  return {
    only,
    scale,
    backlog,
    write,
    small,
    profile,
    sessions,
    accounts: quick ? 20_000 : 100_000,
    warmUpMs: quick ? 1_000 : 2_000,
    measureMs: quick ? 2_500 : 7_000,
  }
}

function parse(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const
  try {
    return parseArgs({
      args: [...args],
      options: {
        quick: flag,
        scale: flag,
        backlog: flag,
        write: flag,
        small: flag,
        only: { type: 'string' },
        profile: { type: 'string' },
        sessions: { type: 'string', default: 'nip' },
      },
    }).values
  } catch (error) {
    throw new UsageProblem((error as Error).message)
  }
}
