// The bank's name check of an account, and the account's use.

import { bankAccountsStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { Badge } from '../../parts/values.tsx'

export type BankAccount = Schemas['BankAccount']

const TONES = { confirmed: 'good', mismatch: 'bad', unconfirmed: 'warn' } as const

export function NameEnquiry({ account: { status } }: { account: BankAccount }) {
  const tone = TONES[status as keyof typeof TONES]
  return <Badge state={strings.statuses[status] ?? status} {...(tone ? { tone } : {})} />
}

export function useOf({ isActive, isDefault }: BankAccount): string {
  if (isDefault) return strings.default
  return isActive ? strings.active : strings.inactive
}
