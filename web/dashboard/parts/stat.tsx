// A statistic: a number with its name and a note.

import type { ComponentChildren } from 'preact'
import { hrefOf } from '../routing.ts'
import { Link } from './link.tsx'
import { Term, type TermName } from './term.tsx'

type Props = {
  name: string
  note: string
  tone?: string
  view?: string
  term?: TermName // The term whose definition the name shows. Ignored if the name is a link.
  isMain?: boolean
  children: ComponentChildren
}

// A figure with its name and a note. With `view`, the name links to that view.
export function Stat({ name, note, tone = '', view, term, isMain, children }: Props) {
  return (
    <div class={`stat ${tone} ${isMain ? 'main' : ''}`}>
      <dt>
        {view !== undefined ? (
          <Link class="stat-link" href={hrefOf(view)}>
            {name}
          </Link>
        ) : (
          withDefinition(term, name)
        )}
      </dt>
      <dd class="stat-value">{children}</dd>
      <dd class="muted small">{note}</dd>
    </div>
  )
}

// The name, with its definition if the glossary has one.
const withDefinition = (term: TermName | undefined, name: string) =>
  term ? <Term term={term} text={name} /> : name
