// Writes credits in each notification format, as a bank would: the inverse of `parse`, for tests only.
// Every field is the text in the body, so that a test can write nonsense there.

import { camt054Format } from '#banks/iso20022/camt054.ts'
import { jsonFormat } from '#banks/manilla/notifications.ts'
import type { IncomingCredit, NotificationFormat } from '#banks/notifications.ts'
import { providusFormat } from '#banks/providus/notifications.ts'
import type { Kobo } from '#money.ts'

// The fields of a credit as texts, as they stand in the body.
export type Written = {
  sessionId: string
  accountNumber: string
  amount: string
  currency: string
  sourceAccountNumber: string
  sourceAccountName: string
  sourceBank: { code: string; name: string }
  narration: string
}

export type Rendering = {
  format: NotificationFormat
  batches: boolean // Whether one body may have several credits.
  contentType: string
  render(credits: readonly Written[]): string
  nestedDeeply: string // A hostile body, nested far deeper than any real one.
  // Fields that the format does not have.
  lacks?: readonly ('currency' | 'sourceAccountNumber' | 'sourceBank')[]
  more?: Partial<IncomingCredit> // Fields beyond those of every format, or instead of them.
  // The answer to an accepted credit, if it differs from Manilla's own.
  acknowledged?(sessionId: string): object
  unit?: 'kobo' // The unit of its amounts. Default naira, with decimals.
}

export type NestedRendering = Rendering & { amountField: string }

// The bank's reference in every notification of one JSON object.
export const REFERENCE = 'REF-1'
export const WRITTEN_TIME = '2026-11-15T01:42:26.123+01:00'

// Returns the rendering of a format whose notification is one JSON object.
export function nestedRendering(
  format: NotificationFormat,
  write: (credit: Written) => object,
  rest: Partial<Rendering> & { amountField: string },
): NestedRendering {
  return {
    format,
    batches: false,
    contentType: 'application/json',
    render: ([credit = GOOD]) => JSON.stringify(write(credit)),
    nestedDeeply: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    more: { otherIdentifiers: [{ kind: 'bank_reference', value: REFERENCE }] },
    ...rest,
  }
}

export const GOOD: Written = {
  sessionId: '000004210301180534806663649508',
  accountNumber: '0016563228',
  amount: '6000.50',
  currency: 'NGN',
  sourceAccountNumber: '2093566866',
  sourceAccountName: 'SEYI OLUFEMI',
  sourceBank: { code: '033', name: 'UNITED BANK FOR AFRICA' },
  narration: 'Invoice 1183 <paid> & "done"',
}

// Returns a valid credit, with its amount in the format's unit.
export function goodOf({ unit }: Rendering): Written {
  return unit === 'kobo' ? { ...GOOD, amount: '600050' } : GOOD
}

// Every rendering writes this moment in its own way.
const TIME = new Date('2026-11-15T00:42:26.123Z')

// Returns the credit that every format should read from the written one.
function expected(written: Written, kobo: bigint): IncomingCredit {
  const { sourceBank, amount, ...rest } = written
  const amountKobo = kobo as Kobo
  return { ...rest, amountKobo, sourceBankCode: sourceBank.code, transactionTime: TIME }
}

// Returns the credit that this format should read: without the fields that it lacks, and with those that it
// adds.
export function expectedOf(
  { lacks = [], more = {} }: Rendering,
  written: Written,
  kobo: bigint,
): IncomingCredit {
  return {
    ...expected(written, kobo),
    ...(lacks.includes('sourceAccountNumber') ? { sourceAccountNumber: null } : {}),
    ...(lacks.includes('sourceBank') ? { sourceBankCode: null } : {}),
    ...more,
  }
}

export const RENDERINGS: readonly Rendering[] = [
  {
    format: jsonFormat,
    batches: true,
    contentType: 'application/json; charset=utf-8',
    render: (credits) => {
      const objects = credits.map(({ sourceBank, ...rest }) => ({
        ...rest,
        sourceBankCode: sourceBank.code,
        transactionTime: '2026-11-15T01:42:26.123+01:00',
        channel: 'added by the bank later',
      }))
      return JSON.stringify(objects.length === 1 ? objects[0] : objects)
    },
    nestedDeeply: '['.repeat(100_000) + ']'.repeat(100_000),
  },
  {
    format: providusFormat,
    batches: false,
    contentType: 'application/json',
    render: ([credit]) =>
      JSON.stringify({
        sessionId: credit?.sessionId,
        accountNumber: credit?.accountNumber,
        tranRemarks: credit?.narration,
        transactionAmount: credit?.amount,
        settledAmount: credit?.amount,
        feeAmount: '0',
        vatAmount: '0',
        currency: credit?.currency,
        initiationTranRef: '',
        settlementId: '',
        sourceAccountNumber: credit?.sourceAccountNumber,
        sourceAccountName: credit?.sourceAccountName,
        sourceBankName: credit?.sourceBank.name,
        channelId: '1',
        tranDateTime: '2026-11-15 01:42:26.123',
      }),
    nestedDeeply: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  },
  {
    format: camt054Format,
    batches: true,
    contentType: 'application/xml; charset=utf-8',
    render: (credits) => camt(credits.map(camtEntry).join('')),
    nestedDeeply: '<a>'.repeat(100_000) + '</a>'.repeat(100_000),
    more: { isWeak: true }, // Its session id is an EndToEndId, which the payer may repeat.
  },
]

// Wraps entries in a camt.054 message.
export function camt(
  entries: string,
  options: { version?: string; account?: string } = {},
): string {
  const { version = '02', account = '9930000737' } = options
  const namespace = `urn:iso:std:iso:20022:tech:xsd:camt.054.001.${version}`
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="${namespace}">
  <BkToCstmrDbtCdtNtfctn>
    <GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-11-15T01:43:00+01:00</CreDtTm></GrpHdr>
    <Ntfctn>
      <Id>N1</Id>
      <Acct><Id><Othr><Id>${account}</Id></Othr></Id></Acct>
      ${entries}
    </Ntfctn>
  </BkToCstmrDbtCdtNtfctn>
</Document>`
}

// Writes a credit as an entry of camt.054.
function camtEntry(credit: Written): string {
  const text = escapeXml
  return `<Ntry>
    <NtryRef>1</NtryRef>
    <Amt Ccy="${text(credit.currency)}">${text(credit.amount)}</Amt>
    <CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>
    <BookgDt><DtTm>2026-11-15T01:42:26.123+01:00</DtTm></BookgDt>
    <NtryDtls><TxDtls>
      <Refs><EndToEndId>${text(credit.sessionId)}</EndToEndId></Refs>
      <RltdPties>
        <Dbtr><Nm>${text(credit.sourceAccountName)}</Nm></Dbtr>
        <DbtrAcct><Id><Othr><Id>${text(credit.sourceAccountNumber)}</Id></Othr></Id></DbtrAcct>
        <CdtrAcct><Id><Othr><Id>${text(credit.accountNumber)}</Id></Othr></Id></CdtrAcct>
      </RltdPties>
      <RltdAgts><DbtrAgt><FinInstnId><ClrSysMmbId>
        <MmbId>${text(credit.sourceBank.code)}</MmbId>
      </ClrSysMmbId></FinInstnId></DbtrAgt></RltdAgts>
      <RmtInf><Ustrd>${text(credit.narration)}</Ustrd></RmtInf>
    </TxDtls></NtryDtls>
  </Ntry>`
}

function escapeXml(text: string): string {
  return text.replace(/[<>&"]/g, (mark) => `&#${mark.charCodeAt(0)};`)
}
