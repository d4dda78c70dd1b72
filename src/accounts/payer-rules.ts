// Rules on who may pay into a collection account or an advice, and how much at a time. Money that breaks
// a rule is booked and suspended: the bank has already credited us, so refusing it would lose it.
//
// Payers' accounts are stored as keyed hashes for comparison, with a masked form for display.

import { type FieldError, Refusal } from '#errors.ts'
import { type Kobo, kobo, koboOf, toNaira } from '#money.ts'
import { maskAccountNumber, type Sealer } from '#seal.ts'

export type PayerRules = {
  minKobo?: string // Kobo as text: JSON numbers are doubles.
  maxKobo?: string
  accounts?: readonly { hash: string; masked: string; bankCode: string }[]
  names?: readonly string[]
}

// The form of rules in requests and, with masked account numbers, in responses.
type PayerRulesInput = {
  minAmount?: number | string | undefined
  maxAmount?: number | string | undefined
  accounts?: readonly { accountNumber: string; bankCode: string }[] | undefined
  names?: readonly string[] | undefined
}

type Payer = {
  accountNumber: string | null
  name: string | null
  bankCode: string | null
}

export type RuleViolation = 'below_minimum' | 'above_maximum' | 'payer_not_allowed'
export type HashPayer = (accountNumber: string, bankCode: string) => string

// Includes the bank in the hash: two banks may have the same account number.
export function payerHasher(sealer: Sealer): HashPayer {
  return (accountNumber, bankCode) =>
    sealer.hash('payer-account', `${bankCode}/${accountNumber}`).toString('base64')
}

// Turns the rules of a request, whose amounts the schema has checked, into those to store. Refuses rules that
// no payment could satisfy.
export function parsePayerRules(
  input: PayerRulesInput | undefined,
  hash: HashPayer,
): PayerRules | null {
  if (!input) return null
  const problems = findProblems(input)
  if (problems.length > 0) throw new Refusal('invalid_request', problems)
  const { minAmount, maxAmount, accounts = [], names = [] } = input
  const rules: PayerRules = {
    ...(minAmount === undefined ? {} : { minKobo: `${koboOf(minAmount)}` }),
    ...(maxAmount === undefined ? {} : { maxKobo: `${koboOf(maxAmount)}` }),
    ...(names.length === 0 ? {} : { names }),
    ...(accounts.length === 0
      ? {}
      : {
          accounts: accounts.map(({ accountNumber, bankCode }) => ({
            hash: hash(accountNumber, bankCode),
            masked: maskAccountNumber(accountNumber),
            bankCode,
          })),
        }),
  }
  return Object.keys(rules).length === 0 ? null : rules
}

// Finds rules that no payment could satisfy.
function findProblems({ minAmount, maxAmount, names = [] }: PayerRulesInput): FieldError[] {
  const [min, max] = [koboOf(minAmount), koboOf(maxAmount)]
  const isImpossible = min !== undefined && max !== undefined && min > max
  const message = 'Must be at least two words: a payer needs two of them, in any order.'
  return [
    ...(isImpossible
      ? [{ field: 'payerRules.maxAmount', message: 'Must not be below minAmount.' }]
      : []),
    ...names.flatMap((name, index) =>
      words(name).size < 2 ? [{ field: `payerRules.names.${index}`, message }] : [],
    ),
  ]
}

// Account numbers stay masked, because only their hashes are stored.
export function presentPayerRules(rules: PayerRules): PayerRulesInput {
  const { minKobo, maxKobo, accounts = [], names = [] } = rules
  return {
    ...(minKobo === undefined ? {} : { minAmount: toNaira(kobo(BigInt(minKobo))) }),
    ...(maxKobo === undefined ? {} : { maxAmount: toNaira(kobo(BigInt(maxKobo))) }),
    accounts: accounts.map(({ masked, bankCode }) => ({ accountNumber: masked, bankCode })),
    names,
  }
}

type IncomingPayment = { payer: Payer; amountKobo: Kobo; dueKobo: Kobo | null; hash: HashPayer }

// Returns the first violated rule, in the order of RuleViolation; undefined if the rules allow the payment.
export function findRuleViolation(
  rules: PayerRules | null,
  { payer, amountKobo, dueKobo, hash }: IncomingPayment,
): RuleViolation | undefined {
  if (!rules) return undefined
  // The remaining amount may be below the minimum, so paying it in full is allowed.
  const paysTheRest = dueKobo !== null && amountKobo >= dueKobo
  const isBelow = rules.minKobo !== undefined && amountKobo < BigInt(rules.minKobo)
  if (isBelow && !paysTheRest) return 'below_minimum'
  if (rules.maxKobo !== undefined && amountKobo > BigInt(rules.maxKobo)) return 'above_maximum'
  if (!rules.accounts && !rules.names) return undefined
  const isAllowed =
    isAmongAccounts(rules, payer, hash) ||
    (rules.names ?? []).some((name) => isNamed(payer.name ?? '', name))
  return isAllowed ? undefined : 'payer_not_allowed'
}

// Whether the payer's account is one of those that the rules allow. Only hashes of these are stored.
function isAmongAccounts({ accounts }: PayerRules, payer: Payer, hash: HashPayer): boolean {
  if (!accounts || payer.accountNumber === null || payer.bankCode === null) return false
  const payerHash = hash(payer.accountNumber, payer.bankCode)
  return accounts.some((account) => account.hash === payerHash)
}

// Requires two words in common, in any order, because banks shorten, reorder and repeat names.
function isNamed(payerName: string, allowedName: string): boolean {
  const payerWords = words(payerName)
  const common = [...words(allowedName)].filter((word) => payerWords.has(word))
  return common.length >= 2
}

// Splits a name into its words of at least two characters. Strips accents: banks omit them, and a combining
// accent, as in Yoruba, would split a word.
function words(name: string): Set<string> {
  const plain = name.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')
  return new Set(plain.match(/[\p{L}\p{N}]{2,}/gu) ?? [])
}
