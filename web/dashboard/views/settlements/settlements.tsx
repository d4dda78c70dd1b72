// The tabs of Settlements: the upcoming settlement, the closed settlements, and the schedule.

import { settlementsStrings as strings } from '../../../copy.ts'
import { tabbedView } from '../../parts/tabs.tsx'
import { OwnVatInvoices } from '../accounting/vat-invoices.tsx'
import { ClosedSettlements } from './closed.tsx'
import { SettlementSettings } from './settings.tsx'

export default tabbedView({
  view: 'settlements',
  words: strings,
  tabs: {
    settlements: ClosedSettlements,
    vatInvoices: OwnVatInvoices,
    settings: SettlementSettings,
  },
})
