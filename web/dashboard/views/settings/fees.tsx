// Fee rules: the client's own; for operators those of all clients, with a calculator.

import { useState } from 'preact/hooks'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { usePages } from '../../loading.ts'
import { Action, OpenButton } from '../../parts/action.tsx'
import { ClientChoice } from '../../parts/client-choice.tsx'
import { DialogForm } from '../../parts/dialog.tsx'
import { Drawer, type Fact, Facts } from '../../parts/drawer.tsx'
import { CheckBox, type Form, InputField, SelectField, useSending } from '../../parts/forms.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { TextHeadline, Time } from '../../parts/values.tsx'
import { closeTo, hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../view-props.ts'
import { Withdraw } from './withdraw.tsx'

type FeeRule = Schemas['FeeRule']

const { fees: strings } = settingsStrings
const ALL = '/api/v1/operator/fee-rules'
const OWN = '/api/v1/fee-rules'
const QUOTE = '/api/v1/operator/fee-rules/quote'
const AMOUNTS = ['flat', 'min', 'cap', 'waiveFlatBelow'] as const
const BASES = ['credit', 'payout'] as const
const BEARERS = ['merchant', 'customer', 'subaccount'] as const
const CODE_MAX = 40
const TAB = { tab: 'fees' }

const amount = (value: number | null) => (value ? money(value) : strings.none)

const COLUMNS: readonly Column<FeeRule>[] = [
  { name: strings.code, place: 'lead', show: ({ code }) => code },
  { name: strings.client, place: 'second', show: ({ clientId }) => clientId },
  { name: strings.merchantCode, show: ({ merchantCode }) => merchantCode ?? strings.anyMerchant },
  { name: strings.basis, show: ({ basis }) => strings.bases[basis] },
  { name: strings.rate, isAmount: true, show: ({ bps }) => strings.percent(bps) },
  { name: strings.bearer, place: 'state', show: ({ bearer }) => strings.bearers[bearer] },
  { name: strings.from, place: 'time', show: ({ effectiveFrom: at }) => <Time at={at} /> },
  { name: strings.until, show: ({ effectiveTo: at }) => (at ? <Time at={at} /> : strings.none) },
]

const keyOf = ({ id }: FeeRule) => `${id}`

export function Fees({ session, place }: ViewProps) {
  const isOperator = session.scopes.includes('operator')
  const pages = usePages(isOperator ? ALL : OWN, {})
  const open = pages.data?.data.find((rule) => keyOf(rule) === place.open)
  return (
    <>
      {isOperator && <Calculator />}
      {isOperator && (
        <div class="above">
          <AddRule done={pages.reload} />
        </div>
      )}
      <ListTable
        caption={settingsStrings.tabs.fees}
        columns={COLUMNS}
        pages={pages}
        keyOf={keyOf}
        hrefOf={(rule) => hrefOf('settings', keyOf(rule), TAB)}
        openKey={place.open}
        empty={<Empty icon="action" title={strings.empty} text={strings.emptyText} />}
      />
      {open && <RuleDrawer rule={open} isOperator={isOperator} changed={pages.reload} />}
    </>
  )
}

type DrawerProps = { rule: FeeRule; isOperator: boolean; changed: () => void }

function RuleDrawer({ rule, isOperator, changed }: DrawerProps) {
  const close = () => closeTo(hrefOf('settings', undefined, TAB))
  return (
    <Drawer title={strings.one} close={close}>
      <TextHeadline text={rule.code} />
      <Facts
        facts={[
          [strings.client, rule.clientId],
          [strings.merchantCode, rule.merchantCode ?? strings.anyMerchant],
          [strings.basis, strings.bases[rule.basis]],
          [strings.rate, strings.percent(rule.bps)],
          ...AMOUNTS.map((name): Fact => [strings[name], amount(rule[name])]),
          [rule.vatIncluded ? strings.vatInFee : strings.vat, strings.percent(rule.vatBps)],
          [strings.bearer, strings.bearers[rule.bearer]],
          [strings.from, <Time key="from" at={rule.effectiveFrom} />],
          [strings.until, rule.effectiveTo && <Time key="until" at={rule.effectiveTo} />],
        ]}
      />
      {isOperator && (
        <Withdraw
          effectiveFrom={rule.effectiveFrom}
          title={strings.withdrawTitle(rule.code)}
          text={strings.withdrawText}
          run={() => send('DELETE', `${ALL}/{id}`, { params: { id: `${rule.id}` } })}
          done={() => {
            close()
            changed()
          }}
        />
      )}
    </Drawer>
  )
}

// A blank field takes its default.
function termsOf(form: Form) {
  const text = (name: string) => form.amount(name)
  const rate = (name: string) => (text(name) === '' ? {} : { [name]: Number(text(name)) })
  const amounts = AMOUNTS.map((name) => [name, text(name) || null])
  const vatIncluded = form.has('vatIncluded')
  return { ...rate('bps'), ...rate('vatBps'), ...Object.fromEntries(amounts), vatIncluded }
}

function TermsFields() {
  const input = { inputMode: 'decimal' } as const
  return (
    <>
      <InputField name="bps" label={strings.rate} hint={strings.rateHint} {...input} />
      {AMOUNTS.map((name) => (
        <InputField key={name} name={name} label={strings[name]} {...input} />
      ))}
      <InputField name="vatBps" label={strings.vatBps} {...input} />
      <CheckBox name="vatIncluded" label={strings.vatIncluded} />
    </>
  )
}

function Calculator() {
  const [quote, setQuote] = useState<Schemas['FeeQuote']>()
  const sending = useSending(async (form) => {
    const body = { amount: form.amount('amount'), ...termsOf(form) }
    setQuote(await send('POST', QUOTE, { body }))
  })
  return (
    <div class="above">
      <OpenButton label={strings.calculator}>
        {(close) => (
          <DialogForm
            title={strings.calculator}
            action={strings.compute}
            sending={sending}
            close={close}
          >
            <InputField label={strings.amount} name="amount" required inputMode="decimal" />
            <TermsFields />
            {quote && (
              <Facts
                facts={[
                  [strings.fee, money(quote.fee)],
                  [strings.vat, money(quote.vat)],
                  [strings.net, money(quote.net)],
                  [strings.customerPays, money(quote.customerPays)],
                ]}
              />
            )}
          </DialogForm>
        )}
      </OpenButton>
    </div>
  )
}

function AddRule({ done }: { done: () => void }) {
  return (
    <Action
      action={strings.add}
      style="primary"
      text={strings.text}
      run={(form, headers) => {
        const effectiveFrom = form.text('effectiveFrom')
        const body = {
          clientId: form.text('clientId'),
          merchantCode: form.text('merchantCode') || null,
          code: form.text('code'),
          basis: form.choice('basis', BASES),
          bearer: form.choice('bearer', BEARERS),
          ...termsOf(form),
          ...(effectiveFrom ? { effectiveFrom } : {}),
        }
        return send('POST', ALL, { body, headers })
      }}
      message={appStrings.saved}
      done={done}
    >
      <ClientChoice label={strings.client} />
      <InputField label={strings.code} name="code" required maxLength={CODE_MAX} />
      <InputField
        label={strings.merchantCode}
        name="merchantCode"
        placeholder={strings.anyMerchant}
      />
      <SelectField name="basis" label={strings.basis} options={BASES} names={strings.bases} />
      <SelectField name="bearer" label={strings.bearer} options={BEARERS} names={strings.bearers} />
      <TermsFields />
      <InputField label={strings.from} hint={strings.fromHint} name="effectiveFrom" />
    </Action>
  )
}
