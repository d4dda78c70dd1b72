// Who may pay into a collection account or an advice, and how much at a time. Money that breaks a
// rule is taken and suspended: it is in our hands already, so refusing it would lose it.

export type PayerRules = {
  minKobo?: string // Kobo as text: JSON numbers are doubles.
  maxKobo?: string
  accounts?: readonly { accountNumber: string; bankCode: string }[]
  names?: readonly string[]
}

export type Payer = {
  accountNumber: string | null
  name: string | null
  bankCode: string | null
}

export type RuleBroken = 'below_minimum' | 'above_maximum' | 'payer_not_allowed'

// Checked in the order of the union above. Undefined: the rules allow it.
export function brokenRule(
  rules: PayerRules | null,
  payer: Payer,
  amountKobo: bigint,
): RuleBroken | undefined {
  if (!rules) return undefined
  if (rules.minKobo !== undefined && amountKobo < BigInt(rules.minKobo)) return 'below_minimum'
  if (rules.maxKobo !== undefined && amountKobo > BigInt(rules.maxKobo)) return 'above_maximum'
  const lists = (rules.accounts?.length ?? 0) + (rules.names?.length ?? 0)
  if (lists === 0) return undefined
  const byAccount = rules.accounts?.some(
    (allowed) =>
      allowed.accountNumber === payer.accountNumber && allowed.bankCode === payer.bankCode,
  )
  const byName = payer.name !== null && rules.names?.some((name) => isNamed(payer.name ?? '', name))
  return byAccount || byName ? undefined : 'payer_not_allowed'
}

// Two words in common, in any order: banks shorten, reorder and repeat names.
function isNamed(payerName: string, allowedName: string): boolean {
  const payerWords = words(payerName)
  const shared = [...words(allowedName)].filter((word) => payerWords.has(word))
  return shared.length >= 2
}

function words(name: string): Set<string> {
  return new Set(name.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [])
}
