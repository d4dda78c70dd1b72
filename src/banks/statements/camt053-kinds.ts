// What an entry of camt.053 is for: by the bank's transaction code, refined by its words, since the
// standard has one code for all charges and none for stamp duty. What the bank codes as a transfer is
// one whatever its words say, which may be those of who sent it ("agent commission").

import { child, textOf, type XmlElement } from '#banks/iso20022/xml.ts'
import { beginsWithStampDuty, kindOf } from './line-kinds.ts'
import { cleanReference } from './line-texts.ts'
import type { LineKind } from './statement.ts'

const FEES = /^(?:CHRG|FEES|COMM|COME|COMI|COMT)$/
const TAXES = /^TAXE$/
const SWEEPS = /^(?:SWEP|ZABA|TOPG)$/
const RETURNS = /^(?:RRTN|RPCR)$/
const PROPRIETARY_FEES = /^(?:N?CHG|N?COM|CHRG|FEE)S?(?![A-Z])/
const PROPRIETARY_DUTIES = /^(?:N?STP|EMTL|E-?LEVY|STAMP ?DUTY)(?![A-Z])/
const SENT = /^(?:ICDT|IRCT)$/
const RECEIVED = /^(?:RCDT|RRCT)$/

type Line = {
  isCredit: boolean
  isReversal: boolean
  bankText: string | undefined
  narration: string | null // The payer's remittance, or else the bank's text.
}

export function codedKind(
  entry: XmlElement,
  details: XmlElement | undefined,
  line: Line,
): LineKind {
  const { isCredit, isReversal, bankText } = line
  const code = child(details, 'BkTxCd') ?? child(entry, 'BkTxCd')
  const family = child(code, 'Domn', 'Fmly')
  const sub = textOf(family, 'SubFmlyCd') ?? ''
  const proprietary = textOf(code, 'Prtry', 'Cd') ?? ''
  const isDuty = TAXES.test(sub) || PROPRIETARY_DUTIES.test(proprietary)
  const isFee = isDuty || FEES.test(sub) || PROPRIETARY_FEES.test(proprietary)
  if (SWEEPS.test(sub)) return 'sweep'
  if (RETURNS.test(sub)) return 'return'
  // Nobody but the bank has words for its charge.
  const isBanks = isFee || !isTransfer(details)
  const isLevy = beginsWithStampDuty(line.narration)
  const narration = isLevy ? line.narration : bankText || (isBanks ? line.narration : null)
  const worded = kindOf({ ...line, narration })
  if (isFee && (!isCredit || isReversal)) {
    if (worded === 'vat' || worded === 'stamp_duty') return worded
    return isDuty ? 'stamp_duty' : 'fee'
  }
  if (isLevy && worded === 'stamp_duty' && !child(details, 'RltdPties')) return worded
  // A part against the entry is coded with the whole: a charge among credits.
  const isCoded = child(details, 'BkTxCd') !== undefined || isAlong(entry, isCredit)
  const transfer = isCoded ? (textOf(family, 'Cd') ?? '') : ''
  if (SENT.test(transfer) && !isCredit && !isReversal) {
    return worded === 'sweep' || worded === 'return' ? worded : 'payout'
  }
  const isCharge = worded === 'fee' || worded === 'vat' || worded === 'stamp_duty'
  const isCodedTransfer = SENT.test(transfer) || RECEIVED.test(transfer)
  return isCharge && isCodedTransfer ? (isCredit ? 'credit' : 'other') : worded
}

// Then its unstructured remittance is what its sender wrote.
function isTransfer(details: XmlElement | undefined): boolean {
  const endToEndId = cleanReference(textOf(details, 'Refs', 'EndToEndId'))
  return endToEndId !== null || child(details, 'RltdPties') !== undefined
}

function isAlong(entry: XmlElement, isCredit: boolean): boolean {
  return (textOf(entry, 'CdtDbtInd') === 'CRDT') === isCredit
}
