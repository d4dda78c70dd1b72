// Days on which nothing is settled, besides weekends. The API replaces the whole list, so each change is
// made to the list as it is at that moment, not as it was when the page loaded.

import { useRef } from 'preact/hooks'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { getData, problemFrom, type Schemas, send } from '../../api.ts'
import { useData } from '../../loading.ts'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
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
  const remove = async (date: string) => {
    try {
      await change((holidays) => without(holidays, date))
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
    reload()
  }
  return (
    <section class="card panel" aria-labelledby="holidays">
      <h2 id="holidays">{strings.holidays}</h2>
      <p class="muted">{strings.holidaysText}</p>
      {problem && <Failed problem={problem} retry={reload} />}
      {!problem && !data && <Skeleton kind="text" lines={3} />}
      {data?.holidays.length === 0 && <p class="muted">{strings.noHolidays}</p>}
      <ul class="attempts">
        {data?.holidays.map(({ date, name }) => (
          <li key={date}>
            <span>
              {date} · {name}
            </span>
            <button
              type="button"
              class="button quiet"
              aria-label={strings.removeHoliday(name)}
              onClick={() => remove(date)}
            >
              {strings.remove}
            </button>
          </li>
        ))}
      </ul>
      <AddHoliday done={reload} />
    </section>
  )
}

function AddHoliday({ done }: { done: () => void }) {
  const form = useRef<HTMLFormElement>(null)
  const { problem, isBusy, submit } = useSending(async (given) => {
    const added = { date: textOf(given, 'date'), name: textOf(given, 'name') }
    await change((holidays) => [...without(holidays, added.date), added])
    form.current?.reset()
    done()
  })
  return (
    <form ref={form} class="form inline-form" onSubmit={submit} aria-busy={isBusy}>
      <Field label={strings.date}>
        {(id) => <input id={id} name="date" type="date" required />}
      </Field>
      <Field label={strings.holiday}>
        {(id) => <input id={id} name="name" required maxLength={NAME_MAX} autocomplete="off" />}
      </Field>
      <button type="submit" class="button" disabled={isBusy}>
        {strings.addHoliday}
      </button>
      {problem && <Failed problem={problem} />}
    </form>
  )
}
