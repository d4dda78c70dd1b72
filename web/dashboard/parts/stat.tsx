// A figure with its name and a note.

import type { ComponentChildren } from 'preact'
import { hrefOf } from '../routing.ts'
import { Link } from './link.tsx'

type Props = {
  name: string
  note: string
  tone?: string
  view?: string
  isMain?: boolean
  children: ComponentChildren
}

export function Stat({ name, note, tone = '', view, isMain, children }: Props) {
  return (
    <div class={`stat ${tone} ${isMain ? 'main' : ''}`}>
      <dt>
        {view !== undefined ? (
          <Link class="stat-link" href={hrefOf(view)}>
            {name}
          </Link>
        ) : (
          name
        )}
      </dt>
      <dd class="stat-value">{children}</dd>
      <dd class="muted small">{note}</dd>
    </div>
  )
}
