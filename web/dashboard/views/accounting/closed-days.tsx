// Days, and which of them are closed; the oldest open one can be closed.

import {
  reconciliationStrings,
  accountingStrings as strings,
  suspenseStrings,
} from '../../../copy.ts'
import type { Data } from '../../api.ts'
import { addDays, isDay, longDay, shortDay, today } from '../../days.ts'
import { count } from '../../format.ts'
import { useData } from '../../loading.ts'
import { useBankNames } from '../../parts/bank-name.tsx'
import { CloseDay } from '../../parts/close-day.tsx'
import { Drawer, type Fact, Facts } from '../../parts/drawer.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Link } from '../../parts/link.tsx'
import { onePage } from '../../parts/one-page.ts'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Copyable, Money, TextHeadline, Time } from '../../parts/values.tsx'
import { closeTo, goTo, hrefOf } from '../../routing.ts'
import { mayAccount } from '../../session.ts'
import type { ViewProps } from '../../view-props.ts'

const PATH = '/api/v1/operator/days'
const SHOWN_DAYS = 31

type Day = Data<typeof PATH>[number]

function DayState({ day: { isClosed } }: { day: Day }) {
  return (
    <span class={`badge ${isClosed ? 'good' : ''}`}>
      {isClosed && <Icon name="lock" />}
      {isClosed ? strings.closedBadge : strings.openBadge}
    </span>
  )
}

const COLUMNS: readonly Column<Day>[] = [
  { name: strings.day, place: 'lead', show: ({ day }) => longDay(day) },
  { name: strings.state, place: 'amount', show: (day) => <DayState day={day} /> },
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
  {
    name: strings.closedAt,
    place: 'time',
    show: ({ closedAt }) => closedAt && <Time at={closedAt} />,
  },
]

export function ClosedDays({ place, session }: ViewProps) {
  const to = isDay(place.query.to) ? place.query.to : today()
  const from = addDays(to, 1 - SHOWN_DAYS)
  const loaded = useData(PATH, {}, { from, to })
  const days = loaded.data?.toSorted((one, other) => (one.day < other.day ? 1 : -1))
  const open = days?.find(({ day }) => day === place.open)
  const step = (by: number) => {
    const next = addDays(to, by)
    const query = { ...place.query, to: next < today() ? next : undefined }
    goTo(hrefOf('accounting', undefined, query), { replace: true })
  }
  return (
    <>
      <header class="report-top">
        <div class="day-steps">
          <button type="button" class="button" onClick={() => step(-SHOWN_DAYS)}>
            <Icon name="back" />
            {strings.earlier}
          </button>
          <span class="muted" aria-live="polite">
            {reconciliationStrings.range(shortDay(from), shortDay(to))}
          </span>
          <button
            type="button"
            class="button"
            disabled={to >= today()}
            onClick={() => step(SHOWN_DAYS)}
          >
            {strings.later}
            <Icon name="onward" />
          </button>
        </div>
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
      {open && (
        <Drawer
          key={open.day}
          title={strings.one}
          close={() => closeTo(hrefOf('accounting', undefined, place.query))}
        >
          <About day={open} mayClose={mayAccount(session)} changed={loaded.reload} />
        </Drawer>
      )}
    </>
  )
}

function About({ day, mayClose, changed }: { day: Day; mayClose: boolean; changed: () => void }) {
  const { closedBy, closedAt, journalHash } = day
  const nameBank = useBankNames()
  return (
    <>
      <TextHeadline text={longDay(day.day)} badge={<DayState day={day} />} />
      <Facts
        facts={[
          [strings.transfers, day.transfers !== null && count(day.transfers)],
          ...day.totals.map(({ currency, debit }): Fact => {
            return [strings.total, <Money key={currency} amount={debit} currency={currency} />]
          }),
          [strings.unbalanced, day.unbalancedBanks.map(nameBank).join(', ')],
          [strings.closedBy, closedBy && suspenseStrings.person(closedBy)],
          [strings.closedAt, closedAt && <Time at={closedAt} />],
          [strings.reason, day.reason],
          [strings.hash, journalHash && <Copyable text={journalHash} />],
        ]}
      />
      <div class="buttons after-facts">
        <Link
          class="button"
          href={hrefOf('accounting', undefined, { tab: 'journal', day: day.day })}
        >
          {strings.viewJournal}
        </Link>
        {mayClose && !day.isClosed && day.day < today() && (
          <CloseDay day={day.day} done={changed} />
        )}
      </div>
    </>
  )
}
