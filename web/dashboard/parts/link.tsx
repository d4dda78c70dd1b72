// A link within the dashboard.

import type { ComponentChildren } from 'preact'
import { follow } from '../routing.ts'

type Props = {
  href: string
  class?: string | undefined
  title?: string | undefined
  'aria-current'?: 'true'
  children: ComponentChildren
}

export const Link = ({ href, children, ...rest }: Props) => (
  <a href={href} {...rest} onClick={follow}>
    {children}
  </a>
)
