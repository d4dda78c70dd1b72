// ISO 20022 pacs.002.001.10 (payment status report): our answer to a pacs.008.
//
//   00, 01  ACSC  settled on the account of the creditor, now or before
//   02      RJCT  not taken, with the reason in words
//   03      PDNG  not decided: to be sent again

import type { Acknowledgement } from '#banks/notifications.ts'
import { tag } from './write-xml.ts'

export type OriginalTransaction = {
  instructionId: string | undefined
  endToEndId: string | undefined
  transactionId: string | undefined
}

export type OriginalMessage = {
  messageId: string
  name: string
  transactions: readonly OriginalTransaction[]
}

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pacs.002.001.10'
const MESSAGE_ID_MAX = 35
const REASON_MAX = 105

const STATUSES: Record<Acknowledgement['responseCode'], string> = {
  '00': 'ACSC',
  '01': 'ACSC',
  '02': 'RJCT',
  '03': 'PDNG',
}

// The same message is answered under the same id: an answer that is sent again is the same answer.
export function writePacs002(
  acknowledgements: readonly Acknowledgement[],
  original: OriginalMessage,
  now: Date,
): string {
  const id = `STS-${original.messageId}`.slice(0, MESSAGE_ID_MAX)
  const group = tag('OrgnlMsgId', original.messageId) + tag('OrgnlMsgNmId', original.name)
  const statuses = acknowledgements.map((each, at) => status(each, original.transactions[at]))
  return (
    `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="${NAMESPACE}"><FIToFIPmtStsRpt>` +
    `<GrpHdr>${tag('MsgId', id)}${tag('CreDtTm', now.toISOString())}</GrpHdr>` +
    `<OrgnlGrpInfAndSts>${group}</OrgnlGrpInfAndSts>${statuses.join('')}` +
    '</FIToFIPmtStsRpt></Document>'
  )
}

function status(
  { responseCode, responseMessage, code }: Acknowledgement,
  original: OriginalTransaction | undefined,
): string {
  const reason =
    responseCode === '02'
      ? `<StsRsnInf><Rsn>${tag('Prtry', (code ?? 'rejected').slice(0, MESSAGE_ID_MAX))}</Rsn>` +
        `${tag('AddtlInf', responseMessage.slice(0, REASON_MAX))}</StsRsnInf>`
      : ''
  return (
    `<TxInfAndSts>${tag('OrgnlInstrId', original?.instructionId)}` +
    `${tag('OrgnlEndToEndId', original?.endToEndId)}${tag('OrgnlTxId', original?.transactionId)}` +
    `${tag('TxSts', STATUSES[responseCode])}${reason}</TxInfAndSts>`
  )
}
