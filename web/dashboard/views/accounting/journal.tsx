// The journal of a day, and its export in the formats that accounting programs import.

import { useState } from 'preact/hooks'
import { ledgerStrings, accountingStrings as strings } from '../../../copy.ts'
import { type Data, withQuery } from '../../api.ts'
import { count, humanize, today } from '../../format.ts'
import { useData } from '../../loading.ts'
import { CloseDay } from '../../parts/close-day.tsx'
import { SelectField } from '../../parts/forms.tsx'
import { Icon } from '../../parts/icons.tsx'
import type { Column } from '../../parts/table.tsx'
import { mayAccount, type ViewProps } from '../../session.ts'
import {
  accountColumns,
  bankColumn,
  ClosedBadge,
  clientColumn,
  dayFrom,
  PeriodChoice,
  Report,
  ReportTable,
  sumColumn,
} from './reports.tsx'

const PATH = '/api/v1/operator/journal'

type Entry = Data<typeof PATH>['lines'][number]

const COLUMNS: readonly Column<Entry>[] = [
  ...accountColumns,
  {
    name: strings.entry,
    place: 'line',
    show: ({ reason }) => ledgerStrings.reasons[reason] ?? humanize(reason),
  },
  clientColumn(),
  bankColumn(),
  sumColumn(strings.debit, 'debit'),
  sumColumn(strings.credit, 'credit'),
]

export function Journal({ place, session }: ViewProps) {
  const day = dayFrom(place)
  const loaded = useData(PATH, {}, { day })
  return (
    <Report
      fields={<PeriodChoice label={strings.day} name="day" value={day} />}
      links={<JournalDownload day={day} />}
      loaded={loaded}
      show={(journal) => (
        <JournalEntries journal={journal} mayClose={mayAccount(session)} changed={loaded.reload} />
      )}
    />
  )
}

type JournalEntriesProps = { journal: Data<typeof PATH>; mayClose: boolean; changed: () => void }

// The lines of the day’s journal and their sums, and the button that closes the day.
function JournalEntries({ journal, mayClose, changed }: JournalEntriesProps) {
  const { day, isClosed, transfers, lines, totals } = journal
  const sums = totals.map((total) => ({ ...TOTAL, ...total }))
  return (
    <>
      <div class="report-state">
        <ClosedBadge isClosed={isClosed} />
        <span class="muted">{isClosed ? strings.isClosed : strings.isOpen}</span>
        {mayClose && !isClosed && day < today() && <CloseDay day={day} onDone={changed} />}
      </div>
      <ReportTable
        caption={strings.tabs.journal}
        columns={COLUMNS}
        rows={lines}
        totals={sums}
        emptyState={{ title: strings.noJournal, text: strings.noJournalText }}
      />
      <p class="muted small under-list">{strings.transfersOf(count(transfers))}</p>
    </>
  )
}

const TOTAL = {
  accountCode: '',
  accountName: strings.total,
  clientId: null,
  bankCode: null,
  reason: '',
}

type Layout = keyof typeof strings.layouts
type Detail = keyof typeof strings.details

// Downloads the journal in the layout and detail that the user’s accounting program needs.
function JournalDownload({ day }: { day: string }) {
  const [layout, setLayout] = useState<Layout>('manilla')
  const [detail, setDetail] = useState<Detail>('day')
  return (
    <div class="report-fields">
      <SelectField
        label={strings.layout}
        value={layout}
        options={Object.entries(strings.layouts)}
        onChange={(event) => setLayout(event.currentTarget.value as Layout)}
      />
      <SelectField
        label={strings.detail}
        value={detail}
        options={Object.entries(strings.details)}
        onChange={(event) => setDetail(event.currentTarget.value as Detail)}
      />
      <a class="button" href={withQuery(`${PATH}.csv`, { day, layout, detail })} download>
        <Icon name="download" />
        {strings.download}
      </a>
      <a class="button" href={withQuery(`${PATH}.html`, { day })} target="_blank" rel="noreferrer">
        {strings.print}
      </a>
    </div>
  )
}
