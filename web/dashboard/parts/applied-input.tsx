// A field whose value is applied to the address when it is complete: text when it is left or at Enter, a
// date also as soon as its year is whole (a browser reports a change with each part that is typed). It
// stays the same element throughout, and so keeps the focus.

import type { TargetedEvent, TargetedKeyboardEvent } from 'preact'
import { useRef, useState } from 'preact/hooks'

type Props = {
  id: string
  name?: string
  type: 'text' | 'date'
  inputMode?: 'decimal'
  placeholder?: string
  value: string
  apply: (value: string) => void
}

export function AppliedInput({ type, value, apply, ...rest }: Props) {
  const [, redraw] = useState({})
  // What is typed, until another value is applied, here or elsewhere.
  const draft = useRef({ of: value, text: value })
  if (draft.current.of !== value) draft.current = { of: value, text: value }
  const applyNow = ({ currentTarget: { value: typed } }: TargetedEvent<HTMLInputElement>) => {
    if (typed !== value) apply(typed)
  }
  const applyWhole = (event: TargetedEvent<HTMLInputElement>) => {
    const { value: typed, validity } = event.currentTarget
    if (typed === '' ? !validity.badInput : WHOLE_YEAR.test(typed)) applyNow(event)
  }
  const field = {
    ...rest,
    value: draft.current.text,
    onInput: (event: TargetedEvent<HTMLInputElement>) => {
      draft.current.text = event.currentTarget.value
      redraw({})
    },
    onBlur: applyNow,
    onKeyDown: (event: TargetedKeyboardEvent<HTMLInputElement>) => {
      if (event.key === 'Enter') applyNow(event)
    },
  }
  if (type === 'text')
    return <input {...field} type="text" autocomplete="off" onChange={applyNow} />
  return <input {...field} type="date" max="9999-12-31" onChange={applyWhole} />
}

// Of 2026 a browser reports 0002, 0020 and 0202 first.
const WHOLE_YEAR = /^[1-9]\d{3}-/
