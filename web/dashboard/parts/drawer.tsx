// The drawer next to a list, with an object's facts and timeline. It is a dialog, so that focus stays inside
// and Escape closes it.

import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { appStrings } from '../../copy.ts'
import type { Data, GetPath, Params, Schemas } from '../api.ts'
import { useData, useLoaded } from '../loading.ts'
import { useModal } from './dialog.tsx'
import { Icon } from './icons.tsx'
import { Pending } from './states.tsx'
import { Term, type TermName, termNamed } from './term.tsx'
import { Timeline } from './timeline.tsx'
import { Toasts } from './toasts.tsx'

export function Drawer(props: { title: string; close: () => void; children: ComponentChildren }) {
  const { title, close, children } = props
  const { modal, leave } = useModal(close)
  const pressedElement = useRef<EventTarget | null>(null)
  // Closes only if the user both presses and releases outside, because a text selection in the drawer may end
  // outside.
  const closeOnOutsideClick = ({ target }: MouseEvent) => {
    const backdrop = modal.ref.current
    if (target === backdrop && pressedElement.current === backdrop) leave()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same by keyboard.
    <dialog
      {...modal}
      class="drawer"
      aria-labelledby="drawer-title"
      onPointerDown={({ target }) => {
        pressedElement.current = target
      }}
      onClick={closeOnOutsideClick}
    >
      <div class="drawer-body">
        <header class="drawer-top">
          <h2 id="drawer-title">{title}</h2>
          <button type="button" class="icon-button" aria-label={appStrings.close} onClick={leave}>
            <Icon name="close" />
          </button>
        </header>
        {children}
        <TimeZoneNote />
      </div>
      <Toasts />
    </dialog>
  )
}

// The name shows the definition of `term`, which defaults to the term of that name.
export type Fact = readonly [name: string, value: ComponentChildren, term?: TermName | undefined]

// Renders facts as a list. Omits facts without a value.
export function factList(facts: readonly Fact[]) {
  const shownFacts = facts.filter(
    ([, value]) => value !== null && value !== undefined && value !== false && value !== '',
  )
  return (
    <dl class="facts">
      {shownFacts.map(([name, value, term = termNamed(name)]) => (
        <div key={name}>
          <dt>{term ? <Term term={term} text={name} /> : name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

export function TimeZoneNote() {
  return <p class="muted small zone-note">{appStrings.zone}</p>
}

type DetailProps<P extends GetPath> = {
  title: string
  path: P
  params: Params<P>
  refreshKey?: number // A new value reloads the object.
  close: () => void
  show: (thing: Data<P>) => ComponentChildren
  timeline?: ComponentChildren
}

// A drawer that loads its object by the path and parameters, and reloads it when `refreshKey` changes.
export function Detail<P extends GetPath>(props: DetailProps<P>) {
  const { title, path, params, refreshKey = 0, close, show, timeline } = props
  const { data, problem, reload } = useData(path, params, {}, refreshKey)
  return (
    <Drawer title={title} close={close}>
      <Pending {...{ data, problem, reload }} kind="page" lines={8} />
      {data && (
        <>
          {show(data)}
          {timeline && <h3>{appStrings.timeline.label}</h3>}
          {timeline}
        </>
      )}
    </Drawer>
  )
}

type WholeTimelineProps = {
  load: (signal: AbortSignal) => Promise<Schemas['Timeline']>
  refreshKey: number
}

// The timeline of the open object, which loads apart from the object.
export function WholeTimeline({ load, refreshKey }: WholeTimelineProps) {
  const { data, problem, reload } = useLoaded('timeline', load, refreshKey)
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="rows" lines={5} />
  return (
    <>
      <Timeline entries={data.entries} />
      {!data.isWhole && <p class="muted small">{appStrings.timeline.cut}</p>}
    </>
  )
}
