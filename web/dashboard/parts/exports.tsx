// Exports: links to a list or report as a file, the statement of an account, the file of the selected rows,
// and the button that schedules a report.

import { useState } from 'preact/hooks'
import { cellText, csvLine, headerLine, plainTime } from '../../../src/csv.ts'
import {
  appStrings,
  bulkStrings,
  reportsStrings,
  statementsStrings as strings,
} from '../../copy.ts'
import { csvLink, type Query, type Schemas, send, withQuery } from '../api.ts'
import { dayAfter } from '../format.ts'
import { useData } from '../loading.ts'
import { ActionDialog, OpenButton } from './action.tsx'
import { Button } from './controls.tsx'
import { NoticeDialog } from './dialog.tsx'
import { CheckBox, InputField, SelectField } from './forms.tsx'
import { Icon } from './icons.tsx'
import { Pending } from './states.tsx'
import type { Column } from './table.tsx'

type Props = {
  path: string // Without an extension.
  query?: Query
  columns?: readonly string[] | undefined // The columns of the file. Defaults to all.
  isOfOne?: boolean // A report on a single object cannot be scheduled.
}

// The CSV and XLSX downloads of a list with its current filters and visible columns. With `isOfOne` they are
// a report on a single object, which cannot be scheduled.
export function ExportLinks({ path, query = {}, columns, isOfOne = false }: Props) {
  const exportQuery = { ...query, columns: columns?.join(',') }
  return (
    <>
      <a class="button" href={csvLink(`${path}.csv`, exportQuery)} download>
        <Icon name="download" />
        {appStrings.filters.csv}
      </a>
      <a class="button" href={withQuery(`${path}.xlsx`, exportQuery)} download>
        <Icon name="download" />
        {appStrings.filters.xlsx}
      </a>
      {!isOfOne && <ScheduleButton path={path} query={query} />}
    </>
  )
}

// Links to exports with all columns. The other links export only the visible columns of the list.
export function AllColumnsLinks({ path, query = {} }: Pick<Props, 'path' | 'query'>) {
  const { all, csv, csvShort, xlsx } = appStrings.columns
  return (
    <p class="muted">
      {all}{' '}
      <a href={csvLink(`${path}.csv`, query)} aria-label={csv} download>
        {csvShort}
      </a>{' '}
      <a href={withQuery(`${path}.xlsx`, query)} aria-label={xlsx} download>
        {appStrings.filters.xlsx}
      </a>
    </p>
  )
}

export type Days = { from: string; to: string } // `to` is exclusive, as in a query.

// Links to the statement of the chosen days, or of all time. `path` has no extension. The caller’s `choose`
// gets the chosen days as the API takes them: `to` is exclusive there, so it is the next day.
export function StatementLinks({ path, choose }: { path: string; choose?: (days: Days) => void }) {
  const [days, setDays] = useState({ from: '', to: '' })
  const queryOf = ({ from, to }: Days): Days => ({ from, to: to && dayAfter(to) })
  const query = queryOf(days)
  const day = (name: 'from' | 'to') => (
    <InputField
      label={strings[name]}
      type="date"
      value={days[name]}
      onInput={(event) => {
        const newDays = { ...days, [name]: event.currentTarget.value }
        setDays(newDays)
        choose?.(queryOf(newDays))
      }}
    />
  )
  return (
    <section class="statement" aria-label={strings.title}>
      <h3>{strings.title}</h3>
      <div class="statement-days">
        {day('from')}
        {day('to')}
      </div>
      <div class="buttons">
        <ExportLinks {...{ path, query }} isOfOne />
        <a class="button" href={withQuery(`${path}.html`, query)} target="_blank" rel="noreferrer">
          {strings.print}
        </a>
      </div>
    </section>
  )
}

type ExportSelectedProps<Row> = {
  name: string // The name of the file, without its extension.
  rows: readonly Row[]
  fields: readonly string[]
  columns: readonly Column<Row>[]
  cells?: (row: Row) => Record<string, string> // Cells of export columns that are not fields of the row.
}

// The button that saves the selected rows. The browser makes the file itself, without a request.
export function ExportSelected<Row>(props: ExportSelectedProps<Row>) {
  // Presses a link to the file that is never on the page.
  const downloadCsv = () => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([csvText(props)], { type: 'text/csv' }))
    link.download = `${props.name}-selected.csv`
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <Button onClick={downloadCsv}>
      <Icon name="download" />
      {bulkStrings.export}
    </Button>
  )
}

// A whole timestamp, so that no text that only begins with one is shortened.
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/

