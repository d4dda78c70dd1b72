// The directory of institutions: banks, microfinance and mortgage banks, mobile money operators and payment
// service banks. An institution that is missing here can still pay in, but its name stays unknown, and so
// does its code if a notification has only the name.
//
// We identify each institution by one `code`: its CBN code (three or five digits), or else its NIP code (six
// digits). Callers may name it by any of its codes; connectors name it by the code that the provider expects.

import institutions from './institutions.json' with { type: 'json' }

export const KINDS = [
  'commercial',
  'merchant',
  'non_interest',
  'microfinance',
  'mobile_money',
  'payment_service_bank',
  'mortgage',
  'other',
] as const

export type Bank = {
  code: string
  name: string
  kind: (typeof KINDS)[number]
  cbnCode?: string
  nipCode?: string // Its institution code on the NIP rail.
  aliases?: readonly string[] // Codes that only some providers use for it.
  providerCodes?: Readonly<Record<string, string>> // By provider: the exact code that the provider uses.
  // False if the account numbers are telephone numbers. Absent if that is not known; no number is then
  // refused.
  checksNuban?: boolean
  canBePaid?: false // Closed, or without customers' accounts.
  otherNames?: readonly string[]
}

export const BANKS = institutions as readonly Bank[]

// Words that may be missing from a bank's name or added to it ("GTBANK PLC", "KUDA MFB").
const FILLER = /\b(?:plc|limited|ltd|nigeria|nig|of|the|bank|microfinance|mfb)\b/g

const byNipCode = new Map(BANKS.flatMap((bank) => (bank.nipCode ? [[bank.nipCode, bank]] : [])))
const byCode = new Map(
  BANKS.flatMap((bank) =>
    [bank.code, bank.cbnCode, bank.nipCode, ...(bank.aliases ?? [])].flatMap((code) =>
      code === undefined ? [] : [[code, bank] as const],
    ),
  ),
)
const byName = indexNames()

// Finds an institution by any of its codes.
export function findBank(code: string): Bank | undefined {
  return byCode.get(code)
}

export function findBankByNipCode(nipCode: string): Bank | undefined {
  return byNipCode.get(nipCode)
}

// Finds an institution by its name, ignoring case, punctuation and words such as “bank” or “plc”.
export function findBankByName(name: string): Bank | undefined {
  return byName.get(plainName(name))
}

// Finds the code of the payer's bank for a notification that has only the bank's name.
export function bankCodeByName(name: unknown): string | null {
  return typeof name === 'string' ? (findBankByName(name)?.code ?? null) : null
}

// Returns the provider's code of an institution, or else its code in the numbering that the provider uses.
// For an unlisted institution, returns the caller's code.
export function providerCode(bankCode: string, numbering: 'nip' | 'cbn', provider = ''): string {
  const bank = findBank(bankCode)
  if (!bank) return bankCode
  const specialCode =
    bank.providerCodes && Object.hasOwn(bank.providerCodes, provider)
      ? bank.providerCodes[provider]
      : undefined
  return specialCode ?? (numbering === 'nip' ? bank.nipCode : bank.cbnCode) ?? bank.code
}

export type NameBank = (code: string) => string

// Returns the names of banks: from the settings for our own banks, from this directory for all others.
export function bankNames(banks: readonly { code: string; name: string }[]): NameBank {
  return (code) => banks.find((bank) => bank.code === code)?.name ?? findBank(code)?.name ?? code
}

// Returns the institutions by plain name. If two institutions share a name, the name means the commercial
// bank. If neither is a commercial bank, the name is ignored.
function indexNames(): Map<string, Bank> {
  const index = new Map<string, Bank | undefined>()
  for (const bank of BANKS) {
    for (const name of [bank.name, ...(bank.otherNames ?? [])]) {
      const plainForm = plainName(name)
      const indexed = index.get(plainForm)
      const isShared = index.has(plainForm) && indexed !== bank
      if (!isShared) index.set(plainForm, bank)
      else if (indexed?.kind !== 'commercial') index.set(plainForm, undefined)
    }
  }
  return new Map(
    [...index].flatMap(([plainForm, bank]) => (bank && plainForm ? [[plainForm, bank]] : [])),
  )
}

// Removes everything that varies in how banks write a name.
function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(FILLER, '')
    .replace(/[^a-z0-9]/g, '')
}
