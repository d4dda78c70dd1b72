// A word with its definition, on hover and on keyboard focus. Escape hides it.

import { useId, useState } from 'preact/hooks'
import { definitionsStrings as definitions } from '../../copy.ts'

export type TermName = keyof typeof definitions

export function isTerm(name: string): name is TermName {
  return name in definitions
}

export function Term({ of: name, text }: { of: TermName; text: string }) {
  const id = useId()
  const [isHidden, setHidden] = useState(false)
  return (
    <span class="term" data-hidden={isHidden}>
      <button
        type="button"
        aria-describedby={id}
        onBlur={() => setHidden(false)}
        onMouseLeave={() => setHidden(false)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || isHidden) return
          event.stopPropagation()
          setHidden(true)
        }}
      >
        {text}
      </button>
      <span id={id} role="tooltip">
        {definitions[name]}
      </span>
    </span>
  )
}
