// The dialog that requests an adjusting entry for a difference, and the decision of another user on it.

import { differencesStrings as strings, suspenseStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { useData } from '../../loading.ts'
import { Action } from '../../parts/action.tsx'
import { DecideRequest } from '../../parts/decide-request.tsx'
import { Facts } from '../../parts/drawer.tsx'
import { ReasonField, SelectField } from '../../parts/forms.tsx'
import { Pending } from '../../parts/states.tsx'
import { Money } from '../../parts/values.tsx'
import type { Session } from '../../session.ts'
import type { Difference } from './movement.tsx'

const ENTRIES = '/api/v1/operator/reconciliation/adjusting-entries'
const ONE = `${ENTRIES}/{reference}` as const

const ACCOUNTS = [
  'shortfall',
  'due_to_bank',
  'bank_cost',
  'stamp_duty',
  'input_vat',
  'write_off',
] as const

type Props = { difference: Difference; onDone: () => void }

// Requests an entry that brings the books to the bank’s statement. Its amount is the difference, which the
// user cannot change.
export function AdjustDifference({ difference, onDone }: Props) {
  const { id, amount, currency, adjustingAccounts } = difference
  return (
    <div class="actions">
      <Action
        label={strings.adjust}
        title={strings.adjustTitle(money(amount, currency))}
        action={strings.adjustRequest}
        text={amount < 0 ? strings.adjustText.less : strings.adjustText.more}
        run={(form, headers) => {
          const account = form.choice('account', ACCOUNTS)
          const body = { differenceId: id, account, amount, reason: form.text('reason') }
          return send('POST', ENTRIES, { body, headers })
        }}
        message={strings.adjustRequested}
        onDone={onDone}
      >
        <Facts
          facts={[
            [strings.adjustAmount, <Money key="amount" amount={amount} currency={currency} />],
          ]}
        />
        <SelectField
          label={strings.adjustAccount}
          name="account"
          options={adjustingAccounts}
          names={strings.adjustAccounts}
        />
        <ReasonField label={strings.why} hint={strings.whyHint} />
        <p class="notice">{strings.adjustNeedsApproval}</p>
      </Action>
    </div>
  )
}

type EntryProps = { reference: string; session: Session; onDone: () => void }

// Loads the open adjusting entry of a difference, and lets another user decide on it.
export function DecideEntry({ reference, session, onDone }: EntryProps) {
  const { data, problem, reload } = useData(ONE, { reference })
  if (!data) return <Pending {...{ data, problem, reload }} kind="rows" lines={3} />
  return <EntryRequest entry={data} session={session} onDone={onDone} />
}

type DecideProps = { entry: Schemas['AdjustingEntry']; session: Session; onDone: () => void }

// The open request with its reason, and the buttons that decide on it.
function EntryRequest({ entry, session, onDone }: DecideProps) {
  const { requestedBy, amount, currency, account, reason } = entry
  const name = strings.adjustAccounts[account] ?? account
  return (
    <section class="request" aria-labelledby="entry">
      <h3 id="entry">{strings.waiting}</h3>
      <p>
        {strings.entryAsks(suspenseStrings.person(requestedBy), name)},{' '}
        <Money amount={amount} currency={currency} />
      </p>
      <p class="request-reason">{reason}</p>
      <DecideAdjustingEntry {...{ entry, session, onDone }} />
    </section>
  )
}

// The buttons that decide on an adjusting entry, here and on Today.
export function DecideAdjustingEntry({ entry, session, onDone }: DecideProps) {
  const { reference, requestedBy, cannotApprove, amount, currency } = entry
  return (
    <DecideRequest
      {...{ session, requestedBy, cannotApprove, onDone }}
      isAfterFacts={false}
      amount={money(amount, currency)}
      words={{ ...strings, approveText: strings.entryApproveText }}
      decide={(verb, sent) => send('POST', `${ONE}/${verb}`, { params: { reference }, ...sent })}
    />
  )
}
