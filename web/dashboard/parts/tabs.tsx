// The parts of a view, one at a time; which one stands in the address.

import { follow, hrefOf } from '../routing.ts'

type Props = {
  label: string
  view: string
  tabs: readonly { name: string; label: string }[]
  current: string
}

export function Tabs({ label, view, tabs, current }: Props) {
  return (
    <nav class="tabs" aria-label={label}>
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
