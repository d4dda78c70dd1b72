// A filter by connected bank.

import { reconciliationStrings as strings } from '../../../copy.ts'
import { useData } from '../../loading.ts'
import type { Filter } from '../../parts/filters.tsx'

export function useBankFilter(): Filter {
  const { data } = useData('/api/v1/operator/banks', {})
  const choices = Object.fromEntries((data ?? []).map(({ code, name }) => [code, name]))
  return { name: 'bankCode', label: strings.bank, choices }
}
