// The scheduled reports of the user; an owner sees those of all users of the client.

import { appStrings, reportsStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { usePages } from '../../loading.ts'
import { Action } from '../../parts/action.tsx'
import { Drawer, Facts } from '../../parts/drawer.tsx'
import { hourText } from '../../parts/schedule-report.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { TextHeadline, Time } from '../../parts/values.tsx'
import { closeTo, hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../view-props.ts'

type Schedule = Schemas['ReportSchedule']

const PATH = '/api/v1/report-schedules'
const TAB = { tab: 'reports' }

const timingText = ({ frequency, hour }: Schedule) =>
  strings.when(strings.short[frequency], hourText(hour))

const COLUMNS: readonly Column<Schedule>[] = [
  { name: strings.name, place: 'lead', show: ({ name }) => name },
  { name: strings.frequency, place: 'second', show: timingText },
  { name: strings.recipients, show: ({ recipients }) => recipients.length },
  { name: strings.next, place: 'time', show: ({ nextDueAt }) => <Time at={nextDueAt} /> },
]

// The exports that the service mails at intervals.
export function Schedules({ place }: ViewProps) {
  const pages = usePages(PATH, {})
  const close = () => closeTo(hrefOf('settings', undefined, TAB))
  const open = pages.data?.data.find(({ reference }) => reference === place.open)
  return (
    <>
      <ListTable
        caption={strings.parts}
        columns={COLUMNS}
        pages={pages}
        keyOf={({ reference }) => reference}
        hrefOf={({ reference }) => hrefOf('settings', reference, TAB)}
        openKey={place.open}
        empty={<Empty icon="download" title={strings.none} text={strings.noneText} />}
      />
      {open && <ScheduleDrawer schedule={open} close={close} changed={pages.reload} />}
    </>
  )
}

type Props = { schedule: Schedule; close: () => void; changed: () => void }

function ScheduleDrawer({ schedule, close, changed }: Props) {
  const { reference, name, format, filters, recipients, lastRunAt } = schedule
  const filterText = Object.values(filters).join(', ')
  return (
    <Drawer title={strings.one} close={close}>
      <TextHeadline text={name} />
      <Facts
        facts={[
          [strings.frequency, timingText(schedule)],
          [strings.format, strings.formats[format]],
          [strings.filters, filterText || strings.all],
          [strings.recipients, recipients.join(', ')],
          [strings.next, <Time key="next" at={schedule.nextDueAt} />],
          [strings.last, lastRunAt ? <Time key="last" at={lastRunAt} /> : strings.never],
          [strings.by, schedule.createdBy],
        ]}
      />
      <div class="buttons">
        <Action
          title={strings.deleteTitle}
          action={strings.delete}
          cancelLabel={appStrings.cancel}
          isDangerous
          text={strings.deleteText}
          run={() => send('DELETE', `${PATH}/{reference}`, { params: { reference } })}
          message={strings.deleted}
          onDone={() => {
            close()
            changed()
          }}
        />
      </div>
    </Drawer>
  )
}
