// Payout files for tests of their formats, and the reports (pain.002) in which banks say what became of the
// payouts.

import type { PayoutInstruction } from '#banks/connector.ts'
import type { PaymentFile } from '#banks/payment-files.ts'
import { kobo } from '#money.ts'

type Order = { reference?: string; name?: string; narration?: string; amountKobo?: bigint }

// A payout as it is written to a payout file.
export function paymentOrder({
  reference = 'PYT000000000000001',
  name = 'Okafor & Sons',
  narration = 'Settlement of 15 November',
  amountKobo = 2_000_000n,
}: Order = {}): PayoutInstruction {
  const to = { bankCode: '033', accountNumber: '2093566866', accountName: name }
  return { reference, amountKobo: kobo(amountKobo), currency: 'NGN', to, narration }
}

// A payout file with two payouts.
export function paymentFile(changes: Partial<PaymentFile> = {}): PaymentFile {
  return {
    reference: 'PYF000000000000001',
    createdAt: new Date('2026-11-16T08:00:00Z'),
    executionDate: '2026-11-16',
    bankCode: '058',
    debitAccount: { accountNumber: '0123456789', accountName: 'Manilla Operations' },
    orders: [
      paymentOrder(),
      paymentOrder({ reference: 'PYT000000000000002', amountKobo: 21_734n }),
    ],
    ...changes,
  }
}

// The bank's status of one payout; `more` is further XML.
type PayoutStatus = { reference: string; status: string; more?: string }
type Pain002 = {
  version?: string
  file?: string
  group?: string // XML after the message's id.
  payment?: string // XML after the payment information's id.
  of?: readonly PayoutStatus[]
}

// A bank's report about a payout file.
export function pain002({
  version = '10',
  file = 'PYF000000000000001',
  ...changes
}: Pain002): string {
  const { group = '', payment = '', of: payoutStatuses = [] } = changes
  const transactions = payoutStatuses.map(
    ({ reference, status, more = '' }) =>
      `<TxInfAndSts><StsId>S</StsId><OrgnlInstrId>${reference}</OrgnlInstrId>` +
      `<OrgnlEndToEndId>${reference}</OrgnlEndToEndId><TxSts>${status}</TxSts>${more}</TxInfAndSts>`,
  )
  const information =
    transactions.length > 0 || payment !== ''
      ? `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${file}</OrgnlPmtInfId>${payment}` +
        `${transactions.join('')}</OrgnlPmtInfAndSts>`
      : ''
  return (
    `<?xml version="1.0" encoding="UTF-8"?>` +
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.${version}"><CstmrPmtStsRpt>` +
    '<GrpHdr><MsgId>R1</MsgId><CreDtTm>2026-11-16T10:00:00+01:00</CreDtTm></GrpHdr>' +
    `<OrgnlGrpInfAndSts><OrgnlMsgId>${file}</OrgnlMsgId>` +
    `<OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>${group}</OrgnlGrpInfAndSts>${information}` +
    '</CstmrPmtStsRpt></Document>'
  )
}

// The XML of a reason for a rejection, with its ISO code.
export function rejection(code: string, words = ''): string {
  const text = words === '' ? '' : `<AddtlInf>${words}</AddtlInf>`
  return `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn>${text}</StsRsnInf>`
}
