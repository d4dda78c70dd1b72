// Scheduled reports: the list of the user’s own, where an owner sees those of all users of the client, and
// the page that the link of a report opens: its period and its file to download.

import { appStrings, reportsStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { useData, usePages } from '../../loading.ts'
import { Action } from '../../parts/action.tsx'
import { Link } from '../../parts/controls.tsx'
import { Drawer, factList } from '../../parts/drawer.tsx'
import { hourText } from '../../parts/exports.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Empty, Pending } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { TextHeadline, Time } from '../../parts/values.tsx'
import { closeTo, hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../session.ts'

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

function ScheduleDrawer(props: { schedule: Schedule; close: () => void; changed: () => void }) {
  const { schedule, close, changed } = props
  const { reference, name, format, filters, recipients, lastRunAt } = schedule
  const filterText = Object.values(filters).join(', ')
  return (
    <Drawer title={strings.one} close={close}>
      <TextHeadline text={name} />
      {factList([
        [strings.frequency, timingText(schedule)],
        [strings.format, strings.formats[format]],
        [strings.filters, filterText || strings.all],
        [strings.recipients, recipients.join(', ')],
        [strings.next, <Time key="next" at={schedule.nextDueAt} />],
        [strings.last, lastRunAt ? <Time key="last" at={lastRunAt} /> : strings.never],
        [strings.by, schedule.createdBy],
      ])}
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

export default function Reports(props: ViewProps) {
  const { open } = props.place
  return open === undefined ? <Schedules {...props} /> : <Report reference={open} />
}

function Report({ reference }: { reference: string }) {
  const { data, problem, reload } = useData('/api/v1/reports/{reference}', { reference })
  return (
    <section class="card panel">
      <Pending {...{ data, problem, reload }} kind="page" lines={5} />
      {data && <ReportFile report={data} />}
      <p>
        <Link href={hrefOf('settings', undefined, { tab: 'reports' })}>{strings.back}</Link>
      </p>
    </section>
  )
}

// Returns the day before `to`, because `to` is exclusive.
function lastDay(to: string): string {
  return new Date(Date.parse(`${to}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)
}

function ReportFile({ report }: { report: Schemas['Report'] }) {
  const { name, from, to, format, path } = report
  const last = lastDay(to)
  return (
    <>
      <h2>{name}</h2>
      {factList([
        [strings.period, from === last ? from : `${from} – ${last}`],
        [strings.made, <Time key="made" at={report.createdAt} />],
        [strings.expires, <Time key="expires" at={report.expiresAt} />],
      ])}
      <div class="buttons">
        <a class="button primary" href={path} download>
          <Icon name="download" />
          {strings.download(strings.formats[format])}
        </a>
      </div>
    </>
  )
}
