// Amounts as banks write them in text: "1,234.50", "(1.234,50)", "₦1,234.50 DR", "1234.5-".
//
// Strict where leniency would change the amount: a thousands mark stands before three digits or is
// no amount, and so does a third decimal that means something.

import { type Kobo, kobo } from '#money.ts'

export type AmountMarks = { decimalMark: string; thousandsMark: string | null }

const CURRENCY_SIGN = /^(?:NGN|₦|N(?=[ 0-9(]))\s*|\s*(?:NGN)$/i
const SIGN_AFTER = /\s*(-|\+|CR|DR|C|D)\.?$/i
const SIGN_BEFORE = /^([-+−])\s*/

// Undefined when it is no amount.
export function amountReader({ decimalMark, thousandsMark }: AmountMarks) {
  const [decimal, thousands] = [escaped(decimalMark), thousandsMark && escaped(thousandsMark)]
  const grouped = thousands ? `[0-9]{1,3}(?:${thousands}[0-9]{3})+|` : ''
  const digits = new RegExp(`^(${grouped}[0-9]{1,16})(?:${decimal}([0-9]{1,2})0{0,16})?$`)
  const plain = (text: string): Kobo | undefined => {
    const common = twoDecimals(text, decimalMark)
    if (common !== undefined) return common
    const match = digits.exec(text)
    if (!match) return undefined
    const [, whole = '', fraction = ''] = match
    const plainWhole = thousandsMark ? whole.replaceAll(thousandsMark, '') : whole
    if (plainWhole.length > 16) return undefined
    return kobo(BigInt(plainWhole + fraction.padEnd(2, '0')))
  }
  return (text: string): Kobo | undefined => plain(text) ?? signed(text, plain)
}

// 1234.50, as nearly all are: a third of the time of a pattern. Exact, since 13 digits are far below
// what a double holds.
const COMMON_LENGTH_MAX = 14
const DECIMALS = 2
const ZERO = 48

function twoDecimals(text: string, decimalMark: string): Kobo | undefined {
  const { length } = text
  const markAt = length - DECIMALS - 1
  if (markAt < 1 || length > COMMON_LENGTH_MAX || text[markAt] !== decimalMark) return undefined
  let amount = 0
  for (let at = 0; at < length; at++) {
    if (at === markAt) continue
    const digit = text.charCodeAt(at) - ZERO
    if (digit < 0 || digit > 9) return undefined
    amount = amount * 10 + digit
  }
  return kobo(BigInt(amount))
}

function signed(text: string, plain: (text: string) => Kobo | undefined): Kobo | undefined {
  let rest = text.replaceAll('\u00a0', ' ').trim().replace(CURRENCY_SIGN, '')
  let isNegative = false
  let signs = 0
  const before = SIGN_BEFORE.exec(rest)
  if (before) {
    rest = rest.slice(before[0].length).replace(CURRENCY_SIGN, '')
    isNegative = before[1] !== '+'
    signs++
  }
  const after = SIGN_AFTER.exec(rest)
  if (after) {
    rest = rest.slice(0, -after[0].length)
    isNegative = /^(?:-|DR?)$/i.test(after[1] as string)
    signs++
  }
  if (rest.startsWith('(') && rest.endsWith(')')) {
    rest = rest.slice(1, -1).trim()
    isNegative = true
    signs++
  }
  // Two signs: nobody can say whether they cancel out.
  const amount = signs > 1 ? undefined : plain(rest)
  return amount !== undefined && isNegative ? kobo(-amount) : amount
}

function escaped(mark: string): string {
  return mark.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
