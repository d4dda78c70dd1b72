// When settlements close, from which amount on, and what is held back.

import { useState } from 'preact/hooks'
import { appStrings, settlementsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { useData } from '../../loading.ts'
import { Facts } from '../../parts/drawer.tsx'
import { choiceOf, Field, textOf, useSending } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Time } from '../../parts/values.tsx'
import type { ViewProps } from '../../view-props.ts'
import { ApprovalSettings } from './approval.tsx'

type Settings = Schemas['SettlementSettings']
type Frequency = keyof typeof strings.frequencies

const { settings: strings } = settlementsStrings
const PATH = '/api/v1/settlement-settings'
const FREQUENCIES = Object.keys(strings.frequencies) as Frequency[]
const WEEKDAYS = Object.keys(strings.weekdays)
const DEFAULT_TIME = '09:00'

export function SettlementSettings({ session }: ViewProps) {
  const { data, problem, reload } = useData(PATH, {})
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="page" lines={8} />
  const mayWrite = session.scopes.includes('payouts:write')
  return (
    <>
      <section class="card panel" aria-labelledby="schedule">
        <h2 id="schedule">{strings.schedule}</h2>
        <p class="muted">{strings.scheduleText}</p>
        {mayWrite ? (
          <SettingsForm key={JSON.stringify(data)} settings={data} changed={reload} />
        ) : (
          <Shown settings={data} />
        )}
      </section>
      <ApprovalSettings mayWrite={mayWrite} />
    </>
  )
}

// daily@09:00, weekly@Mon@09:00
function readSchedule(schedule: string) {
  const [frequency, ...rest] = schedule.split('@')
  return {
    frequency: FREQUENCIES.find((each) => each === frequency) ?? 'manual',
    weekday: rest.length > 1 ? (rest[0] ?? 'Mon') : 'Mon',
    time: rest.at(-1) ?? DEFAULT_TIME,
  }
}

function Shown({ settings }: { settings: Settings }) {
  const { minimumAmount, reservePercent, reserveDays, nextCloseAt } = settings
  const { frequency, weekday, time } = readSchedule(settings.schedule)
  const when = [
    strings.short[frequency],
    frequency === 'weekly' && strings.weekdays[weekday],
    frequency !== 'manual' && time,
  ]
  return (
    <Facts
      facts={[
        [strings.schedule, when.filter(Boolean).join(', ')],
        [strings.next, nextCloseAt && <Time at={nextCloseAt} />],
        [strings.minimum, minimumAmount > 0 ? money(minimumAmount) : strings.noMinimum],
        [
          settlementsStrings.amounts.reserved,
          reserveDays > 0 ? strings.reserved(reservePercent, reserveDays) : strings.noReserve,
        ],
      ]}
    />
  )
}

function scheduleOf(given: FormData): string {
  const frequency = choiceOf(given, 'frequency', FREQUENCIES)
  if (frequency === 'manual') return frequency
  const time = textOf(given, 'time')
  return frequency === 'weekly'
    ? `weekly@${textOf(given, 'weekday')}@${time}`
    : `${frequency}@${time}`
}

function SettingsForm({ settings, changed }: { settings: Settings; changed: () => void }) {
  const sending = useSending(async (given) => {
    const number = (name: string) => Number(textOf(given, name) || '0')
    const body = {
      schedule: scheduleOf(given),
      minimumAmount: textOf(given, 'minimumAmount').replaceAll(',', '') || 0,
      reservePercent: number('reservePercent'),
      reserveDays: number('reserveDays'),
    }
    await send('PUT', PATH, { body })
    toast(appStrings.saved)
    changed()
  })
  const { problem, isBusy, submit } = sending
  const amount = (value: number) => (value === 0 ? '' : value.toString())
  return (
    <form class="form after-facts" onSubmit={submit} aria-busy={isBusy}>
      <ScheduleFields schedule={settings.schedule} />
      <Field label={strings.minimum} hint={strings.minimumHint}>
        {(id) => (
          <input
            id={id}
            name="minimumAmount"
            inputMode="decimal"
            autocomplete="off"
            placeholder={strings.noMinimum}
            defaultValue={amount(settings.minimumAmount)}
          />
        )}
      </Field>
      <Field label={strings.reserve} hint={strings.reserveHint}>
        {(id) => (
          <input
            id={id}
            name="reservePercent"
            inputMode="decimal"
            autocomplete="off"
            placeholder={strings.noReserve}
            defaultValue={amount(settings.reservePercent)}
          />
        )}
      </Field>
      <Field label={strings.days}>
        {(id) => (
          <input
            id={id}
            name="reserveDays"
            inputMode="numeric"
            autocomplete="off"
            placeholder={strings.noReserve}
            defaultValue={amount(settings.reserveDays)}
          />
        )}
      </Field>
      {settings.nextCloseAt && (
        <p class="muted">
          {strings.next}: <Time at={settings.nextCloseAt} />
        </p>
      )}
      {problem && <Failed problem={problem} />}
      <div class="form-end start">
        <button type="submit" class="button primary" disabled={isBusy}>
          {appStrings.save}
        </button>
      </div>
    </form>
  )
}

function ScheduleFields({ schedule }: { schedule: string }) {
  const set = readSchedule(schedule)
  const [frequency, setFrequency] = useState(set.frequency)
  return (
    <>
      <Field label={strings.frequency}>
        {(id) => (
          <select
            id={id}
            name="frequency"
            value={frequency}
            onChange={(event) => setFrequency(event.currentTarget.value as Frequency)}
          >
            {FREQUENCIES.map((each) => (
              <option key={each} value={each}>
                {strings.frequencies[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {frequency === 'weekly' && (
        <Field label={strings.weekday}>
          {(id) => (
            <select id={id} name="weekday">
              {WEEKDAYS.map((each) => (
                <option key={each} value={each} selected={each === set.weekday}>
                  {strings.weekdays[each]}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      {frequency !== 'manual' && (
        <Field label={strings.time}>
          {(id) => <input id={id} name="time" type="time" required defaultValue={set.time} />}
        </Field>
      )}
    </>
  )
}
