// Fee rules: a client's own; for operators those of all clients, with a calculator.

import { useState } from 'preact/hooks'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { usePages } from '../../loading.ts'
import { ClientChoice } from '../../parts/client-choice.tsx'
import { DialogForm } from '../../parts/dialog.tsx'
import { Drawer, type Fact, Facts } from '../../parts/drawer.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Time } from '../../parts/values.tsx'
import { closeTo, hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../view-props.ts'
import { Withdraw } from './withdraw.tsx'

type FeeRule = Schemas['FeeRule']
type Quote = Schemas['FeeQuote']

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
  const [isAdding, setAdding] = useState(false)
  const open = pages.data?.data.find((rule) => keyOf(rule) === place.open)
  const add = isOperator && (
    <button type="button" class="button primary" onClick={() => setAdding(true)}>
      {strings.add}
    </button>
  )
  return (
    <>
      {isOperator && <Calculator />}
      {add && <div class="above">{add}</div>}
      <ListTable
        caption={settingsStrings.tabs.fees}
        columns={COLUMNS}
        pages={pages}
        keyOf={keyOf}
        hrefOf={(rule) => hrefOf('settings', keyOf(rule), TAB)}
        openKey={place.open}
        empty={
          <Empty icon="action" title={strings.empty}>
            <p>{strings.emptyText}</p>
          </Empty>
        }
      />
      {open && <RuleDrawer rule={open} isOperator={isOperator} changed={pages.reload} />}
      {isAdding && (
        <RuleForm
          close={() => setAdding(false)}
          done={() => {
            setAdding(false)
            toast(appStrings.saved)
            pages.reload()
          }}
        />
      )}
    </>
  )
}

type DrawerProps = { rule: FeeRule; isOperator: boolean; changed: () => void }

function RuleDrawer({ rule, isOperator, changed }: DrawerProps) {
  const close = () => closeTo(hrefOf('settings', undefined, TAB))
  return (
    <Drawer title={strings.one} close={close}>
      <div class="headline">
        <span class="headline-text">{rule.code}</span>
      </div>
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

// As the form has them; what is left empty has its default.
function termsOf(given: FormData) {
  const text = (name: string) => textOf(given, name).replaceAll(',', '')
  const rate = (name: string) => (text(name) === '' ? {} : { [name]: Number(text(name)) })
  const amounts = AMOUNTS.map((name) => [name, text(name) || null])
  const vatIncluded = given.has('vatIncluded')
  return { ...rate('bps'), ...rate('vatBps'), ...Object.fromEntries(amounts), vatIncluded }
}

function TermsFields() {
  const input = (name: string, label: string, hint?: string) => (
    <Field key={name} label={label} {...(hint ? { hint } : {})}>
      {(id) => <input id={id} name={name} inputMode="decimal" autocomplete="off" />}
    </Field>
  )
  return (
    <>
      {input('bps', strings.rate, strings.rateHint)}
      {AMOUNTS.map((name) => input(name, strings[name]))}
      {input('vatBps', strings.vatBps)}
      <label class="option">
        <input type="checkbox" name="vatIncluded" />
        {strings.vatIncluded}
      </label>
    </>
  )
}

function Calculator() {
  const [isOpen, setOpen] = useState(false)
  const [quote, setQuote] = useState<Quote>()
  const sending = useSending(async (given) => {
    const asked = textOf(given, 'amount').replaceAll(',', '')
    setQuote(await send('POST', QUOTE, { body: { amount: asked, ...termsOf(given) } }))
  })
  return (
    <>
      <div class="above">
        <button type="button" class="button" onClick={() => setOpen(true)}>
          {strings.calculator}
        </button>
      </div>
      {isOpen && (
        <DialogForm
          title={strings.calculator}
          action={strings.compute}
          sending={sending}
          close={() => setOpen(false)}
        >
          <Field label={strings.amount}>
            {(id) => (
              <input id={id} name="amount" required inputMode="decimal" autocomplete="off" />
            )}
          </Field>
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
    </>
  )
}

function RuleForm({ close, done }: { close: () => void; done: () => void }) {
  const sending = useSending(async (given, headers) => {
    const effectiveFrom = textOf(given, 'effectiveFrom')
    const body = {
      clientId: textOf(given, 'clientId'),
      merchantCode: textOf(given, 'merchantCode') || null,
      code: textOf(given, 'code'),
      basis: textOf(given, 'basis') as (typeof BASES)[number],
      bearer: textOf(given, 'bearer') as (typeof BEARERS)[number],
      ...termsOf(given),
      ...(effectiveFrom ? { effectiveFrom } : {}),
    }
    await send('POST', ALL, { body, headers })
    done()
  })
  return (
    <DialogForm title={strings.add} action={strings.add} sending={sending} close={close}>
      <p class="muted">{strings.text}</p>
      <ClientChoice label={strings.client} />
      <Field label={strings.code}>
        {(id) => <input id={id} name="code" required maxLength={CODE_MAX} autocomplete="off" />}
      </Field>
      <Field label={strings.merchantCode}>
        {(id) => (
          <input id={id} name="merchantCode" autocomplete="off" placeholder={strings.anyMerchant} />
        )}
      </Field>
      <Choice name="basis" label={strings.basis} values={BASES} names={strings.bases} />
      <Choice name="bearer" label={strings.bearer} values={BEARERS} names={strings.bearers} />
      <TermsFields />
      <Field label={strings.from} hint={strings.fromHint}>
        {(id) => <input id={id} name="effectiveFrom" autocomplete="off" />}
      </Field>
    </DialogForm>
  )
}

type ChoiceProps = {
  name: string
  label: string
  values: readonly string[]
  names: Record<string, string>
}

function Choice({ name, label, values, names }: ChoiceProps) {
  return (
    <Field label={label}>
      {(id) => (
        <select id={id} name={name}>
          {values.map((value) => (
            <option key={value} value={value}>
              {names[value]}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
