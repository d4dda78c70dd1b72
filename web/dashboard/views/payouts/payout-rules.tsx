// Operator settings for payouts: holidays, a client's limits, and bank charges.

import { useRef, useState } from 'preact/hooks'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { getData, Problem, type Schemas, send } from '../../api.ts'
import { longDay, money, today } from '../../format.ts'
import { useData, usePages } from '../../loading.ts'
import { Action, ActionForm, AtOnceButton } from '../../parts/action.tsx'
import { ClientChoice } from '../../parts/choices.tsx'
import { Drawer, factList } from '../../parts/drawer.tsx'
import { InputField, SelectField, TextAreaField, useSending } from '../../parts/forms.tsx'
import { Empty, Failed, Pending } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { toast } from '../../parts/toasts.tsx'
import { TextHeadline, Time } from '../../parts/values.tsx'
import { closeTo, hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../session.ts'
import { Withdraw } from '../settings/fees.tsx'

const { payoutRules: strings, fees } = settingsStrings

export function PayoutRules({ place }: ViewProps) {
  return (
    <>
      <Holidays />
      <ClientPayoutLimits />
      <PayoutTariffs openKey={place.open} />
    </>
  )
}

type ClientSettings = { clientId: string; settings: Schemas['PayoutSettings'] }

const PATH = '/api/v1/operator/clients/{clientId}/payout-settings'
const APPROVALS = ['none', 'above', 'all'] as const
const AMOUNTS = ['approvalAbove', 'perPayoutLimit', 'dailyLimit'] as const
const FLOORS = ['reserveFloorPercent', 'reserveFloorDays'] as const

// Lets an operator look up a client and change its payout limits.
function ClientPayoutLimits() {
  const [clientSettings, setClientSettings] = useState<ClientSettings | undefined>()
  return (
    <section class="card panel" aria-labelledby="client-limits">
      <h2 id="client-limits">{strings.clientLimits}</h2>
      <p class="muted">{strings.clientLimitsText}</p>
      <ActionForm
        action={strings.find}
        run={async (form) => {
          const clientId = form.text('clientId')
          // Removes the form of the previous client, in case the new client cannot be loaded.
          setClientSettings(undefined)
          setClientSettings({ clientId, settings: await getData(PATH, { clientId }) })
        }}
      >
        <ClientChoice label={strings.client} />
      </ActionForm>
      {clientSettings && <LimitsForm key={clientSettings.clientId} {...clientSettings} />}
    </section>
  )
}

// A blank amount means no limit. The two floors are the least reserve of the client’s settlements, in
// percent, and the least number of days for which it is held back.
function LimitsForm({ clientId, settings }: ClientSettings) {
  return (
    <ActionForm
      action={appStrings.save}
      style="primary"
      label={clientId}
      run={(form) => {
        const amounts = AMOUNTS.map((name) => [name, form.amount(name) || null])
        const payoutApproval = form.choice('payoutApproval', APPROVALS)
        const floors = FLOORS.map((name) => [name, Number(form.text(name))])
        const body = { payoutApproval, ...Object.fromEntries([...amounts, ...floors]) }
        return send('PATCH', PATH, { params: { clientId }, body })
      }}
      message={appStrings.saved}
    >
      <SelectField
        label={strings.approval}
        name="payoutApproval"
        options={APPROVALS}
        names={strings.approvals}
        chosen={settings.payoutApproval}
      />
      {AMOUNTS.map((name) => (
        <InputField
          key={name}
          label={strings[name]}
          name={name}
          inputMode="decimal"
          placeholder={strings.noLimit}
          defaultValue={settings[name]?.toString() ?? ''}
        />
      ))}
      {FLOORS.map((name) => (
        <InputField
          key={name}
          label={strings[name]}
          hint={strings.reserveFloorHint}
          name={name}
          type="number"
          required
          min={0}
          max={name === 'reserveFloorPercent' ? 100 : 365}
          step={name === 'reserveFloorPercent' ? 0.01 : 1}
          defaultValue={settings[name].toString()}
        />
      ))}
    </ActionForm>
  )
}

type Tariff = Schemas['PayoutTariff']
type Band = Schemas['PayoutTariffRequest']['bands'][number]

const TARIFFS = '/api/v1/operator/payout-tariffs'
const TAB = { tab: 'payoutRules' }

const bandsText = ({ bands }: Tariff) =>
  bands
    .map(({ upTo, fee }) => strings.band(upTo === null ? undefined : money(upTo), money(fee)))
    .join(', ')

const COLUMNS: readonly Column<Tariff>[] = [
  { name: strings.bank, place: 'lead', show: ({ bankCode }) => bankCode ?? strings.otherBanks },
  { name: strings.bands, place: 'second', show: bandsText },
  { name: fees.vat, isAmount: true, show: ({ vatBps }) => fees.percent(vatBps) },
  { name: strings.stampDuty, isAmount: true, show: ({ stampDuty }) => money(stampDuty) },
  { name: fees.from, place: 'time', show: ({ effectiveFrom: at }) => <Time at={at} /> },
]

const keyOf = ({ id }: Tariff) => `${id}`

// Bank charges for payouts: tariffs by amount, for one bank or for all others. Each applies until the
// next one takes effect.
function PayoutTariffs({ openKey }: { openKey: string | undefined }) {
  const pages = usePages(TARIFFS, {})
  const open = pages.data?.data.find((tariff) => keyOf(tariff) === openKey)
  return (
    <>
      <h2 class="section">{strings.tariffs}</h2>
      <div class="above">
        <AddTariff onDone={pages.reload} />
      </div>
      <ListTable
        caption={strings.tariffs}
        columns={COLUMNS}
        pages={pages}
        keyOf={keyOf}
        hrefOf={(tariff) => hrefOf('settings', keyOf(tariff), TAB)}
        openKey={openKey}
        empty={<Empty icon="banks" title={strings.noTariffs} text={strings.noTariffsText} />}
      />
      {open && <TariffDrawer tariff={open} changed={pages.reload} />}
    </>
  )
}

// The details of a tariff. A tariff without a bank is for all banks that have none.
function TariffDrawer({ tariff, changed }: { tariff: Tariff; changed: () => void }) {
  const { id, effectiveFrom, stampDuty, stampDutyFrom } = tariff
  const close = () => closeTo(hrefOf('settings', undefined, TAB))
  return (
    <Drawer title={strings.tariff} close={close}>
      <TextHeadline text={tariff.bankCode ?? strings.otherBanks} />
      {factList([
        [strings.bands, bandsText(tariff)],
        [fees.vat, fees.percent(tariff.vatBps)],
        [strings.stampDuty, money(stampDuty)],
        [strings.stampDutyFrom, stampDuty > 0 && money(stampDutyFrom)],
        [fees.from, <Time key="from" at={effectiveFrom} />],
      ])}
      <Withdraw
        effectiveFrom={effectiveFrom}
        title={strings.withdrawTitle}
        text={strings.withdrawText}
        run={() => send('DELETE', `${TARIFFS}/{id}`, { params: { id: `${id}` } })}
        onDone={() => {
          close()
          changed()
        }}
      />
    </Drawer>
  )
}

// Reads the bands of a tariff. A line such as “5000 10” is an upper limit and its fee; the last line is
// only the fee for all larger amounts.
function readBands(text: string): Band[] {
  const lines = text.split('\n').map((line) => line.replaceAll(/[₦,]/g, '').trim().split(/\s+/))
  const rows = lines.filter(([firstWord]) => firstWord !== '')
  const lastIndex = rows.length - 1
  const hasRightShape = rows.every(({ length }, index) => length === (index === lastIndex ? 1 : 2))
  if (rows.length === 0 || !hasRightShape) throw new Problem('bands', strings.bandsWrong)
  return rows.map(([firstWord = '', fee]) =>
    fee === undefined ? { upTo: null, fee: firstWord } : { upTo: firstWord, fee },
  )
}

// A tariff without a bank applies to all banks that have none of their own.
function AddTariff({ onDone }: { onDone: () => void }) {
  return (
    <Action
      action={strings.addTariff}
      style="primary"
      run={(form, headers) => {
        // A blank field is left out, so that the service’s default applies.
        const optional = (name: string) => {
          const amount = form.amount(name)
          return amount === '' ? {} : { [name]: amount }
        }
        const vat = form.amount('vatBps')
        const body = {
          bankCode: form.text('bankCode') || null,
          bands: readBands(form.text('bands')),
          ...(vat === '' ? {} : { vatBps: Number(vat) }),
          ...optional('stampDuty'),
          ...optional('stampDutyFrom'),
          ...optional('effectiveFrom'),
        }
        return send('POST', TARIFFS, { body, headers })
      }}
      message={appStrings.saved}
      onDone={onDone}
    >
      <InputField name="bankCode" label={strings.bank} hint={strings.bankHint} />
      <TextAreaField
        label={strings.bands}
        hint={strings.bandsHint}
        name="bands"
        rows={4}
        required
      />
      <InputField name="vatBps" label={fees.vatBps} />
      <InputField name="stampDuty" label={strings.stampDuty} />
      <InputField name="stampDutyFrom" label={strings.stampDutyFrom} />
      <InputField name="effectiveFrom" label={fees.from} hint={fees.fromHint} />
    </Action>
  )
}

const { payoutRules: holidaysStrings } = settingsStrings

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

function Holidays() {
  const currentYear = Number(today().slice(0, 4))
  const years = Array.from({ length: YEARS_AHEAD }, (_, index) => `${currentYear + index}`)
  const [year, setYear] = useState(`${currentYear}`)
  const { data, problem, reload } = useData(HOLIDAYS, {}, { year })
  return (
    <section class="card panel" aria-labelledby="holidays">
      <h2 id="holidays">{holidaysStrings.holidays}</h2>
      <p class="muted">{holidaysStrings.holidaysText}</p>
      <SelectField
        label={holidaysStrings.year}
        name="year"
        value={year}
        options={years.map((text) => [text, text])}
        onChange={(event) => setYear(event.currentTarget.value)}
      />
      <Pending {...{ data, problem, reload }} kind="text" lines={3} />
      {data?.length === 0 && <p class="muted">{holidaysStrings.noHolidays}</p>}
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
          {isExpected && <span class="badge warn">{holidaysStrings.expected}</span>}
        </p>
        <p class="muted small">{source}</p>
      </div>
      <div class="buttons">
        {isExpected && (
          <AtOnceButton
            label={holidaysStrings.confirm}
            name={holidaysStrings.confirmHoliday(name)}
            run={() => saveHoliday(date, { name, status: 'confirmed', source }).finally(reload)}
          />
        )}
        <AtOnceButton
          label={holidaysStrings.remove}
          style="quiet"
          name={holidaysStrings.removeHoliday(name)}
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
      <InputField label={holidaysStrings.date} name="date" type="date" required />
      <InputField label={holidaysStrings.holiday} name="name" required maxLength={NAME_MAX} />
      <InputField label={holidaysStrings.source} name="source" required maxLength={SOURCE_MAX} />
      <button type="submit" class="button" disabled={isBusy}>
        {holidaysStrings.addHoliday}
      </button>
      {problem && <Failed problem={problem} />}
    </form>
  )
}
