// Days without settlement, besides weekends. The API replaces the whole list, so each change first reads
// the current list.

import { useRef } from 'preact/hooks'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { getData, type Schemas, send } from '../../api.ts'
import { useData } from '../../loading.ts'
import { AtOnceButton } from '../../parts/action.tsx'
import { InputField, useSending } from '../../parts/forms.tsx'
import { Failed, Pending } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'

type Holiday = Schemas['SettlementHoliday']

const { payoutRules: strings } = settingsStrings
const PATH = '/api/v1/operator/settlement-holidays'
const NAME_MAX = 100

async function change(turn: (holidays: readonly Holiday[]) => Holiday[]): Promise<void> {
  const { holidays } = await getData(PATH, {})
  await send('PUT', PATH, { body: { holidays: turn(holidays) } })
  toast(appStrings.saved)
}

const without = (holidays: readonly Holiday[], date: string) =>
  holidays.filter((holiday) => holiday.date !== date)

export function Holidays() {
  const { data, problem, reload } = useData(PATH, {})
  const remove = (date: string) => change((holidays) => without(holidays, date)).finally(reload)
  return (
    <section class="card panel" aria-labelledby="holidays">
      <h2 id="holidays">{strings.holidays}</h2>
      <p class="muted">{strings.holidaysText}</p>
      <Pending {...{ data, problem, reload }} kind="text" lines={3} />
      {data?.holidays.length === 0 && <p class="muted">{strings.noHolidays}</p>}
      <ul class="attempts">
        {data?.holidays.map(({ date, name }) => (
          <li key={date}>
            <span>
              {date} · {name}
            </span>
            <AtOnceButton
              label={strings.remove}
              style="quiet"
              name={strings.removeHoliday(name)}
              run={() => remove(date)}
            />
          </li>
        ))}
      </ul>
      <AddHoliday done={reload} />
    </section>
  )
}

function AddHoliday({ done }: { done: () => void }) {
  const element = useRef<HTMLFormElement>(null)
  const { problem, isBusy, submit } = useSending(async (form) => {
    const added = { date: form.text('date'), name: form.text('name') }
    await change((holidays) => [...without(holidays, added.date), added])
    element.current?.reset()
    done()
  })
  return (
    <form ref={element} class="form inline-form" onSubmit={submit} aria-busy={isBusy}>
      <InputField label={strings.date} name="date" type="date" required />
      <InputField label={strings.holiday} name="name" required maxLength={NAME_MAX} />
      <button type="submit" class="button" disabled={isBusy}>
        {strings.addHoliday}
      </button>
      {problem && <Failed problem={problem} />}
    </form>
  )
}
