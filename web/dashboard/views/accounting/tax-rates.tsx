// The rates of VAT, stamp duty and withholding tax, by effective date. A new rate takes effect tomorrow or
// later, so that the rates of past days never change.

import { appStrings, accountingStrings as strings, suspenseStrings } from '../../../copy.ts'
import { type Row, send } from '../../api.ts'
import { addDays, longDay, money, today } from '../../format.ts'
import { Action } from '../../parts/action.tsx'
import { Drawer, factList } from '../../parts/drawer.tsx'
import type { Filter } from '../../parts/filters.tsx'
import { AMOUNT, type Form, type Headers, InputField, SelectField } from '../../parts/forms.tsx'
import { ListView } from '../../parts/list-view.tsx'
import type { Column } from '../../parts/table.tsx'
import { TextHeadline, Time } from '../../parts/values.tsx'
import { mayAccount, type ViewProps } from '../../session.ts'

const RATES = '/api/v1/operator/tax-rates'
const BEARERS = ['sender', 'recipient'] as const

type Rate = Row<typeof RATES>

const FILTERS: readonly Filter[] = [{ name: 'tax', label: strings.tax, choices: strings.taxes }]

const COLUMNS: readonly Column<Rate>[] = [
  { name: strings.tax, place: 'lead', show: ({ tax }) => strings.taxes[tax] ?? tax },
  { name: strings.rate, place: 'amount', show: rateText },
  { name: strings.effectiveFrom, place: 'second', show: (rate) => longDay(rate.effectiveFrom) },
  { name: strings.client, show: ({ clientId }) => clientId },
  { name: strings.source, place: 'line', show: ({ source }) => source },
]

// A percentage, or for stamp duty a fixed amount from a threshold on.
function rateText({ percent, amount, threshold }: Rate): string {
  if (percent !== null) return `${percent}%`
  return strings.dutyRate(money(amount ?? 0), money(threshold ?? 0))
}

const keyOf = ({ tax, clientId, effectiveFrom, createdAt }: Rate) =>
  [tax, clientId, effectiveFrom, Date.parse(createdAt)].filter(Boolean).join('.')

export function TaxRates(props: ViewProps) {
  return (
    <>
      <p class="notice">{strings.ratesNotice}</p>
      <ListView
        {...props}
        view="accounting"
        icon="accounting"
        path={RATES}
        caption={strings.tabs.taxRates}
        columns={COLUMNS}
        filters={FILTERS}
        keyOf={keyOf}
        emptyState={{ title: strings.noRates, text: strings.noRatesText }}
        add={(changed) =>
          mayAccount(props.session) && (
            <div class="buttons">
              <AddVat onDone={changed} />
              <AddStampDuty onDone={changed} />
            </div>
          )
        }
        detail={({ open, rows, close }) => {
          const rate = rows?.find((row) => keyOf(row) === open)
          return rate && <RateDrawer rate={rate} close={close} />
        }}
      />
    </>
  )
}

// The details of a rate. A rate without `createdBy` was supplied with the service.
function RateDrawer({ rate, close }: { rate: Rate; close: () => void }) {
  return (
    <Drawer title={strings.taxes[rate.tax] ?? rate.tax} close={close}>
      <TextHeadline text={rateText(rate)} />
      {factList([
        [strings.effectiveFrom, longDay(rate.effectiveFrom)],
        [strings.client, rate.clientId],
        [strings.bearer, rate.bearer && strings.bearers[rate.bearer]],
        [strings.source, rate.source],
        [
          strings.addedBy,
          rate.createdBy ? suspenseStrings.person(rate.createdBy) : strings.supplied,
        ],
        [strings.added, <Time key="added" at={rate.createdAt} />],
      ])}
    </Drawer>
  )
}

type Props = { onDone: () => void }

const shared = { action: appStrings.save, message: appStrings.saved, text: strings.rateText }

const commonFields = (form: Form) => ({
  effectiveFrom: form.text('effectiveFrom'),
  source: form.text('source'),
})

function AddVat({ onDone }: Props) {
  const run = (form: Form, headers: Headers) => {
    const body = {
      tax: 'vat' as const,
      percent: Number(form.text('percent')),
      ...commonFields(form),
    }
    return send('POST', RATES, { body, headers })
  }
  return (
    <Action {...shared} label={strings.addVat} title={strings.addVatTitle} {...{ run, onDone }}>
      <InputField
        label={strings.percent}
        name="percent"
        type="number"
        required
        min={0}
        max={50}
        step={0.01}
      />
      <CommonFields />
    </Action>
  )
}

function AddStampDuty({ onDone }: Props) {
  const run = (form: Form, headers: Headers) => {
    const body = {
      tax: 'stamp_duty' as const,
      amount: form.amount('amount'),
      threshold: form.amount('threshold'),
      bearer: form.choice('bearer', BEARERS),
      ...commonFields(form),
    }
    return send('POST', RATES, { body, headers })
  }
  return (
    <Action {...shared} label={strings.addDuty} title={strings.addDutyTitle} {...{ run, onDone }}>
      <InputField label={strings.dutyAmount} name="amount" required {...AMOUNT} />
      <InputField label={strings.dutyThreshold} name="threshold" required {...AMOUNT} />
      <SelectField label={strings.bearer} name="bearer" options={BEARERS} names={strings.bearers} />
      <CommonFields />
    </Action>
  )
}

// A new rate applies from a future day, because past days keep their rate.
function CommonFields() {
  const tomorrow = addDays(today(), 1)
  return (
    <>
      <InputField
        label={strings.effectiveFrom}
        name="effectiveFrom"
        type="date"
        required
        min={tomorrow}
        defaultValue={tomorrow}
      />
      <InputField
        label={strings.source}
        hint={strings.sourceHint}
        name="source"
        required
        maxLength={300}
      />
    </>
  )
}
