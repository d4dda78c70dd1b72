// Writes statements in each format, for tests that read them back and compare.

import type { StatementLine } from '#banks/statements/statement.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'

// The fields of a line that every format can write.
export type WrittenLine = Pick<
  StatementLine,
  'bookedOn' | 'amountKobo' | 'isReversal' | 'sessionId' | 'bankReference' | 'narration'
>
export type Written = { openingKobo: Kobo; lines: readonly WrittenLine[] }

export const CSV_FIELDS = {
  columns: {
    booked: 'Date',
    amount: 'Amount',
    balance: 'Balance',
    bankReference: 'Ref',
    sessionId: 'Session',
    narration: 'Text',
  },
  dateFormats: ['dd-MMM-yyyy'],
  balances: 'running',
  reversals: ['^RVSL '],
}
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

// Writes a CSV statement, with a running balance.
export function* writeCsv({ openingKobo, lines }: Written): Generator<string> {
  yield 'Date,Ref,Session,Amount,Balance,Text\r\n'
  let balance: bigint = openingKobo
  for (const line of lines) {
    balance += line.amountKobo
    const [year, month, day] = line.bookedOn.split('-')
    const date = `${day}-${MONTHS[Number(month) - 1]}-${year}`
    const text = `"${(line.narration ?? '').replaceAll('"', '""')}"`
    const money = `"${grouped(line.amountKobo)}","${grouped(kobo(balance))}"`
    yield `${date},${line.bankReference ?? ''},${line.sessionId ?? ''},${money},${text}\r\n`
  }
}

// Writes an MT940 statement. A line's mark begins with R if the line is a reversal.
export function* writeMt940({ openingKobo, lines }: Written): Generator<string> {
  yield `:20:A\r\n:25:0123456789\r\n:28C:7/1\r\n:60F:${balanceOf(openingKobo)}\r\n`
  let balance: bigint = openingKobo
  for (const { bookedOn, amountKobo, isReversal, ...line } of lines) {
    balance += amountKobo
    const day = bookedOn.slice(2).replaceAll('-', '')
    const isCredit = amountKobo > 0n
    const mark = isReversal ? (isCredit ? 'RD' : 'RC') : isCredit ? 'C' : 'D'
    const size = formatKobo(kobo(isCredit ? amountKobo : -amountKobo)).replace('.', ',')
    const reference = line.bankReference ? `//${line.bankReference}` : ''
    yield `:61:${day}${day.slice(2)}${mark}${size}NTRFNONREF${reference}\r\n`
    if (line.sessionId) yield `${line.sessionId}\r\n`
    // SWIFT breaks a narration after 65 characters.
    yield `:86:${(line.narration ?? '').replace(/.{65}(?=.)/g, '$&\r\n')}\r\n`
  }
  yield `:62F:${balanceOf(kobo(balance))}\r\n-\r\n`
}

export function* writeCamt053({ openingKobo, lines }: Written): Generator<string> {
  const closing = lines.reduce((sum, { amountKobo }) => sum + amountKobo, openingKobo as bigint)
  yield '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>'
  yield '<Id>A</Id><Acct><Id><Othr><Id>0123456789</Id></Othr></Id><Ccy>NGN</Ccy></Acct>\n'
  yield xmlBalance('OPBD', openingKobo) + xmlBalance('CLBD', kobo(closing))
  for (const { bookedOn, amountKobo, isReversal, ...line } of lines) {
    yield `<Ntry>${xmlAmount(amountKobo)}<RvslInd>${isReversal}</RvslInd><Sts><Cd>BOOK</Cd></Sts>`
    yield `<BookgDt><Dt>${bookedOn}</Dt></BookgDt><NtryDtls><TxDtls><Refs>`
    if (line.bankReference) yield `<AcctSvcrRef>${line.bankReference}</AcctSvcrRef>`
    if (line.sessionId) yield `<InstrId>${line.sessionId}</InstrId>`
    const text = (line.narration ?? '').replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    yield `</Refs><RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>\n`
  }
  yield '</Stmt></BkToCstmrStmt></Document>'
}

// Writes an amount with a comma between thousands.
function grouped(amount: Kobo): string {
  return formatKobo(amount).replace(/\B(?=(?:[0-9]{3})+\.)/g, ',')
}

// Writes a balance as MT940 does: D or C, the day, the currency and the amount without a sign.
function balanceOf(amount: Kobo): string {
  const size = formatKobo(kobo(amount < 0n ? -amount : amount)).replace('.', ',')
  return `${amount < 0n ? 'D' : 'C'}261101NGN${size}`
}

// Writes an amount as camt.053 does: without a sign, and DBIT or CRDT.
function xmlAmount(amount: Kobo): string {
  const size = formatKobo(kobo(amount < 0n ? -amount : amount))
  return `<Amt Ccy="NGN">${size}</Amt><CdtDbtInd>${amount < 0n ? 'DBIT' : 'CRDT'}</CdtDbtInd>`
}

// Writes a balance as camt.053 does: the code is OPBD for the opening balance and CLBD for the closing one.
function xmlBalance(code: string, amount: Kobo): string {
  const type = `<Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>`
  return `<Bal>${type}${xmlAmount(amount)}<Dt><Dt>2026-11-02</Dt></Dt></Bal>\n`
}
