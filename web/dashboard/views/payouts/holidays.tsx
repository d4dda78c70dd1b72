// The calendar of bank holidays, one year at a time. An expected holiday can be confirmed once it is
// announced.

import { useRef, useState } from 'preact/hooks'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { longDay, today } from '../../days.ts'
import { useData } from '../../loading.ts'
import { AtOnceButton } from '../../parts/action.tsx'
import { InputField, SelectField, useSending } from '../../parts/forms.tsx'
import { Failed, Pending } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'

const { payoutRules: strings } = settingsStrings

type Holiday = Schemas['Holiday']

const HOLIDAYS = '/api/v1/operator/holidays'
const ONE = `${HOLIDAYS}/{date}` as const
const YEARS_AHEAD = 3
const NAME_MAX = 100
const SOURCE_MAX = 300

// Adds the holiday of this date, or replaces it.
async function saveHoliday(date: string, body: Schemas['HolidayRequest']): Promise<void> {
  await send('PUT', ONE, { params: { date }, body })
  toast(appStrings.saved)
}

export function Holidays() {
  const currentYear = Number(today().slice(0, 4))
  const years = Array.from({ length: YEARS_AHEAD }, (_, index) => `${currentYear + index}`)
  const [year, setYear] = useState(`${currentYear}`)
  const { data, problem, reload } = useData(HOLIDAYS, {}, { year })
  return (
    <section class="card panel" aria-labelledby="holidays">
      <h2 id="holidays">{strings.holidays}</h2>
      <p class="muted">{strings.holidaysText}</p>
      <SelectField
        label={strings.year}
        name="year"
        value={year}
        options={years.map((text) => [text, text])}
        onChange={(event) => setYear(event.currentTarget.value)}
      />
      <Pending {...{ data, problem, reload }} kind="text" lines={3} />
      {data?.length === 0 && <p class="muted">{strings.noHolidays}</p>}
      <ul class="attempts">
        {data?.map((holiday) => (
          <HolidayItem key={holiday.date} {...{ holiday, reload }} />
        ))}
      </ul>
      <AddHoliday
        onDone={(date) => {
          setYear(date.slice(0, 4))
          reload()
        }}
      />
    </section>
  )
}

// A public holiday. Its date is only expected until an operator confirms it.
function HolidayItem({ holiday, reload }: { holiday: Holiday; reload: () => void }) {
  const { date, name, status, source } = holiday
  const isExpected = status === 'expected'
  return (
    <li>
      <div class="session">
        <p>
          {longDay(date)} · {name}{' '}
          {isExpected && <span class="badge warn">{strings.expected}</span>}
        </p>
        <p class="muted small">{source}</p>
      </div>
      <div class="buttons">
        {isExpected && (
          <AtOnceButton
            label={strings.confirm}
            name={strings.confirmHoliday(name)}
            run={() => saveHoliday(date, { name, status: 'confirmed', source }).finally(reload)}
          />
        )}
        <AtOnceButton
          label={strings.remove}
          style="quiet"
          name={strings.removeHoliday(name)}
          run={() =>
            send('DELETE', ONE, { params: { date } })
              .then(() => toast(appStrings.saved))
              .finally(reload)
          }
        />
      </div>
    </li>
  )
}

// A holiday that an operator enters is confirmed from the start.
function AddHoliday({ onDone }: { onDone: (date: string) => void }) {
  const element = useRef<HTMLFormElement>(null)
  const { problem, isBusy, submit } = useSending(async (form) => {
    const date = form.text('date')
    const [name, source] = [form.text('name'), form.text('source')]
    await saveHoliday(date, { name, source, status: 'confirmed' })
    element.current?.reset()
    onDone(date)
  })
  return (
    <form ref={element} class="form inline-form" onSubmit={submit} aria-busy={isBusy}>
      <InputField label={strings.date} name="date" type="date" required />
      <InputField label={strings.holiday} name="name" required maxLength={NAME_MAX} />
      <InputField label={strings.source} name="source" required maxLength={SOURCE_MAX} />
      <button type="submit" class="button" disabled={isBusy}>
        {strings.addHoliday}
      </button>
      {problem && <Failed problem={problem} />}
    </form>
  )
}
