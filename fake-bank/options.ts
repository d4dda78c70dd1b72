// Parses the options of `npm run fake-bank -- …`, and explains invalid ones.

import { parseArgs } from 'node:util'
import { isBankCode } from '#banks/nuban.ts'
import { kobo, parseKobo } from '#money.ts'
import { DIALECTS } from './dialects.ts'
import type { FakeBankOptions } from './fake-bank.ts'
import { changeFaults, NO_FAULTS } from './faults.ts'

const PORT = 9101
const PORT_MAX = 65_535
const BATCH_MAX = 1_000
const BASIS_POINTS_MAX = 5_000

export const HELP = `Simulates a bank for Manilla's sandbox and tests. See docs/fake-bank.md.

  npm run fake-bank -- --connector providus --bank-code 101 --notify http://localhost:8080

  --connector NAME        required; one of: ${DIALECTS.map((each) => each.connector).join(', ')}
  --bank-code CODE        3 or 5 digits; default 101
  --notify URL            where Manilla listens; default http://localhost:8080
  --port N                default ${PORT}; 0: any free port
  --banks-file FILE       write the banks file for Manilla there
  --credential NAME=VALUE a credential other than the default; repeatable
  --fee NAIRA             withheld from every transfer, with 7.5% VAT; default 0
  --fee-bps N             the same in basis points of the amount; default 0
  --opening-balance NAIRA default 0
  --batch N               transfers per notification, where the bank sends lists; default 1
  --loss P                share of notifications never sent, 0 to 1; default 0
  --delay P               share sent late; --delay-ms N: by how much, default ${NO_FAULTS.delayMs}
  --duplicate P           share sent twice
  --reorder               send in another order
  --seed N                the same seed gives the same faults; default 1
`

export class UsageError extends Error {}

type CommandLine =
  | { help: true }
  | { help: false; bank: FakeBankOptions; banksFile: string | undefined }

// Parses and checks the command line. Throws a UsageError that names the invalid option.
export function readOptions(args: readonly string[]): CommandLine {
  const values = parse(args)
  if (values.help) return { help: true }
  const { connector, 'bank-code': bankCode, notify } = values
  if (connector === undefined) throw new UsageError('--connector is required')
  if (!isBankCode(bankCode)) throw new UsageError('--bank-code must be 3 or 5 digits')
  const faults = changeFaults(NO_FAULTS, {
    loss: Number(values.loss),
    delay: Number(values.delay),
    duplicate: Number(values.duplicate),
    delayMs: Number(values['delay-ms']),
    reorder: values.reorder,
  })
  if (typeof faults === 'string') throw new UsageError(faults)
  return {
    help: false,
    banksFile: values['banks-file'],
    bank: {
      connector,
      bankCode,
      notify,
      faults,
      port: readWhole('port', values.port, PORT_MAX),
      seed: readWhole('seed', values.seed, 2 ** 31),
      batch: Math.max(1, readWhole('batch', values.batch, BATCH_MAX)),
      fees: {
        flatKobo: readNaira('fee', values.fee),
        basisPoints: BigInt(readWhole('fee-bps', values['fee-bps'], BASIS_POINTS_MAX)),
      },
      openingKobo: readNaira('opening-balance', values['opening-balance']),
      credentials: Object.fromEntries(values.credential.map(readPair)),
    },
  }
}

// Splits the command line into options. Numbers stay text here, and are checked in readOptions().
function parse(args: readonly string[]) {
  const text = (value: string) => ({ type: 'string', default: value }) as const
  const flag = { type: 'boolean', default: false } as const
  const options = {
    help: { ...flag, short: 'h' },
    connector: { type: 'string' },
    'bank-code': text('101'),
    notify: text('http://localhost:8080'),
    port: text(String(PORT)),
    'banks-file': { type: 'string' },
    credential: { type: 'string', multiple: true, default: [] as string[] },
    fee: text('0'),
    'fee-bps': text('0'),
    'opening-balance': text('0'),
    batch: text('1'),
    loss: text('0'),
    delay: text('0'),
    'delay-ms': text(String(NO_FAULTS.delayMs)),
    duplicate: text('0'),
    reorder: flag,
    seed: text('1'),
  } as const
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

// Reads a value of --credential, such as apiKey=secret.
function readPair(pair: string): [string, string] {
  const [, name, value] = /^([A-Za-z]+)=(.+)$/.exec(pair) ?? []
  if (!name || !value) throw new UsageError('--credential must be NAME=VALUE')
  return [name, value]
}

// Reads the value of an option that must be a whole number from 0 to `max`.
function readWhole(name: string, text: string, max: number): number {
  const value = Number(text)
  if (/^\d{1,10}$/.test(text) && value <= max) return value
  throw new UsageError(`--${name} must be a whole number from 0 to ${max}`)
}

// Reads the value of an option that must be an amount in naira. Returns the amount in kobo.
function readNaira(name: string, text: string) {
  const amount = parseKobo(text)
  if (amount === undefined) throw new UsageError(`--${name} must be naira, such as 50.00`)
  return kobo(amount)
}