// Writes the file with the functions of the service's exports. `cells` gives the values of columns that are
// not fields of the row.
function csvText<Row>(props: ExportSelectedProps<Row>): string {
  const { rows, fields, columns, cells = () => ({}) } = props
  const amountFields = columns.flatMap(({ isAmount, fields: exported = [] }) =>
    isAmount ? exported : [],
  )
  // Writes one row. A value in `cells` replaces the field of the same name.
  const lineOf = (row: Row) => {
    const values: Record<string, unknown> = { ...(row as object), ...cells(row) }
    return csvLine(fields.map((field) => formatCell(values[field], amountFields.includes(field))))
  }
  return headerLine(fields, true) + rows.map(lineOf).join('')
}

// `isAmount` writes two decimals. Values that are no text, number or boolean give an empty cell.
function formatCell(value: unknown, isAmount: boolean): string {
  if (typeof value === 'number') return isAmount ? value.toFixed(2) : `${value}`
  if (typeof value === 'boolean') return `${value}`
  if (typeof value !== 'string') return ''
  return cellText(TIME.test(value) ? plainTime(value) : value, true) // `true`: digits stay text.
}

const PATH = '/api/v1/report-schedules'
const FORMATS = ['csv', 'xlsx'] as const
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
const NAME_MAX = 100

export const hourText = (hour: number) => `${String(hour).padStart(2, '0')}:00`

type ScheduleReportProps = { path: string; query: Query } // `path` has no extension.

function ScheduleButton(props: ScheduleReportProps) {
  return (
    <OpenButton label={appStrings.filters.schedule}>
      {(close) => <ScheduleDialog {...props} close={close} />}
    </OpenButton>
  )
}

// Shows the form only for exports that the service can schedule.
function ScheduleDialog({ path, query, close }: ScheduleReportProps & { close: () => void }) {
  const { data, problem, reload } = useData(`${PATH}/choices`, {})
  const choice = data?.exports.find((available) => available.path === path)
  if (!data || !choice) {
    return (
      <NoticeDialog title={reportsStrings.title} closeLabel={appStrings.close} close={close}>
        <Pending {...{ data, problem, reload }} lines={4} />
        {data && <p>{reportsStrings.cannot}</p>}
      </NoticeDialog>
    )
  }
  return <ScheduleForm {...{ query, choice, close }} recipients={data.recipients} />
}

type FormProps = {
  query: Query
  choice: Schemas['ReportExport']
  recipients: readonly string[]
  close: () => void
}

function ScheduleForm({ query, choice, recipients, close }: FormProps) {
  const { operation, frequencies } = choice
  const filters = Object.fromEntries(
    Object.entries(query).filter(([name, value]) => value && choice.filters.includes(name)),
  ) as Record<string, string>
  const words = Object.values(filters).join(', ')
  const hasDates = Boolean(query.from || query.to)
  return (
    <ActionDialog
      title={reportsStrings.title}
      action={reportsStrings.schedule}
      text={
        <>
          <p>{reportsStrings.text}</p>
          {words && <p>{reportsStrings.filtered(words)}</p>}
          {hasDates && <p>{reportsStrings.periodLeft}</p>}
        </>
      }
      run={(form, headers) => {
        const body = {
          ...{ name: form.text('name'), operation, filters },
          frequency: form.choice('frequency', frequencies),
          hour: Number(form.get('hour')),
          format: form.choice('format', FORMATS),
          recipients: form.getAll('recipients').map(String),
        }
        return send('POST', PATH, { body, headers })
      }}
      message={reportsStrings.done}
      close={close}
    >
      <InputField
        label={reportsStrings.name}
        name="name"
        required
        maxLength={NAME_MAX}
        defaultValue={document.querySelector('h1')?.textContent ?? ''}
      />
      <SelectField
        label={reportsStrings.frequency}
        name="frequency"
        options={frequencies}
        names={reportsStrings.frequencies}
      />
      <SelectField
        label={reportsStrings.hour}
        name="hour"
        options={HOURS.map((hour) => [String(hour), hourText(hour)] as const)}
        chosen="7"
      />
      <SelectField
        label={reportsStrings.format}
        name="format"
        options={FORMATS}
        names={reportsStrings.formats}
      />
      <Recipients emails={recipients} />
    </ActionDialog>
  )
}

// The first email address is the user's own, which is preselected.
function Recipients({ emails }: { emails: readonly string[] }) {
  return (
    <fieldset class="choices">
      <legend>{reportsStrings.recipients}</legend>
      {emails.map((email, index) => (
        <CheckBox
          key={email}
          name="recipients"
          value={email}
          defaultChecked={index === 0}
          label={email}
        />
      ))}
    </fieldset>
  )
}
