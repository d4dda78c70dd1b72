// Tabs of a view. The query string names the current tab.

import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { hrefOf } from '../routing.ts'
import type { Session } from '../session.ts'
import type { ViewProps } from '../view-props.ts'
import { Link } from './link.tsx'

type Props = {
  label: string
  view: string
  names: Readonly<Record<string, string>>
  current: string
}

// The links to the tabs of a view. The tab is a parameter of the URL.
export function Tabs({ label, view, names, current }: Props) {
  const nav = useRef<HTMLElement>(null)
  // Scrolls narrow pages to the current tab. scrollIntoView is not used: the Tab key would then start at that
  // tab.
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

type Options<Name extends string> = {
  view: string
  words: { parts: string; tabs: Readonly<Record<NoInfer<Name>, string>> }
  tabs: Record<Name, ComponentType<ViewProps>>
  maySee?: (name: Name, session: Session) => boolean
}

// Creates a view that consists of tabs. The first tab that the user may see is the default.
export function tabbedView<Name extends string>(options: Options<Name>) {
  const { view, words, tabs, maySee = () => true } = options
  return function TabbedView({ session, place }: ViewProps) {
    const allowed = (Object.keys(tabs) as Name[]).filter((name) => maySee(name, session))
    const current = allowed.find((name) => name === place.query.tab) ?? (allowed[0] as Name)
    const names = Object.fromEntries(allowed.map((name) => [name, words.tabs[name]]))
    const Tab: ComponentType<ViewProps> = tabs[current]
    return (
      <>
        <Tabs label={words.parts} {...{ view, names, current }} />
        <Tab session={session} place={place} />
      </>
    )
  }
}
