// Tabs of a view. The query string holds the current one.

import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { hrefOf } from '../routing.ts'
import type { ViewProps } from '../view-props.ts'
import { Link } from './link.tsx'

type Props = {
  label: string
  view: string
  names: Readonly<Record<string, string>>
  current: string
}

export function Tabs({ label, view, names, current }: Props) {
  const nav = useRef<HTMLElement>(null)
  // Narrow pages scroll to the current tab. After scrollIntoView, the Tab key would start there.
  useEffect(() => {
    const [list, open] = [nav.current, nav.current?.querySelector<HTMLElement>('[aria-current]')]
    if (!list || !open) return
    list.scrollLeft = open.offsetLeft - list.offsetLeft + open.offsetWidth - list.clientWidth
  }, [current])
  return (
    <nav ref={nav} class="tabs" aria-label={label}>
      {Object.entries(names).map(([name, text]) => (
        <Link
          key={name}
          href={hrefOf(view, undefined, { tab: name })}
          {...(name === current ? { 'aria-current': 'true' as const } : {})}
        >
          {text}
        </Link>
      ))}
    </nav>
  )
}

type TabbedProps<Name extends string> = ViewProps & {
  label: string
  view: string
  names: Readonly<Record<Name, string>>
  parts: Record<Name, ComponentType<ViewProps>>
  maySee?: (name: Name) => boolean
}

// The first tab that the user may see is the default.
export function TabbedView<Name extends string>(props: TabbedProps<Name>) {
  const { label, view, names, parts, maySee = () => true, session, place } = props
  const allowed = (Object.keys(parts) as Name[]).filter(maySee)
  const current = allowed.find((name) => name === place.query.tab) ?? (allowed[0] as Name)
  const Part: ComponentType<ViewProps> = parts[current]
  return (
    <>
      <Tabs
        {...{ label, view, current }}
        names={Object.fromEntries(allowed.map((name) => [name, names[name]]))}
      />
      <Part session={session} place={place} />
    </>
  )
}
