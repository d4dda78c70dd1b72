// Tabs of a view; the current one is in the query string.

import { useEffect, useRef } from 'preact/hooks'
import { follow, hrefOf } from '../routing.ts'

type Props = {
  label: string
  view: string
  tabs: readonly { name: string; label: string }[]
  current: string
}

export function Tabs({ label, view, tabs, current }: Props) {
  const nav = useRef<HTMLElement>(null)
  // On a narrow page they scroll: the one that is open is in sight. With scrollIntoView, Tab would
  // begin there.
  useEffect(() => {
    const [list, open] = [nav.current, nav.current?.querySelector<HTMLElement>('[aria-current]')]
    if (!list || !open) return
    list.scrollLeft = open.offsetLeft - list.offsetLeft + open.offsetWidth - list.clientWidth
  }, [current])
  return (
    <nav ref={nav} class="tabs" aria-label={label}>
      {tabs.map(({ name, label: text }) => (
        <a
          key={name}
          href={hrefOf(view, undefined, { tab: name })}
          onClick={follow}
          {...(name === current ? { 'aria-current': 'true' as const } : {})}
        >
          {text}
        </a>
      ))}
    </nav>
  )
}
