// Which payouts and settlements need approval, and the operator's limits. A client can extend approval;
// only the operator can relax it.

import { useState } from 'preact/hooks'
import { appStrings, settlementsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { useData } from '../../loading.ts'
import { Facts } from '../../parts/drawer.tsx'
import { choiceOf, Field, textOf, useSending } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'

type Settings = Schemas['PayoutSettings']

const { approval: strings } = settlementsStrings
const PATH = '/api/v1/payout-settings'
const RULES = ['none', 'above', 'all'] as const
type Rule = (typeof RULES)[number]

export function ApprovalSettings({ mayWrite }: { mayWrite: boolean }) {
  const { data, problem, reload } = useData(PATH, {})
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="line" />
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
  const { problem, isBusy, submit } = useSending(async (given) => {
    const payoutApproval = choiceOf(given, 'rule', RULES)
    const approvalAbove = textOf(given, 'approvalAbove').replaceAll(',', '')
    const body = { payoutApproval, ...(payoutApproval === 'above' ? { approvalAbove } : {}) }
    await send('PUT', PATH, { body })
    toast(appStrings.saved)
    changed()
  })
  return (
    <form class="form after-facts" onSubmit={submit} aria-busy={isBusy}>
      <Field label={strings.needed} hint={strings.hint}>
        {(id) => (
          <select
            id={id}
            name="rule"
            value={rule}
            onChange={(event) => setRule(event.currentTarget.value as Rule)}
          >
            {RULES.slice(RULES.indexOf(current)).map((each) => (
              <option key={each} value={each}>
                {strings.rules[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {rule === 'above' && (
        <Field label={strings.amount}>
          {(id) => (
            <input
              id={id}
              name="approvalAbove"
              required
              inputMode="decimal"
              autocomplete="off"
              defaultValue={settings.approvalAbove?.toString() ?? ''}
            />
          )}
        </Field>
      )}
      {problem && <Failed problem={problem} />}
      <div class="form-end start">
        <button type="submit" class="button primary" disabled={isBusy}>
          {strings.save}
        </button>
      </div>
    </form>
  )
}
