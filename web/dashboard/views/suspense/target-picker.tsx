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

export function TargetPicker({ suggested, mayType, chosen, choose }: Props) {
  const [text, setText] = useState('')
  const query = text.trim()
  const found = useHits(query)
  const hits = (found?.hits ?? []).filter(isTarget)
  const typed = mayType && found && hits.length === 0 ? typedTarget(query) : undefined
  const isNothing = query !== '' && found?.hits && hits.length === 0 && !typed
  return (
    <fieldset class="picker">
      <legend>{strings.target}</legend>
      {suggested && (
        <Choice
          target={suggested}
          note={strings.meant}
          isChosen={isSame(chosen, suggested)}
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
        {found?.hits && query !== '' ? `${strings.found}: ${hits.length}` : ''}
      </p>
      {found?.problem && <p class="fault">{found.problem.message}</p>}
      {isNothing && <p class="muted">{strings.nothingFound}</p>}
      {[...hits.map(targetOf), ...(typed ? [typed] : [])].map((target, at) => (
        <Choice
          key={`${target.type}/${target.reference}`}
          target={target}
          note={hits[at]?.detail ?? humanize(target.type)}
          amount={hits[at]?.amount ?? undefined}
          isChosen={isSame(chosen, target)}
          choose={choose}
        />
      ))}
    </fieldset>
  )
}

type ChoiceProps = {
  target: Target
  note: string
  amount?: number | undefined
  isChosen: boolean
  choose: (target: Target) => void
}

function Choice({ target, note, amount, isChosen, choose }: ChoiceProps) {
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

function targetOf({ type, reference, title }: Hit & { type: Target['type'] }): Target {
  return { type, reference, title }
}

function typedTarget(text: string): Target | undefined {
  const title = strings.asTyped(text)
  if (/^[0-9]{10}$/.test(text)) return { type: 'account', reference: text, title }
  const isReference = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text)
  return isReference ? { type: 'payment', reference: text, title } : undefined
}

function isSame(one: Target | undefined, other: Target): boolean {
  return one?.type === other.type && one.reference === other.reference
}
