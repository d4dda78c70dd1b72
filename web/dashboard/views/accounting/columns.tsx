// Columns shared by reports.

import { accountingStrings as strings } from '../../../copy.ts'
import { BankName } from '../../parts/bank-name.tsx'
import type { Column } from '../../parts/table.tsx'
import { Money } from '../../parts/values.tsx'

type Sums<Name extends string> = { currency: string } & { [Each in Name]: number }

// Empty for zero, as in books.
export function sumColumn<Name extends string>(label: string, field: Name): Column<Sums<Name>> {
  return {
    name: label,
    place: 'line',
    isAmount: true,
    show: (row) => row[field] !== 0 && <Money amount={row[field]} currency={row.currency} />,
  }
}

export function bankColumn(): Column<{ bankCode: string | null }> {
  return {
    name: strings.bank,
    place: 'line',
    show: ({ bankCode }) => bankCode && <BankName code={bankCode} />,
  }
}

export function clientColumn(): Column<{ clientId: string | null }> {
  return {
    name: strings.client,
    place: 'line',
    show: ({ clientId }) => clientId,
  }
}
