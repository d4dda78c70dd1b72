// Matches that the service suggests by name and amount. Users confirm them one by one or many at once.

import { useState } from 'preact/hooks'
import { differencesStrings, reconciliationStrings as strings } from '../../../copy.ts'
import { problemFrom, type Row, send } from '../../api.ts'
import { money } from '../../format.ts'
import { staying } from '../../in-flight.ts'
import { Button } from '../../parts/button.tsx'
import { Link } from '../../parts/link.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Money } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { Session } from '../../session.ts'
import { itemText, lineText } from './movement.tsx'
import type { DayProof } from './proof.tsx'
import { ResolveMany } from './resolve-difference.tsx'

type Difference = Row<'/api/v1/operator/reconciliation/differences'>
type Props = { proof: DayProof; session: Session; onDone: () => void }

const PATH = '/api/v1/operator/reconciliation/{id}/resolve'

const isSuggested = ({ suggestion, actions }: Difference) =>
  suggestion !== null && actions.includes('match')

export function Suggestions({ proof, session, onDone }: Props) {
  const found = proof.differences.filter(isSuggested)
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [batch, setBatch] = useState<readonly string[] | undefined>()
  const pickedItems = found.filter(({ id }) => picked.has(`${id}`))
  if (found.length === 0 && !batch) return null
  const toggle = (key: string) =>
    setPicked(new Set(picked.has(key) ? [...picked].filter((it) => it !== key) : [...picked, key]))
  const areAll = found.length > 0 && pickedItems.length === found.length
  const all = () => setPicked(new Set(areAll ? [] : found.map(({ id }) => `${id}`)))
  return (
    <section class="card suggestions" aria-labelledby="suggestions">
      <header class="card-top">
        <h2 id="suggestions">{strings.suggestions}</h2>
        <label class="option">
          <input type="checkbox" checked={areAll} onChange={all} />
          {strings.chooseAll}
        </label>
        <Button
          style="primary"
          disabled={pickedItems.length === 0}
          onClick={() => setBatch(pickedItems.map(({ id }) => `${id}`))}
        >
          {strings.confirmChosen(pickedItems.length)}
        </Button>
      </header>
      <p class="muted">{strings.suggestionsText}</p>
      <ul>
        {found.map((difference) => (
          <Suggestion
            key={difference.id}
            difference={difference}
            proof={proof}
            session={session}
            isPicked={picked.has(`${difference.id}`)}
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
            setPicked(new Set())
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
  isPicked: boolean
  toggle: () => void
  onDone: () => void
}

function Suggestion({ difference, proof, session, isPicked, toggle, onDone }: OneProps) {
  const { id, line, suggestion, currency, owner } = difference
  const [isBusy, setBusy] = useState(false)
  if (!line || !suggestion) return null
  const { bankCode, day } = proof
  const amount = money(line.amount, currency)
  const confirm = async () => {
    setBusy(true)
    try {
      const body = { action: 'match' as const, reason: strings.confirmReason }
      await staying(() => send('POST', PATH, { params: { id }, body }))
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
        checked={isPicked}
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
