// Matches that the service suggests by name and amount. Users confirm them one by one or many at once.

import { useState } from 'preact/hooks'
import { differencesStrings, reconciliationStrings as strings } from '../../../copy.ts'
import { problemFrom, type Row, send } from '../../api.ts'
import { money } from '../../format.ts'
import { keepPageOpenDuring } from '../../in-flight.ts'
import { Button, Link } from '../../parts/controls.tsx'
import { CheckBox } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Money } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { Session } from '../../session.ts'
import { itemText, lineText } from './movement.tsx'
import type { DayProof } from './proof.tsx'
import { ResolveMany } from './resolve-difference.tsx'

type Difference = Row<'/api/v1/operator/reconciliation/differences'>
const PATH = '/api/v1/operator/reconciliation/{id}/resolve'

const isSuggested = ({ suggestion, actions }: Difference) =>
  suggestion !== null && actions.includes('match')

// The pairs of line and item that probably belong together. The user confirms each pair, or several at once.
export function Suggestions(props: { proof: DayProof; session: Session; onDone: () => void }) {
  const { proof, session, onDone } = props
  const suggestions = proof.differences.filter(isSuggested)
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set())
  const [batch, setBatch] = useState<readonly string[] | undefined>()
  const selected = suggestions.filter(({ id }) => selectedIds.has(`${id}`))
  if (suggestions.length === 0 && !batch) return null
  const toggle = (key: string) =>
    setSelectedIds(
      new Set(
        selectedIds.has(key) ? [...selectedIds].filter((id) => id !== key) : [...selectedIds, key],
      ),
    )
  const areAllSelected = suggestions.length > 0 && selected.length === suggestions.length
  const toggleAll = () =>
    setSelectedIds(new Set(areAllSelected ? [] : suggestions.map(({ id }) => `${id}`)))
  return (
    <section class="card suggestions" aria-labelledby="suggestions">
      <header class="card-top">
        <h2 id="suggestions">{strings.suggestions}</h2>
        <CheckBox label={strings.chooseAll} checked={areAllSelected} onChange={toggleAll} />
        <Button
          style="primary"
          disabled={selected.length === 0}
          onClick={() => setBatch(selected.map(({ id }) => `${id}`))}
        >
          {strings.confirmChosen(selected.length)}
        </Button>
      </header>
      <p class="muted">{strings.suggestionsText}</p>
      <ul>
        {suggestions.map((difference) => (
          <Suggestion
            key={difference.id}
            difference={difference}
            proof={proof}
            session={session}
            isSelected={selectedIds.has(`${difference.id}`)}
            toggle={() => toggle(`${difference.id}`)}
            onDone={onDone}
          />
        ))}
      </ul>
      {batch && (
        <ResolveMany
          ids={batch}
          action="match"
          close={() => setBatch(undefined)}
          onDone={() => {
            setSelectedIds(new Set())
            onDone()
          }}
        />
      )}
    </section>
  )
}

type OneProps = {
  difference: Difference
  proof: DayProof
  session: Session
  isSelected: boolean
  toggle: () => void
  onDone: () => void
}

// One pair of line and item, with a checkbox and a button that confirms it. After a success the button stays
// disabled until the pair is gone.
function Suggestion({ difference, proof, session, isSelected, toggle, onDone }: OneProps) {
  const { id, line, suggestion, currency, owner } = difference
  const [isBusy, setBusy] = useState(false)
  if (!line || !suggestion) return null
  const { bankCode, day } = proof
  const amount = money(line.amount, currency)
  const confirm = async () => {
    setBusy(true)
    try {
      const body = { action: 'match' as const, reason: strings.confirmReason }
      await keepPageOpenDuring(() => send('POST', PATH, { params: { id }, body }))
      toast(strings.confirmed)
      onDone()
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
      setBusy(false)
    }
  }
  return (
    <li>
      <input
        type="checkbox"
        aria-label={strings.choose(`${amount}, ${lineText(line)}`)}
        checked={isSelected}
        onChange={toggle}
      />
      <p>
        <span class="muted small">{strings.bankSide}</span>
        <Link href={hrefOf('reconciliation', `${id}`, { bankCode, day, currency })}>
          {lineText(line)}
        </Link>
        <Money amount={line.amount} currency={currency} />
        {owner && owner.id !== session.user.id && (
          <span class="muted small">{differencesStrings.ownedBy(owner.email)}</span>
        )}
      </p>
      <p>
        <span class="muted small">{strings.bookSide}</span>
        <span>{itemText(suggestion)}</span>
        <Money amount={suggestion.amount} currency={currency} />
      </p>
      <Button disabled={isBusy} aria-label={strings.confirmOne(amount)} onClick={confirm}>
        {strings.confirm}
      </Button>
    </li>
  )
}
