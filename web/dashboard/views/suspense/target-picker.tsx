// A field to choose a collection account or payment: by search, or the suggested one.

import { useState } from 'preact/hooks'
import { suspenseStrings as strings } from '../../../copy.ts'
import { humanize } from '../../format.ts'
import { Money } from '../../parts/values.tsx'
import { type Hit, useHits } from '../../search.tsx'

export type Target = { type: 'account' | 'payment'; reference: string; title: string }

type Props = {
  suggested: Target | undefined
  mayType: boolean // Operators may type a target of any client. A search would not find it.
  chosen: Target | undefined
  choose: (target: Target) => void
}

// Lets the user choose where suspended money goes: the suggested payment, a search result, or for operators a
// typed number or reference.
export function TargetPicker({ suggested, mayType, chosen, choose }: Props) {
  const [text, setText] = useState('')
  const query = text.trim()
  const results = useHits(query)
  const hits = (results?.hits ?? []).filter(isTarget)
  const typed = mayType && results && hits.length === 0 ? typedTarget(query) : undefined
  const isNothing = query !== '' && results?.hits && hits.length === 0 && !typed
  return (
    <fieldset class="picker">
      <legend>{strings.target}</legend>
      {suggested && (
        <TargetOption
          target={suggested}
          note={strings.meant}
          isChosen={isSameTarget(chosen, suggested)}
          choose={choose}
        />
      )}
      <input
        type="search"
        aria-label={strings.target}
        placeholder={strings.targetHint}
        autocomplete="off"
        spellcheck={false}
        maxLength={100}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <p class="hidden" aria-live="polite">
        {results?.hits && query !== '' ? `${strings.found}: ${hits.length}` : ''}
      </p>
      {results?.problem && <p class="fault">{results.problem.message}</p>}
      {isNothing && <p class="muted">{strings.nothingFound}</p>}
      {[...hits.map(toTarget), ...(typed ? [typed] : [])].map((target, index) => (
        <TargetOption
          key={`${target.type}/${target.reference}`}
          target={target}
          note={hits[index]?.detail ?? humanize(target.type)}
          amount={hits[index]?.amount ?? undefined}
          isChosen={isSameTarget(chosen, target)}
          choose={choose}
        />
      ))}
    </fieldset>
  )
}

type TargetOptionProps = {
  target: Target
  note: string
  amount?: number | undefined
  isChosen: boolean
  choose: (target: Target) => void
}

// A radio button for a target, with a note and perhaps its amount.
function TargetOption({ target, note, amount, isChosen, choose }: TargetOptionProps) {
  return (
    <label class="choice">
      <input type="radio" name="target" checked={isChosen} onChange={() => choose(target)} />
      <span class="choice-text">
        <span>{target.title}</span>
        <span class="muted small">{note}</span>
      </span>
      {amount !== undefined && <Money amount={amount} />}
    </label>
  )
}

function isTarget(hit: Hit): hit is Hit & { type: Target['type'] } {
  return hit.type === 'account' || hit.type === 'payment'
}

function toTarget({ type, reference, title }: Hit & { type: Target['type'] }): Target {
  return { type, reference, title }
}

// Reads a typed account number or payment reference of another client.
function typedTarget(text: string): Target | undefined {
  const title = strings.asTyped(text)
  if (/^[0-9]{10}$/.test(text)) return { type: 'account', reference: text, title }
  const isReference = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text)
  return isReference ? { type: 'payment', reference: text, title } : undefined
}

function isSameTarget(one: Target | undefined, other: Target): boolean {
  return one?.type === other.type && one.reference === other.reference
}
