// Fee rules: the client's own, or for operators those of all clients, with a form that shows what the terms
// mean for an example amount.

import { useEffect, useRef, useState } from 'preact/hooks'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { type Problem, problemFrom, type Schemas, send } from '../../api.ts'
import { addDays, money, today, ZONE_OFFSET } from '../../format.ts'
import { usePages } from '../../loading.ts'
import { Action } from '../../parts/action.tsx'
import { ClientChoice } from '../../parts/choices.tsx'
import { Drawer, type Fact, factList } from '../../parts/drawer.tsx'
import { AMOUNT, CheckBox, Form, InputField, SelectField } from '../../parts/forms.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { TextHeadline, Time } from '../../parts/values.tsx'
import { closeTo, hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../session.ts'

type Props = {
  effectiveFrom: string
  title: string
  text: string
  run: () => Promise<unknown>
  onDone: () => void
}

// The button that withdraws a rule or tariff. Renders nothing once it has taken effect.
export function Withdraw({ effectiveFrom, title, text, run, onDone }: Props) {
  if (new Date(effectiveFrom) <= new Date()) return null
  return (
    <div class="actions">
      <Action
        title={title}
        action={settingsStrings.withdrawal.withdraw}
        style="danger-text"
        isDangerous
        text={text}
        run={run}
        message={settingsStrings.withdrawal.withdrawn}
        onDone={onDone}
      />
    </div>
  )
}

type FeeRule = Schemas['FeeRule']

const { fees: strings } = settingsStrings
const ALL = '/api/v1/operator/fee-rules'
const OWN = '/api/v1/fee-rules'
const QUOTE = '/api/v1/operator/fee-rules/quote'
const AMOUNTS = ['flat', 'min', 'cap', 'waiveFlatBelow'] as const
const BASES = ['credit', 'payout'] as const
const BEARERS = ['merchant', 'customer', 'subaccount'] as const
const CODE_MAX = 40
const BPS_PER_PERCENT = 100
const EXAMPLE = '10,000'
const PAUSE_MS = 300
const TAB = { tab: 'fees' }

const amount = (value: number | null) => (value ? money(value) : strings.none)

const COLUMNS: readonly Column<FeeRule>[] = [
  { name: strings.code, place: 'lead', show: ({ code }) => code },
  { name: strings.client, place: 'second', show: ({ clientId }) => clientId },
  {
    name: strings.merchantCode,
    show: ({ merchantCode }) => merchantCode ?? strings.anyMerchant,
  },
  { name: strings.basis, show: ({ basis }) => strings.bases[basis] },
  { name: strings.rate, isAmount: true, show: ({ bps }) => strings.percent(bps) },
  { name: strings.bearer, place: 'state', show: ({ bearer }) => strings.bearers[bearer] },
  { name: strings.from, place: 'time', show: ({ effectiveFrom: at }) => <Time at={at} /> },
  {
    name: strings.until,
    show: ({ effectiveTo: at }) => (at ? <Time at={at} /> : strings.none),
  },
]

const keyOf = ({ id }: FeeRule) => `${id}`

// The fee rules of all clients for an operator, who may add and withdraw them, or else the client’s own
// rules.
export function Fees({ session, place }: ViewProps) {
  const isOperator = session.scopes.includes('operator')
  const pages = usePages(isOperator ? ALL : OWN, {})
  const open = pages.data?.data.find((rule) => keyOf(rule) === place.open)
  return (
    <>
      {isOperator && (
        <div class="above">
          <AddRule
            key={place.query.new}
            isOpenAtFirst={place.query.new === 'fee'}
            clientId={place.query.client ?? ''}
            onDone={pages.reload}
          />
        </div>
      )}
      <ListTable
        caption={settingsStrings.tabs.fees}
        columns={COLUMNS}
        pages={pages}
        keyOf={keyOf}
        hrefOf={(rule) => hrefOf('settings', keyOf(rule), TAB)}
        openKey={place.open}
        empty={<Empty icon="advice" title={strings.empty} text={strings.emptyText} />}
      />
      {open && <RuleDrawer rule={open} isOperator={isOperator} changed={pages.reload} />}
    </>
  )
}

// The terms of a fee rule. An operator can withdraw a rule that is not in force yet.
function RuleDrawer(props: { rule: FeeRule; isOperator: boolean; changed: () => void }) {
  const { rule, isOperator, changed } = props
  const close = () => closeTo(hrefOf('settings', undefined, TAB))
  return (
    <Drawer title={strings.one} close={close}>
      <TextHeadline text={rule.code} />
      {factList([
        [strings.client, rule.clientId],
        [strings.merchantCode, rule.merchantCode ?? strings.anyMerchant],
        [strings.basis, strings.bases[rule.basis]],
        [strings.rate, strings.percent(rule.bps)],
        ...AMOUNTS.map((name): Fact => [strings[name], amount(rule[name])]),
        [rule.vatIncluded ? strings.vatInFee : strings.vat, strings.percent(rule.vatBps)],
        [strings.bearer, strings.bearers[rule.bearer]],
        [strings.from, <Time key="from" at={rule.effectiveFrom} />],
        [strings.until, rule.effectiveTo && <Time key="until" at={rule.effectiveTo} />],
      ])}
      {isOperator && (
        <Withdraw
          effectiveFrom={rule.effectiveFrom}
          title={strings.withdrawTitle(rule.code)}
          text={strings.withdrawText}
          run={() => send('DELETE', `${ALL}/{id}`, { params: { id: `${rule.id}` } })}
          onDone={() => {
            close()
            changed()
          }}
        />
      )}
    </Drawer>
  )
}

// Reads the terms from the form. A blank field takes the service's default. Users enter percent, and the
// API takes basis points: hundredths of a percent.
function readTerms(form: Form) {
  const bps = (name: string) => Math.round(Number(form.amount(name)) * BPS_PER_PERCENT)
  const rate = (name: string) => (form.amount(name) === '' ? {} : { [name]: bps(name) })
  const amounts = AMOUNTS.map((name) => [name, form.amount(name) || null])
  const vatIncluded = form.has('vatIncluded')
  return { ...rate('bps'), ...rate('vatBps'), ...Object.fromEntries(amounts), vatIncluded }
}

const PERCENT = { inputMode: 'decimal', pattern: '[0-9]{1,3}([.][0-9]{1,2})?' } as const

function TermsFields() {
  return (
    <>
      <InputField name="bps" label={strings.rate} hint={strings.rateHint} {...PERCENT} />
      {AMOUNTS.map((name) => (
        <InputField key={name} name={name} label={strings[name]} {...AMOUNT} />
      ))}
      <InputField name="vatBps" label={strings.vatRate} {...PERCENT} />
      <CheckBox name="vatIncluded" label={strings.vatIncluded} />
    </>
  )
}

// Shows the fee for an example amount while the operator types the terms.
function Example() {
  const start = useRef<HTMLDivElement>(null)
  const [form, setForm] = useState<Form>()
  const [quote, setQuote] = useState<Schemas['FeeQuote']>()
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => {
    const element = start.current?.closest('form')
    if (!element) return
    const readForm = () => setForm(new Form(element))
    readForm()
    element.addEventListener('input', readForm)
    return () => element.removeEventListener('input', readForm)
  }, [])
  useEffect(() => {
    if (!form) return
    const abort = new AbortController()
    // Waits until the operator pauses, and drops the answer if the form has changed meanwhile.
    const timer = window.setTimeout(async () => {
      try {
        const body = { amount: form.amount('example'), ...readTerms(form) }
        const computed = await send('POST', QUOTE, { body })
        if (abort.signal.aborted) return
        setQuote(computed)
        setProblem(undefined)
      } catch (error) {
        if (!abort.signal.aborted) setProblem(problemFrom(error))
      }
    }, PAUSE_MS)
    return () => {
      window.clearTimeout(timer)
      abort.abort()
    }
  }, [form])
  return (
    <div class="fee-example" ref={start}>
      <InputField label={strings.example} name="example" {...AMOUNT} defaultValue={EXAMPLE} />
      <p role="status">
        {problem ? strings.noExample(problem.message) : exampleSentence(form, quote)}
      </p>
    </div>
  )
}

