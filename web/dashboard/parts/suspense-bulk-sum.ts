// The sum of chosen suspense items.

import { money } from '../format.ts'
import type { Item } from './suspense-form.tsx'

export type BulkProps = {
  items: readonly Item[]
  isMakerChecker: boolean
  mayType: boolean // Operators may assign unowned items to any client.
}

// By currency; summed in kobo, because naira have decimals.
export function sumOf(items: readonly Item[]): string {
  const sums = new Map<string, number>()
  for (const { amount, currency } of items) {
    sums.set(currency, (sums.get(currency) ?? 0) + Math.round(amount * 100))
  }
  return [...sums].map(([currency, kobo]) => money(kobo / 100, currency)).join(' + ')
}
