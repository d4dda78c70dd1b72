// The bank's side of the ISO 20022 connector: camt.054.001.08, one entry per transfer, net of
// charges, under Standard Webhooks. It has no API.

import { formatKobo } from '#money.ts'
import type { Transfer } from '../bank.ts'
import type { Dialect, Party, Speaker } from '../dialect.ts'
import { manillaDialect, readAcknowledgement, signer } from './manilla.ts'

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.054.001.08'
const { railSecret } = manillaDialect.credentials

export const iso20022Dialect: Dialect = {
  connector: 'iso20022',
  credentials: railSecret ? { railSecret } : {},
  tries: 5,
  retryAfterMs: 60_000,
  batchMax: 1_000,
  hasApi: false,
  speak,
}

// Returns this bank's speaker, which signs and writes the bank's messages, reads Manilla's answers, and
// serves the bank's API.
function speak(party: Party): Speaker {
  const sign = signer(party, 'application/xml')
  const signJson = signer(party)
  let messages = 0
  return {
    notify: (transfers) => {
      const at = party.clock()
      const id = `FB${party.bankCode}${at.getTime()}${++messages}`
      return sign('/credits', documentOf(id, at, transfers))
    },
    readAcknowledgement,
    enquireName: (accountNumber) => signJson('/name-enquiry', JSON.stringify({ accountNumber })),
    serve: () => {}, // This bank has no API.
  }
}

// Returns a camt.054 message with one notification for each transfer.
function documentOf(id: string, at: Date, transfers: readonly Transfer[]): string {
  const notifications = transfers.map((transfer, index) =>
    element('Ntfctn', [
      element('Id', `${id}-${index + 1}`),
      element('CreDtTm', at.toISOString()),
      element('Acct', element('Id', element('Othr', element('Id', transfer.accountNumber)))),
      entryOf(transfer),
    ]),
  )
  const header = element('GrpHdr', [element('MsgId', id), element('CreDtTm', at.toISOString())])
  const message = element('BkToCstmrDbtCdtNtfctn', [header, ...notifications])
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}">${message}</Document>`
}

// Returns the entry of one transfer: the amount after charges, with the charges in its details.
function entryOf(transfer: Transfer): string {
  const { amountKobo, settledKobo, feeKobo, vatKobo, payer } = transfer
  const isCharged = settledKobo !== amountKobo
  const charge = (chargeKobo: typeof feeKobo, kind: string) =>
    element('Rcrd', [
      money('Amt', chargeKobo),
      element('CdtDbtInd', 'DBIT'),
      element('Tp', element('Prtry', element('Id', kind))),
    ])
  const details = [
    element('Refs', [
      element('AcctSvcrRef', transfer.sessionId),
      element('EndToEndId', 'NOTPROVIDED'),
    ]),
    money('Amt', amountKobo),
    element('CdtDbtInd', 'CRDT'),
    ...(isCharged ? [element('Chrgs', [charge(feeKobo, 'FEE'), charge(vatKobo, 'VAT')])] : []),
    element('RltdPties', [
      element('Dbtr', element('Pty', element('Nm', escapeText(payer.accountName)))),
      element('DbtrAcct', element('Id', element('Othr', element('Id', payer.accountNumber)))),
    ]),
    element(
      'RltdAgts',
      element(
        'DbtrAgt',
        element('FinInstnId', element('ClrSysMmbId', element('MmbId', payer.bankCode))),
      ),
    ),
    element('RmtInf', element('Ustrd', escapeText(transfer.narration))),
  ]
  return element('Ntry', [
    money('Amt', settledKobo),
    element('CdtDbtInd', 'CRDT'),
    element('Sts', element('Cd', 'BOOK')),
    element('BookgDt', element('DtTm', transfer.at.toISOString())),
    element('NtryDtls', element('TxDtls', details)),
  ])
}

function money(name: string, kobo: Transfer['amountKobo']): string {
  return `<${name} Ccy="NGN">${formatKobo(kobo)}</${name}>`
}

// The content is elements, or text that is already escaped.
function element(name: string, content: string | readonly string[]): string {
  return `<${name}>${typeof content === 'string' ? content : content.join('')}</${name}>`
}

function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (mark) => `&#${mark.charCodeAt(0)};`)
}
