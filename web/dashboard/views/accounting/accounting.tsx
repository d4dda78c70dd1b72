// The tabs of Accounting, and the list of days, each open or closed. Users can close the oldest open day.

import { accountingStrings as strings, suspenseStrings } from '../../../copy.ts'
import type { Data } from '../../api.ts'
import { addDays, count, isDay, longDay, today } from '../../format.ts'
import { useData } from '../../loading.ts'
import { CloseDay, DaySteps } from '../../parts/close-day.tsx'
import { Link, tabbedView } from '../../parts/controls.tsx'
import { Drawer, type Fact, factList } from '../../parts/drawer.tsx'
import { type Column, fieldColumn, ListTable, onePage } from '../../parts/table.tsx'
import { Copyable, Money, TextHeadline, Time, useBankNames } from '../../parts/values.tsx'
import { closeTo, hrefOf } from '../../routing.ts'
import { mayAccount, type ViewProps } from '../../session.ts'
import { Journal } from './journal.tsx'
import { MonthClose } from './month.tsx'
import {
  ClosedBadge,
  OperatorBalances,
  StampDuty,
  SuspenseAgeing,
  TrialBalance,
  Vat,
  WithholdingTax,
} from './reports.tsx'
import { TaxRates } from './tax-rates.tsx'
import { ClientVatInvoices } from './vat-invoices.tsx'

const PATH = '/api/v1/operator/days'
const SHOWN_DAYS = 31

type Day = Data<typeof PATH>[number]

const COLUMNS: readonly Column<Day>[] = [
  { name: strings.day, place: 'lead', show: ({ day }) => longDay(day) },
  { name: strings.state, place: 'amount', show: (day) => <ClosedBadge {...day} /> },
  {
    name: strings.transfers,
    place: 'second',
    show: ({ transfers }) => transfers !== null && strings.transfersOf(count(transfers)),
  },
  {
    name: strings.total,
    place: 'state',
    isAmount: true,
    show: ({ debit }) => debit !== null && <Money amount={debit} />,
  },
  fieldColumn(strings.closedAt, 'closedAt', 'time', (value) => value && <Time at={value} />),
]

// The days up to the one in the URL, latest first, with their totals and whether their books are closed.
function ClosedDays({ place, session }: ViewProps) {
  const to = isDay(place.query.to) ? place.query.to : today()
  const from = addDays(to, 1 - SHOWN_DAYS)
  const loaded = useData(PATH, {}, { from, to })
  const days = loaded.data?.toSorted((one, other) => (one.day < other.day ? 1 : -1))
  const openDay = days?.find(({ day }) => day === place.open)
  return (
    <>
      <header class="report-top">
        <DaySteps view="accounting" {...{ place, from, to }} />
      </header>
      <ListTable
        caption={strings.tabs.days}
        columns={COLUMNS}
        pages={onePage({ ...loaded, data: days })}
        keyOf={({ day }) => day}
        hrefOf={({ day }) => hrefOf('accounting', day, place.query)}
        openKey={place.open}
        empty={null}
      />
      {openDay && (
        <Drawer
          key={openDay.day}
          title={strings.one}
          close={() => closeTo(hrefOf('accounting', undefined, place.query))}
        >
          <OpenDay day={openDay} mayClose={mayAccount(session)} changed={loaded.reload} />
        </Drawer>
      )}
    </>
  )
}

// The drawer of the day that the user opened, whether it is closed or not.
function OpenDay({ day, mayClose, changed }: { day: Day; mayClose: boolean; changed: () => void }) {
  const { closedBy, closedAt, journalHash } = day
  const nameBank = useBankNames()
  return (
    <>
      <TextHeadline text={longDay(day.day)} badge={<ClosedBadge {...day} />} />
      {factList([
        [strings.transfers, day.transfers !== null && count(day.transfers)],
        ...day.totals.map(({ currency, debit }): Fact => {
          return [strings.total, <Money key={currency} amount={debit} currency={currency} />]
        }),
        [strings.unbalanced, day.unbalancedBanks.map(nameBank).join(', ')],
        [strings.closedBy, closedBy && suspenseStrings.person(closedBy)],
        [strings.closedAt, closedAt && <Time at={closedAt} />],
        [strings.reason, day.reason],
        [strings.hash, journalHash && <Copyable text={journalHash} />],
      ])}
      <div class="buttons after-facts">
        <Link
          class="button"
          href={hrefOf('accounting', undefined, { tab: 'journal', day: day.day })}
        >
          {strings.viewJournal}
        </Link>
        {mayClose && !day.isClosed && day.day < today() && (
          <CloseDay day={day.day} onDone={changed} />
        )}
      </div>
    </>
  )
}

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
