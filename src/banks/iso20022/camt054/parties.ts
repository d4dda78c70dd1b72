// Who paid, into which number, what was said and when: the fields of a transaction of camt.054 that
// do not decide over its identity or its amount.

import { child, children, leafText, textOf, type XmlElement } from '#banks/iso20022/xml.ts'
import { isAccountNumber } from '#banks/nuban.ts'
import { parseBankTime } from '#wat-time.ts'

// A Nigerian IBAN ends in the account number. Its check digits guard against slips of a person who
// types it; what a bank reports it has looked up.
const NIGERIAN_IBAN = /^NG[0-9]{2}[A-Z0-9]{0,20}([0-9]{10})$/

// Plain wherever it stands: as another identification (a proprietary one in version 01), as the end
// of an IBAN, as a proxy. Else whatever there is, which is then refused as a number.
export function accountOf(account: XmlElement | undefined): string | undefined {
  const id = child(account, 'Id')
  const plain = [
    textOf(id, 'Othr', 'Id'),
    textOf(id, 'PrtryAcct', 'Id'),
    textOf(id, 'BBAN'),
    NIGERIAN_IBAN.exec(textOf(id, 'IBAN')?.replaceAll(' ', '') ?? '')?.[1],
    textOf(account, 'Prxy', 'Id'),
  ]
  const found = plain.find((text) => text !== undefined && isAccountNumber(text))
  return found ?? textOf(id, 'Othr', 'Id') ?? textOf(id, 'PrtryAcct', 'Id')
}

export function payerOf(transaction: XmlElement) {
  const parties = child(transaction, 'RltdPties')
  const account = child(parties, 'DbtrAcct')
  const id = child(account, 'Id')
  const agent = child(transaction, 'RltdAgts', 'DbtrAgt', 'FinInstnId')
  return {
    sourceAccountNumber:
      textOf(id, 'Othr', 'Id') ??
      textOf(id, 'IBAN') ??
      textOf(id, 'BBAN') ??
      textOf(id, 'PrtryAcct', 'Id') ??
      textOf(account, 'Prxy', 'Id'),
    // Version 08 put a level between the debtor and its name.
    sourceAccountName: textOf(parties, 'Dbtr', 'Nm') ?? textOf(parties, 'Dbtr', 'Pty', 'Nm'),
    // Version 03 renamed BIC.
    sourceBankCode:
      textOf(agent, 'ClrSysMmbId', 'MmbId') ?? textOf(agent, 'BICFI') ?? textOf(agent, 'BIC'),
  }
}

// Free text first, then what structured remittance names: the creditor's reference, the documents.
export function narrationOf(transaction: XmlElement): string | undefined {
  const remittance = child(transaction, 'RmtInf')
  if (!remittance) return undefined
  const structured = children(remittance, 'Strd').flatMap((one) => [
    textOf(one, 'CdtrRefInf', 'Ref') ?? textOf(one, 'CdtrRefInf', 'CdtrRef'),
    ...children(one, 'RfrdDocInf').map(
      (document) => textOf(document, 'Nb') ?? textOf(document, 'RfrdDocNb'),
    ),
    ...children(one, 'AddtlRmtInf').map(leafText),
  ])
  const lines = [...children(remittance, 'Ustrd').map((line) => line.text), ...structured]
  return lines.filter((line) => line !== undefined && line !== '').join(' ')
}

// When the payer's bank accepted it, else when ours booked it, else its value date: the first that
// is a time. If none is, the first, which is then refused.
export function timeOf(entry: XmlElement, transaction: XmlElement): string | undefined {
  const given = [
    textOf(transaction, 'RltdDts', 'AccptncDtTm'),
    dateOf(child(entry, 'BookgDt')),
    dateOf(child(entry, 'ValDt')),
  ].filter((time) => time !== undefined)
  return given.find((time) => parseBankTime(time) !== undefined) ?? given[0]
}

function dateOf(element: XmlElement | undefined): string | undefined {
  return textOf(element, 'DtTm') ?? textOf(element, 'Dt')
}
