// A word that shows its definition on hover, focus and touch. Escape hides the definition.

import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { definitionsStrings as definitions } from '../../copy.ts'

export type TermName = keyof typeof definitions

const NAMES = new Map(
  (Object.keys(definitions) as TermName[]).map((key) => [definitions[key].name.toLowerCase(), key]),
)

// Returns the term whose name is this label.
export const termNamed = (label: string): TermName | undefined => NAMES.get(label.toLowerCase())

const MARGIN = 8

export function Term({ term, text }: { term: TermName; text: string }) {
  const id = useId()
  const wrapper = useRef<HTMLSpanElement>(null)
  const tip = useRef<HTMLSpanElement>(null)
  const [isOpen, setOpen] = useState(false)
  // Positions the definition before the browser draws, so that it does not jump.
  useLayoutEffect(() => {
    if (!isOpen) return
    const move = () => positionTip(wrapper.current, tip.current)
    move()
    const close = () => setOpen(false)
    // Listens in the capture phase, so that Escape does not also close a dialog around the term.
    const hideOnEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation()
      close()
    }
    const closeOnOutsidePress = ({ target }: Event) => {
      if (!wrapper.current?.contains(target as Node)) close()
    }
    document.addEventListener('keydown', hideOnEscape, { capture: true })
    document.addEventListener('pointerdown', closeOnOutsidePress)
    window.addEventListener('scroll', move, { capture: true, passive: true })
    return () => {
      document.removeEventListener('keydown', hideOnEscape, { capture: true })
      document.removeEventListener('pointerdown', closeOnOutsidePress)
      window.removeEventListener('scroll', move, { capture: true })
    }
  }, [isOpen])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: The pointer may move onto the definition.
    <span
      ref={wrapper}
      class="term"
      onMouseEnter={() => setOpen(true)}
      onMouseLeave={() => setOpen(false)}
    >
      <button
        type="button"
        {...(isOpen ? { 'aria-describedby': id } : {})}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onClick={() => setOpen(true)}
      >
        {text}
      </button>
      {isOpen && (
        <span ref={tip} id={id} role="tooltip">
          {definitions[term].meaning}
        </span>
      )}
    </span>
  )
}

// Places the definition below the word, or above it if there is no room below. The position is fixed to the
// window, because tables and drawers clip their content.
function positionTip(word: HTMLElement | null, tip: HTMLElement | null): void {
  if (!word || !tip) return
  const { left, top, bottom } = word.getBoundingClientRect()
  const { offsetWidth, offsetHeight } = tip
  const fitsBelow = bottom + offsetHeight + MARGIN <= window.innerHeight
  const leftMax = document.documentElement.clientWidth - offsetWidth - MARGIN
  tip.style.left = `${Math.max(MARGIN, Math.min(left, leftMax))}px`
  tip.style.top = `${fitsBelow ? bottom : top - offsetHeight}px`
}
