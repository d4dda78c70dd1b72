// A field that writes its value to the URL once the value is complete: text on blur or Enter, a date also
// once its year is complete. The element is never replaced, so it keeps the focus.

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

// A text or date field that calls `apply` only with complete values: on blur, on Enter, or once a date has
// its whole year.
export function AppliedInput({ type, value, apply, ...attributes }: Props) {
  const [, redraw] = useState({})
  // The typed text until it is applied. If the URL changes meanwhile, as by removing a filter, its value
  // replaces the text.
  const draft = useRef({ applied: value, text: value })
  if (draft.current.applied !== value) draft.current = { applied: value, text: value }
  const applyNow = ({ currentTarget: { value: typed } }: TargetedEvent<HTMLInputElement>) => {
    if (typed !== value) apply(typed)
  }
  // Browsers report a date at each typed digit of the year, so only a date with four digits, or an emptied
  // field, is applied.
  const applyWhole = (event: TargetedEvent<HTMLInputElement>) => {
    const { value: typed, validity } = event.currentTarget
    if (typed === '' ? !validity.badInput : WHOLE_YEAR.test(typed)) applyNow(event)
  }
  const field = {
    ...attributes,
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

// While a user types the year 2026, browsers report 0002, 0020 and 0202, which must not be applied.
const WHOLE_YEAR = /^[1-9]\d{3}-/
