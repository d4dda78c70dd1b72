// What an entry of camt.053 is for: by the bank's transaction code, refined by its words, since the
// standard has one code for all charges and none for stamp duty.

import { child, textOf, type XmlElement } from '#banks/iso20022/xml.ts'
import { kindOf } from './line-kinds.ts'
import type { LineKind } from './statement.ts'

const FEES = /^(?:CHRG|FEES|COMM|COME|COMI|COMT)$/
const SWEEPS = /^(?:SWEP|ZABA|TOPG)$/
const RETURNS = /^(?:RRTN|RPCR)$/
const PROPRIETARY_FEES = /^(?:N?CHG|N?COM|CHRG|FEE)S?(?![A-Z])/

export function codedKind(
  entry: XmlElement,
  details: XmlElement | undefined,
  line: { isCredit: boolean; isReversal: boolean; narration: string | null },
): LineKind {
  const worded = kindOf(line)
  if (worded === 'vat' || worded === 'stamp_duty') return worded
  const code = child(details, 'BkTxCd') ?? child(entry, 'BkTxCd')
  const family = child(code, 'Domn', 'Fmly')
  const sub = textOf(family, 'SubFmlyCd') ?? ''
  const isOut = !line.isCredit || line.isReversal
  const isFee = FEES.test(sub) || PROPRIETARY_FEES.test(textOf(code, 'Prtry', 'Cd') ?? '')
  if (SWEEPS.test(sub)) return 'sweep'
  if (RETURNS.test(sub)) return 'return'
  if (isFee && isOut) return 'fee'
  if (worded === 'other' && !line.isCredit && textOf(family, 'Cd') === 'ICDT') return 'payout'
  return worded
}
