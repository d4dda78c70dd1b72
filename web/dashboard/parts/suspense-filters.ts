// The filters of the suspense desk.

import { suspenseStrings as strings } from '../../copy.ts'
import { useBanks } from './bank-name.tsx'
import type { Filter } from './filters.tsx'

export function useSuspenseFilters(): readonly Filter[] {
  const banks = useBanks()
  return [
    { name: 'reason', label: strings.filterReason, choices: strings.reasons },
    { name: 'bankCode', label: strings.bank, choices: banks },
    { name: 'age', label: strings.age, choices: strings.ages },
    { name: 'minAmount', label: strings.minAmount, placeholder: '0.00' },
    { name: 'maxAmount', label: strings.maxAmount, placeholder: '0.00' },
    {
      ...{ name: 'order', label: strings.order },
      ...{ choices: strings.orders, unset: strings.newestFirst },
    },
  ]
}

// Accepts 1,000 and ₦1000.
export function toAmount(text: string | undefined): string | undefined {
  return text?.replaceAll(/[₦,\s]/g, '')
}
