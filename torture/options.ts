// The options of `npm run torture -- …`:
//   --faults N        how many faults; default 100
//   --minutes M       end after so many minutes, whatever is left
//   --seed S          the seed of all random choices; default: drawn, and printed
//   --only kill,disk  only faults whose names begin with these words (faults/ has the names)
//   --round N         faults between two checks; default 25
//   --report FILE     write the table into this document
//   --folder FOLDER   where it works; default: a temporary folder
//   --keep            leave the folder, with the witness and the logs
//   --standby         a primary and a synchronous standby, with the faults of standby-faults.ts
//   --async           with --standby: commits do not wait for the standby, and those that it lacks
//                     are lost
//   --short           one of each kind of fault, by a fixed seed

import { parseArgs } from 'node:util'

export type Options = ReturnType<typeof readOptions>

const SHORT_SEED = 18
const FAULTS = 100
const ROUND = 25
const SEED_MAX = 2 ** 31

// Throws with a sentence for the user if an option is wrong.
export function readOptions(args: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      faults: text,
      minutes: text,
      seed: text,
      only: text,
      round: text,
      report: text,
      folder: text,
      keep: flag,
      short: flag,
      standby: flag,
      async: flag,
    },
  })
  const { short, standby, async: isAsync, keep, report, folder } = values
  if (short && standby) throw new Error('--short has no faults of a --standby')
  if (isAsync && !standby) throw new Error('--async is about a --standby')
  return {
    short,
    standby,
    isAsync,
    keep,
    report,
    folder,
    seed: wholeNumber('seed', values.seed) ?? (short ? SHORT_SEED : drawSeed()),
    faults: wholeNumber('faults', values.faults) ?? FAULTS,
    minutes: wholeNumber('minutes', values.minutes),
    round: wholeNumber('round', values.round) ?? ROUND,
    only: values.only?.split(','),
  }
}

// Reads an option that is a whole number above 0. Returns undefined if it is absent.
function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,10}$/.test(text) && Number(text) > 0) return Number(text)
  throw new Error(`--${name} must be a whole number above 0`)
}

function drawSeed(): number {
  return Math.floor(Math.random() * SEED_MAX)
}
