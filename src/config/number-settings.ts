// The source of a bank's numbers: serial ranges that the bank granted, or accounts that the bank reserves
// through its connector. Reserved numbers are kept in a pool, unless the bank must identify the customer of
// each number; such a bank issues static numbers only.

import type { BankConnection } from '#banks/connector.ts'
import type { Report } from './setting-parsers.ts'

// Static numbers belong to collection accounts, dynamic numbers are leased to payments.
export type Purpose = 'static' | 'dynamic'

export type SerialRange = { readonly from: number; readonly to: number }

export type NumberSettings = {
  readonly numbers?: 'ranges' | 'reserved' | 'perCustomer' | undefined // Defaults to ranges.
  readonly static?: SerialRange | undefined
  readonly dynamic?: SerialRange | undefined
  readonly pool?: Partial<Pool> | undefined
}

// The target size of the pool, and the name of unused accounts at the bank.
type Pool = { readonly static: number; readonly dynamic: number; readonly accountName: string }

const POOL_DEFAULTS: Pool = { static: 50, dynamic: 200, accountName: 'Virtual account' }
const POOL_MAX = 10_000
const NAME_MAX = 100

export function issuesNumbers(bank: NumberSettings, purpose: Purpose): boolean {
  if (bank.numbers === 'perCustomer') return purpose === 'static'
  if (bank.numbers === 'reserved') return poolOf(bank)[purpose] > 0
  return bank[purpose] !== undefined
}

// Returns the bank that issues the main number of every new collection account.
export function findCollectionBank<B extends NumberSettings>(banks: readonly B[]): B | undefined {
  return banks.find((bank) => issuesNumbers(bank, 'static'))
}

// Returns the target size of a bank's pool of reserved numbers, with defaults filled in.
export function poolOf({ pool }: NumberSettings): Pool {
  return { ...POOL_DEFAULTS, ...pool }
}

export function checkNumbers(bank: Readonly<Record<string, unknown>>, report: Report): void {
  const { numbers = 'ranges', pool } = bank
  if (numbers !== 'ranges' && numbers !== 'reserved' && numbers !== 'perCustomer') {
    report('numbers must be "ranges", "reserved" or "perCustomer"')
    return
  }
  if (numbers !== 'ranges' && (bank.static !== undefined || bank.dynamic !== undefined)) {
    const advice = numbers === 'reserved' ? '; use pool' : ''
    report(`static and dynamic ranges do not apply to numbers "${numbers}"${advice}`)
  }
  if (pool === undefined) return
  if (numbers !== 'reserved') report('pool requires numbers "reserved"')
  if (!isPool(pool)) {
    report(
      `pool must be {"static": …, "dynamic": …}, whole numbers from 0 to ${POOL_MAX}, with an ` +
        `optional accountName of 1 to ${NAME_MAX} printable characters`,
    )
  }
}

// Checks the settings of a bank whose connector reserves numbers. A bank with a pool must not give a pooled
// number to somebody else before we block it.
export function checkReserved(
  bank: NumberSettings & { readonly connector?: string | undefined },
  { calls, reserves }: Pick<BankConnection, 'calls' | 'reserves'>,
  report: Report,
): void {
  if (!calls.reserveAccount) {
    report(
      `numbers "${bank.numbers}" requires a connector that reserves accounts, and settings.baseUrl`,
    )
  } else if (bank.numbers === 'perCustomer') {
    if (reserves?.needsCustomer) return
    report(`connector ${bank.connector} reserves numbers for a pool: use numbers "reserved"`)
  } else if (reserves?.needsCustomer) {
    report(
      `numbers "reserved" needs a pool, and connector ${bank.connector} reserves accounts only for a ` +
        'customer with a BVN or NIN: use numbers "perCustomer"',
    )
  } else if (reserves && !reserves.kinds.includes('dynamic') && poolOf(bank).dynamic > 0) {
    report(
      `pool.dynamic must be 0: the bank of connector ${bank.connector} gives dynamic numbers to ` +
        'somebody else when they expire',
    )
  }
}

// Returns whether the value is a valid pool.
function isPool(pool: unknown): boolean {
  if (typeof pool !== 'object' || pool === null || Array.isArray(pool)) return false
  const {
    static: staticSize,
    dynamic: dynamicSize,
    accountName,
    ...unknownFields
  } = { ...POOL_DEFAULTS, ...pool }
  return (
    [staticSize, dynamicSize].every(
      (size) => Number.isInteger(size) && size >= 0 && size <= POOL_MAX,
    ) &&
    typeof accountName === 'string' &&
    accountName.trim() !== '' &&
    accountName.length <= NAME_MAX &&
    !/\p{C}/u.test(accountName) &&
    Object.keys(unknownFields).length === 0
  )
}

// Returns whether the two ranges have a serial in common.
export function overlap(left: SerialRange, right: SerialRange): boolean {
  return left.from <= right.to && right.from <= left.to
}
