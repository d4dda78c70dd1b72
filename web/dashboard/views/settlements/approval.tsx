// Approval rules for payouts and settlements, and the operator's limits. A client can extend approval; only
// the operator can relax it.

import { useState } from 'preact/hooks'
import { appStrings, settlementsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { useData } from '../../loading.ts'
import { ActionForm } from '../../parts/action.tsx'
import { Facts } from '../../parts/drawer.tsx'
import { InputField, SelectField } from '../../parts/forms.tsx'
import { Pending } from '../../parts/states.tsx'

type Settings = Schemas['PayoutSettings']

const { approval: strings } = settlementsStrings
const PATH = '/api/v1/payout-settings'
const RULES = ['none', 'above', 'all'] as const
type Rule = (typeof RULES)[number]

export function ApprovalSettings({ mayWrite }: { mayWrite: boolean }) {
  const { data, problem, reload } = useData(PATH, {})
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="line" />
  const mayChange = mayWrite && data.payoutApproval !== 'all'
  return (
    <section class="card panel" aria-labelledby="approval">
      <h2 id="approval">{strings.title}</h2>
      <p class="muted">{strings.text}</p>
      <Facts
        facts={[
          [strings.needed, shownRule(data)],
          [strings.perPayout, limit(data.perPayoutLimit)],
          [strings.daily, limit(data.dailyLimit)],
        ]}
      />
      {mayChange && <ApprovalForm key={JSON.stringify(data)} settings={data} changed={reload} />}
    </section>
  )
}

const limit = (amount: number | null) => (amount === null ? strings.noLimit : money(amount))

function shownRule({ payoutApproval, approvalAbove }: Settings): string {
  if (payoutApproval === 'above') return strings.above(money(approvalAbove ?? 0))
  return strings.rules[payoutApproval as Rule]
}

function ApprovalForm({ settings, changed }: { settings: Settings; changed: () => void }) {
  const current = RULES.find((rule) => rule === settings.payoutApproval) ?? 'none'
  const [rule, setRule] = useState<Rule>(current)
  return (
    <ActionForm
      action={strings.save}
      style="primary"
      class="after-facts"
      run={(form) => {
        const payoutApproval = form.choice('rule', RULES)
        const approvalAbove = form.amount('approvalAbove')
        const body = { payoutApproval, ...(payoutApproval === 'above' ? { approvalAbove } : {}) }
        return send('PUT', PATH, { body })
      }}
      message={appStrings.saved}
      done={changed}
    >
      <SelectField
        label={strings.needed}
        hint={strings.hint}
        name="rule"
        value={rule}
        onChange={(event) => setRule(event.currentTarget.value as Rule)}
        options={RULES.slice(RULES.indexOf(current))}
        names={strings.rules}
      />
      {rule === 'above' && (
        <InputField
          label={strings.amount}
          name="approvalAbove"
          required
          inputMode="decimal"
          defaultValue={settings.approvalAbove?.toString() ?? ''}
        />
      )}
    </ActionForm>
  )
}
