// What a line is for, from its narration. Patterns are tried in order; the first that fits decides.
//
// What comes in is a credit whatever it says, since the payer wrote it ("school fees"): only sweeps
// and returns, which the bank words, are found on both sides.

import type { LineKind } from './statement.ts'

export type KindRule = { kind: LineKind; pattern: RegExp }

const BOTH_SIDES: readonly LineKind[] = ['sweep', 'return']

// The Electronic Money Transfer Levy, which replaced stamp duty on transfers, under the names that
// banks give it: EMTL, EMT LEVY, FGN EMT LEVY, E-LEVY, STAMPDUTY.
const APART = '[ ._/-]*'
const LEVY = [
  `stamp${APART}dut(?:y|ies)`,
  'emtl',
  `emt${APART}(?:levy|charge|duty)`,
  `e${APART}levy`,
  `money${APART}transfer${APART}levy`,
  `fgn${APART}(?:levy|duty)`,
].join('|')
const STAMP_DUTY = new RegExp(`(?<![a-z])(?:${LEVY})(?![a-z])`, 'i')
const STAMP_DUTY_FIRST = new RegExp(
  `^(?:(?:fgn|cbn|firs|nip|nibss|electronic|being|dr|debit)${APART})*(?:${LEVY})(?![a-z])`,
  'i',
)

// Tried after those of a profile too: a levy that is not recognised looks like a part of the credit
// that the bank takes back.
export const STAMP_DUTY_RULE: KindRule = { kind: 'stamp_duty', pattern: STAMP_DUTY }

// A narration that begins with the levy is the bank's, also where it names the transfer.
export function beginsWithStampDuty(narration: string | null): boolean {
  return narration !== null && STAMP_DUTY_FIRST.test(narration)
}

// Of banks in Nigeria. A profile may bring its own.
export const DEFAULT_KINDS: readonly KindRule[] = [
  { kind: 'sweep', pattern: /^(?:auto(?:matic)? )?sweep\b/i },
  { kind: 'return', pattern: /^(?:rtn|returned?)\b/i },
  { kind: 'payout', pattern: /^(?:nip|neft|rtgs|trf|transfer)\b.{0,20}\bto\b/i },
  STAMP_DUTY_RULE,
  { kind: 'fee', pattern: /\b(?:charges?|fees?|comm(?:ission)?) ?(?:\+|&|and|incl\w*) ?vat\b/i },
  { kind: 'vat', pattern: /\b(?:vat|value added tax)\b/i },
  {
    kind: 'fee',
    pattern: /\b(?:charges?|chrgs?|chgs?|fees?|comm|commission|cot|camf|sms alerts?)\b/i,
  },
]

export function kindOf(
  line: { isCredit: boolean; isReversal: boolean; narration: string | null },
  rules: readonly KindRule[] = DEFAULT_KINDS,
): LineKind {
  const { isCredit, isReversal, narration } = line
  // A reversed fee comes in and is a fee.
  const isOpen = !isCredit || isReversal
  const found = rules.find(
    ({ kind, pattern }) =>
      (isOpen || BOTH_SIDES.includes(kind)) && narration !== null && pattern.test(narration),
  )
  return found?.kind ?? (isCredit ? 'credit' : 'other')
}
