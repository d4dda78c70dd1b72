// The tabs of Accounting: the journal of a day, the trial balance, VAT, balances of all clients, suspense by
// age, and closed days.

import { accountingStrings as strings } from '../../../copy.ts'
import { tabbedView } from '../../parts/tabs.tsx'
import { ClosedDays } from './closed-days.tsx'
import { Journal } from './journal.tsx'
import { MonthClose } from './month.tsx'
import {
  OperatorBalances,
  StampDuty,
  SuspenseAgeing,
  TrialBalance,
  Vat,
  WithholdingTax,
} from './reports.tsx'
import { TaxRates } from './tax-rates.tsx'
import { ClientVatInvoices } from './vat-invoices.tsx'

export default tabbedView({
  view: 'accounting',
  words: strings,
  tabs: {
    journal: Journal,
    trialBalance: TrialBalance,
    vat: Vat,
    vatInvoices: ClientVatInvoices,
    withholdingTax: WithholdingTax,
    stampDuty: StampDuty,
    taxRates: TaxRates,
    balances: OperatorBalances,
    suspense: SuspenseAgeing,
    days: ClosedDays,
    months: MonthClose,
  },
})
