// The options of `npm run bench -- …`:
//   --quick           a rough result: fewer and shorter slices, fewer accounts
//   --only cold,hot   only these rows; a reference such as pgbench may be named alone
//   --only load       load at 50, 100, 200 and 400% of capacity, in a table of its own
//   --only idle       10,000 idle connections, in a table of its own
//   --only latency    from a credit to its webhook and its checkout page, in a table of its own
//   --only price      the bytes that a credit writes, in a table of its own
//   --only size       reads among --credits N (default 100 million; quick: 2), in a table of its own
//   --scale           credits among 10 million accounts with 20 million credits (quick: a hundredth)
//   --against FOLDER  the same loads on another checkout's service, in turn, as the reference
//   --profile FOLDER  CPU profiles of the service
//   --write           put the table into docs/performance.md

import { parseArgs } from 'node:util'

export type Options = ReturnType<typeof readOptions>

// Parses the command line. `names` are the rows and tables that --only may name.
export function readOptions(args: readonly string[], names: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const
  const text = { type: 'string' } as const
  const texts = { only: text, profile: text, against: text, credits: text }
  const options = { quick: flag, scale: flag, write: flag, ...texts }
  const { values } = parseArgs({ args: [...args], options })
  const { quick, scale, write, profile, against } = values
  const only = values.only?.split(',')
  const unknown = only?.filter((name) => !names.includes(name)) ?? []
  if (unknown.length > 0) throw new Error(`no row ${unknown.join(', ')}: ${names.join(', ')}`)
  // Slices last whole seconds: pgbench accepts nothing else.
  const sizes = quick
    ? { accounts: 20_000, scaleAccounts: 100_000, slices: 3, warmUpMs: 300, sliceMs: 1_000 }
    : { accounts: 100_000, scaleAccounts: 10_000_000, slices: 7, warmUpMs: 500, sliceMs: 2_000 }
  const credits = Number(values.credits ?? (quick ? 2_000_000 : 100_000_000))
  const fewCredits = quick ? 100_000 : 1_000_000
  const settledAccounts = quick ? 5_000 : 50_000
  const reconciledAccounts = quick ? 2_500 : 50_000
  const named = { only, scale, write, profile, against, credits, fewCredits }
  return { ...named, settledAccounts, reconciledAccounts, ...sizes }
}