// The sentence depends on who bears the fee: the customer pays it on top, or the merchant gets less.
function exampleSentence(form: Form | undefined, quote: Schemas['FeeQuote'] | undefined): string {
  if (!form || !quote) return ''
  const { amount: amountReceived, fee, vat, net, customerPays } = quote
  return form.text('bearer') === 'customer'
    ? strings.paidByCustomer(
        money(customerPays),
        money(amountReceived),
        money(customerPays - amountReceived),
      )
    : strings.paidByMerchant(money(amountReceived), money(net), money(fee), money(vat))
}

// Adds a fee rule for a client. The chosen day begins at midnight in West Africa Time.
function AddRule(props: { isOpenAtFirst: boolean; clientId: string; onDone: () => void }) {
  const { isOpenAtFirst, clientId, onDone } = props
  return (
    <Action
      isOpenAtFirst={isOpenAtFirst}
      action={strings.add}
      style="primary"
      text={strings.text}
      run={(form, headers) => {
        const day = form.text('effectiveFrom')
        const body = {
          clientId: form.text('clientId'),
          merchantCode: form.text('merchantCode') || null,
          code: form.text('code'),
          basis: form.choice('basis', BASES),
          bearer: form.choice('bearer', BEARERS),
          ...readTerms(form),
          ...(day ? { effectiveFrom: `${day}T00:00:00${ZONE_OFFSET}` } : {}),
        }
        return send('POST', ALL, { body, headers })
      }}
      message={appStrings.saved}
      onDone={onDone}
    >
      <ClientChoice label={strings.client} chosen={clientId} />
      <InputField label={strings.code} name="code" required maxLength={CODE_MAX} />
      <InputField
        label={strings.merchantCode}
        name="merchantCode"
        placeholder={strings.anyMerchant}
      />
      <SelectField name="basis" label={strings.basis} options={BASES} names={strings.bases} />
      <SelectField name="bearer" label={strings.bearer} options={BEARERS} names={strings.bearers} />
      <TermsFields />
      <InputField
        label={strings.from}
        hint={strings.fromHint}
        name="effectiveFrom"
        type="date"
        min={addDays(today(), 1)}
      />
      <Example />
    </Action>
  )
}
