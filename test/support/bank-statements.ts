// Writes one day of the operator's account at a bank as a statement file: CSV, MT940 or camt.053.

import { formatKobo, kobo } from '#money.ts'

export type DayLine = {
  kobo: bigint
  sessionId?: string
  bankReference?: string
  accountNumber?: string // The number that the money came to. Only the CSV has a column for it.
  narration?: string
  endToEndId?: string // Only camt.053 has it.
  isReversal?: boolean // Only camt.053 has it.
}

export type BankDay = {
  day: string // 2026-11-15
  sequence: number
  openingKobo: bigint
  lines: readonly DayLine[]
}

export const ACCOUNT = '0241234567'

export const closingOf = ({ openingKobo, lines }: BankDay) =>
  lines.reduce((sum, line) => sum + line.kobo, openingKobo)

// The amount without its sign, which statements write as debit or credit.
const size = (amount: bigint) => formatKobo(kobo(amount < 0n ? -amount : amount))

// Writes the day in the CSV format of the statement profile `wema`.
export function wemaCsv(bankDay: BankDay): string {
  const [year, month, date] = bankDay.day.split('-').map(Number)
  const on = `${month}/${date}/${year}`
  const rows = bankDay.lines.map(({ kobo: amount, sessionId, bankReference, ...line }) =>
    [
      `${on} 8:05:59 AM`,
      on,
      bankReference ?? '',
      sessionId ?? '',
      size(amount),
      amount < 0n ? 'D' : 'C',
      'NGN',
      line.accountNumber ?? '',
      '',
      '',
      '',
      line.narration ?? '',
    ].join('|'),
  )
  return [
    `ACCOUNT=${ACCOUNT}`,
    `FROM=${on}`,
    `TO=${on}`,
    `OPENING=${formatKobo(kobo(bankDay.openingKobo))}`,
    `CLOSING=${formatKobo(kobo(closingOf(bankDay)))}`,
    'TRANDATE|VALUEDATE|TRANID|SESSIONID|AMOUNT|PARTTRANTYPE|CRNCY|CRACCOUNT|ORIGINATORNAME|' +
      'ORIGINATORACCOUNT|BANKCODE|NARRATION',
    ...rows,
    `ROWS=${rows.length}`,
    '',
  ].join('\n')
}

// Writes the day as MT940, the SWIFT format of lines with tags such as :61: for a movement.
export function mt940(bankDay: BankDay): string {
  const digits = bankDay.day.replaceAll('-', '').slice(2)
  const balance = (amount: bigint) => `C${digits}NGN${size(amount).replace('.', ',')}`
  const rows = bankDay.lines.flatMap(({ kobo: amount, sessionId, bankReference, narration }) => [
    `:61:${digits}${digits.slice(2)}${amount < 0n ? 'D' : 'C'}${size(amount).replace('.', ',')}` +
      `NTRFNONREF${bankReference ? `//${bankReference}` : ''}`,
    ...(sessionId ? [sessionId] : []),
    `:86:${narration ?? 'TRANSFER'}`,
  ])
  return [
    ':20:STATEMENT',
    `:25:${ACCOUNT}`,
    `:28C:${bankDay.sequence}/1`,
    `:60F:${balance(bankDay.openingKobo)}`,
    ...rows,
    `:62F:${balance(closingOf(bankDay))}`,
    '-',
    '',
  ].join('\r\n')
}

// Writes the day as camt.053, the ISO 20022 format in XML.
export function camt053(bankDay: BankDay): string {
  const { day, sequence, lines } = bankDay
  const balance = (code: string, amount: bigint) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="NGN">${size(amount)}</Amt>` +
    `<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`
  const entries = lines.map(
    ({ kobo: amount, sessionId, bankReference, narration, endToEndId, isReversal }) =>
      `<Ntry><Amt Ccy="NGN">${size(amount)}</Amt>` +
      `<CdtDbtInd>${amount < 0n ? 'DBIT' : 'CRDT'}</CdtDbtInd>` +
      `${isReversal ? '<RvslInd>true</RvslInd>' : ''}<Sts><Cd>BOOK</Cd></Sts>` +
      `<BookgDt><Dt>${day}</Dt></BookgDt><ValDt><Dt>${day}</Dt></ValDt>` +
      (bankReference ? `<AcctSvcrRef>${bankReference}</AcctSvcrRef>` : '') +
      `<NtryDtls><TxDtls>${sessionId ? `<Refs><InstrId>${sessionId}</InstrId></Refs>` : ''}` +
      `${endToEndId ? `<Refs><EndToEndId>${endToEndId}</EndToEndId></Refs>` : ''}` +
      `<RmtInf><Ustrd>${narration ?? 'Transfer'}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>
<Id>S${sequence}</Id><ElctrncSeqNb>${sequence}</ElctrncSeqNb>
<Acct><Id><Othr><Id>${ACCOUNT}</Id></Othr></Id><Ccy>NGN</Ccy></Acct>
${balance('OPBD', bankDay.openingKobo)}${balance('CLBD', closingOf(bankDay))}
${entries.join('\n')}
</Stmt></BkToCstmrStmt></Document>`
}
