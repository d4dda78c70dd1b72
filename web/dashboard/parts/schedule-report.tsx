// The button and the dialog that schedule a list or report, with its filters but without its dates.

import { appStrings, reportsStrings as strings } from '../../copy.ts'
import { type Query, type Schemas, send } from '../api.ts'
import { useData } from '../loading.ts'
import { ActionDialog, OpenButton } from './action.tsx'
import { NoticeDialog } from './dialog.tsx'
import { CheckBox, InputField, SelectField } from './forms.tsx'
import { Pending } from './states.tsx'

const PATH = '/api/v1/report-schedules'
const FORMATS = ['csv', 'xlsx'] as const
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
const NAME_MAX = 100

export const hourText = (hour: number) => `${String(hour).padStart(2, '0')}:00`

type Props = { path: string; query: Query } // `path` has no extension.

export function ScheduleButton(props: Props) {
  return (
    <OpenButton label={appStrings.filters.schedule}>
      {(close) => <ScheduleDialog {...props} close={close} />}
    </OpenButton>
  )
}

// Shows the form only for exports that the service can schedule.
function ScheduleDialog({ path, query, close }: Props & { close: () => void }) {
  const { data, problem, reload } = useData(`${PATH}/choices`, {})
  const choice = data?.exports.find((available) => available.path === path)
  if (!data || !choice) {
    return (
      <NoticeDialog title={strings.title} closeLabel={appStrings.close} close={close}>
        <Pending {...{ data, problem, reload }} lines={4} />
        {data && <p>{strings.cannot}</p>}
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
      title={strings.title}
      action={strings.schedule}
      text={
        <>
          <p>{strings.text}</p>
          {words && <p>{strings.filtered(words)}</p>}
          {hasDates && <p>{strings.periodLeft}</p>}
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
      message={strings.done}
      close={close}
    >
      <InputField
        label={strings.name}
        errorField="name"
        name="name"
        required
        maxLength={NAME_MAX}
        defaultValue={document.querySelector('h1')?.textContent ?? ''}
      />
      <SelectField
        label={strings.frequency}
        errorField="frequency"
        name="frequency"
        options={frequencies}
        names={strings.frequencies}
      />
      <SelectField
        label={strings.hour}
        errorField="hour"
        name="hour"
        options={HOURS.map((hour) => [String(hour), hourText(hour)] as const)}
        chosen="7"
      />
      <SelectField
        label={strings.format}
        errorField="format"
        name="format"
        options={FORMATS}
        names={strings.formats}
      />
      <Recipients emails={recipients} />
    </ActionDialog>
  )
}

// The first email address is the user's own, which is preselected.
function Recipients({ emails }: { emails: readonly string[] }) {
  return (
    <fieldset class="choices">
      <legend>{strings.recipients}</legend>
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
