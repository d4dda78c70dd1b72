// The schedule, minimum amount and reserve of settlements, and the approval rules.

import { useState } from 'preact/hooks'
import { appStrings, settlementsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { useData } from '../../loading.ts'
import { ActionForm } from '../../parts/action.tsx'
import { factList } from '../../parts/drawer.tsx'
import { type Form, InputField, SelectField } from '../../parts/forms.tsx'
import { Pending } from '../../parts/states.tsx'
import { Time } from '../../parts/values.tsx'
import type { ViewProps } from '../../session.ts'

type Settings = Schemas['SettlementSettings']
type Frequency = keyof typeof strings.frequencies

const { settings: strings } = settlementsStrings
const PATH = '/api/v1/settlement-settings'
const FREQUENCIES = Object.keys(strings.frequencies) as Frequency[]
const WEEKDAYS = Object.keys(strings.weekdays)
const DEFAULT_TIME = '09:00'

export function SettlementSettings({ session }: ViewProps) {
  const { data, problem, reload } = useData(PATH, {})
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="page" lines={8} />
  const mayWrite = session.scopes.includes('payouts:write')
  return (
    <>
      <section class="card panel" aria-labelledby="schedule">
        <h2 id="schedule">{strings.schedule}</h2>
        <p class="muted">{strings.scheduleText}</p>
        {mayWrite ? (
          <SettingsForm key={JSON.stringify(data)} settings={data} changed={reload} />
        ) : (
          <SettingsFacts settings={data} />
        )}
      </section>
      <ApprovalSettings mayWrite={mayWrite} />
    </>
  )
}

// Splits a schedule such as daily@09:00 or weekly@Mon@09:00.
function readSchedule(schedule: string) {
  const [frequency, ...details] = schedule.split('@')
  return {
    frequency: FREQUENCIES.find((name) => name === frequency) ?? 'manual',
    weekday: details.length > 1 ? (details[0] ?? 'Mon') : 'Mon',
    time: details.at(-1) ?? DEFAULT_TIME,
  }
}

// The settings for users who may not change them.
function SettingsFacts({ settings }: { settings: Settings }) {
  const { minimumAmount, reservePercent, reserveDays, nextCloseAt } = settings
  const { frequency, weekday, time } = readSchedule(settings.schedule)
  const when = [
    strings.short[frequency],
    frequency === 'weekly' && strings.weekdays[weekday],
    frequency !== 'manual' && time,
  ]
  return factList([
    [strings.schedule, when.filter(Boolean).join(', ')],
    [strings.next, nextCloseAt && <Time at={nextCloseAt} />],
    [strings.minimum, minimumAmount > 0 ? money(minimumAmount) : strings.noMinimum],
    [
      settlementsStrings.amounts.reserved,
      reserveDays > 0 ? strings.reserved(reservePercent, reserveDays) : strings.noReserve,
    ],
  ])
}

// Joins the fields to a schedule such as daily@09:00 or weekly@Mon@09:00.
function writeSchedule(form: Form): string {
  const frequency = form.choice('frequency', FREQUENCIES)
  if (frequency === 'manual') return frequency
  const time = form.text('time')
  return frequency === 'weekly' ? `weekly@${form.text('weekday')}@${time}` : `${frequency}@${time}`
}

// The form of the schedule, the minimum and the reserve. A blank field counts as 0.
function SettingsForm({ settings, changed }: { settings: Settings; changed: () => void }) {
  const amount = (value: number) => (value === 0 ? '' : value.toString())
  return (
    <ActionForm
      action={appStrings.save}
      style="primary"
      class="after-facts"
      run={(form) => {
        const number = (name: string) => Number(form.text(name) || '0')
        const body = {
          schedule: writeSchedule(form),
          minimumAmount: form.amount('minimumAmount') || 0,
          reservePercent: number('reservePercent'),
          reserveDays: number('reserveDays'),
        }
        return send('PUT', PATH, { body })
      }}
      message={appStrings.saved}
      onDone={changed}
    >
      <ScheduleFields schedule={settings.schedule} />
      <InputField
        label={strings.minimum}
        hint={strings.minimumHint}
        name="minimumAmount"
        inputMode="decimal"
        placeholder={strings.noMinimum}
        defaultValue={amount(settings.minimumAmount)}
      />
      <InputField
        label={strings.reserve}
        hint={strings.reserveHint}
        name="reservePercent"
        inputMode="decimal"
        placeholder={strings.noReserve}
        defaultValue={amount(settings.reservePercent)}
      />
      <InputField
        label={strings.days}
        name="reserveDays"
        inputMode="numeric"
        placeholder={strings.noReserve}
        defaultValue={amount(settings.reserveDays)}
      />
      {settings.nextCloseAt && (
        <p class="muted">
          {strings.next}: <Time at={settings.nextCloseAt} />
        </p>
      )}
    </ActionForm>
  )
}

// Shows the weekday and the time only for schedules that have them.
function ScheduleFields({ schedule }: { schedule: string }) {
  const current = readSchedule(schedule)
  const [frequency, setFrequency] = useState(current.frequency)
  return (
    <>
      <SelectField
        label={strings.frequency}
        name="frequency"
        value={frequency}
        onChange={(event) => setFrequency(event.currentTarget.value as Frequency)}
        options={FREQUENCIES}
        names={strings.frequencies}
      />
      {frequency === 'weekly' && (
        <SelectField
          label={strings.weekday}
          name="weekday"
          options={WEEKDAYS}
          names={strings.weekdays}
          chosen={current.weekday}
        />
      )}
      {frequency !== 'manual' && (
        <InputField
          label={strings.time}
          name="time"
          type="time"
          required
          defaultValue={current.time}
        />
      )}
    </>
  )
}

type PayoutSettings = Schemas['PayoutSettings']

const { approval: approvalWords } = settlementsStrings
const APPROVAL = '/api/v1/payout-settings'
const RULES = ['none', 'above', 'all'] as const
type Rule = (typeof RULES)[number]

// The approval rules for payouts and settlements, and the operator's limits. A client can make its rules
// stricter; only the operator can loosen them.
export function ApprovalSettings({ mayWrite }: { mayWrite: boolean }) {
  const { data, problem, reload } = useData(APPROVAL, {})
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="line" />
  const mayChange = mayWrite && data.payoutApproval !== 'all'
  return (
    <section class="card panel" aria-labelledby="approval">
      <h2 id="approval">{approvalWords.title}</h2>
      <p class="muted">{approvalWords.text}</p>
      {factList([
        [approvalWords.needed, ruleText(data)],
        [approvalWords.perPayout, limitText(data.perPayoutLimit)],
        [approvalWords.daily, limitText(data.dailyLimit)],
      ])}
      {mayChange && <ApprovalForm key={JSON.stringify(data)} settings={data} changed={reload} />}
    </section>
  )
}

const limitText = (amount: number | null) =>
  amount === null ? approvalWords.noLimit : money(amount)

// The payouts that need an approval, in words.
function ruleText({ payoutApproval, approvalAbove }: PayoutSettings): string {
  if (payoutApproval === 'above') return approvalWords.above(money(approvalAbove ?? 0))
  return approvalWords.rules[payoutApproval as Rule]
}

// Offers only the current rule and stricter ones. RULES has the strictest rule last.
function ApprovalForm({ settings, changed }: { settings: PayoutSettings; changed: () => void }) {
  const current = RULES.find((rule) => rule === settings.payoutApproval) ?? 'none'
  const [rule, setRule] = useState<Rule>(current)
  return (
    <ActionForm
      action={approvalWords.save}
      style="primary"
      class="after-facts"
      run={(form) => {
        const payoutApproval = form.choice('rule', RULES)
        const approvalAbove = form.amount('approvalAbove')
        const body = { payoutApproval, ...(payoutApproval === 'above' ? { approvalAbove } : {}) }
        return send('PUT', APPROVAL, { body })
      }}
      message={appStrings.saved}
      onDone={changed}
    >
      <SelectField
        label={approvalWords.needed}
        hint={approvalWords.hint}
        name="rule"
        value={rule}
        onChange={(event) => setRule(event.currentTarget.value as Rule)}
        options={RULES.slice(RULES.indexOf(current))}
        names={approvalWords.rules}
      />
      {rule === 'above' && (
        <InputField
          label={approvalWords.amount}
          name="approvalAbove"
          required
          inputMode="decimal"
          defaultValue={settings.approvalAbove?.toString() ?? ''}
        />
      )}
    </ActionForm>
  )
}
