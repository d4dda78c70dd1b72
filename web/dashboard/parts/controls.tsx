// Buttons, links, tabs, and what a press on them opens: the controls of a view.

import type { AllHTMLAttributes, ComponentChildren, ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { follow, hrefOf } from '../routing.ts'
import type { Session, ViewProps } from '../session.ts'
import { Icon, type IconName } from './icons.tsx'

type Props = Omit<AllHTMLAttributes<HTMLButtonElement>, 'style'> & { style?: string }

export const Button = ({ style = '', children, ...rest }: Props) => (
  <button type="button" class={`button ${style}`} {...(rest as object)}>
    {children}
  </button>
)

type LinkProps = {
  href: string
  class?: string | undefined
  title?: string | undefined
  'aria-current'?: 'true'
  children: ComponentChildren
}

export const Link = ({ href, children, ...rest }: LinkProps) => (
  <a href={href} {...rest} onClick={follow}>
    {children}
  </a>
)

type TabsProps = {
  label: string
  view: string
  names: Readonly<Record<string, string>>
  current: string
}

export function Tabs({ label, view, names, current }: TabsProps) {
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

type SegmentsProps<Name extends string> = {
  label: string
  options: readonly Name[]
  names: Readonly<Record<Name, string>>
  chosen: Name
  choose: (name: Name) => void
}

export function Segments<Name extends string>(props: SegmentsProps<Name>) {
  const { label, options, names, chosen, choose } = props
  return (
    <fieldset class="segments">
      <legend class="hidden">{label}</legend>
      {options.map((option) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === chosen}
          onClick={() => choose(option)}
        >
          {names[option]}
        </button>
      ))}
    </fieldset>
  )
}

// Closes an open panel when the user presses or moves the focus outside of `box`.
export function useCloseOutside(
  box: { current: HTMLElement | null },
  isOpen: boolean,
  close: () => void,
) {
  useEffect(() => {
    if (!isOpen) return
    const closeOutside = (event: Event) => !box.current?.contains(event.target as Node) && close()
    document.addEventListener('pointerdown', closeOutside)
    document.addEventListener('focusin', closeOutside)
    return () => {
      document.removeEventListener('pointerdown', closeOutside)
      document.removeEventListener('focusin', closeOutside)
    }
  }, [isOpen])
}

type DropdownProps = {
  id: string
  icon: IconName
  label: string
  style?: string
  children: (close: () => void) => ComponentChildren
}

// A button with a panel that closes when the user presses or moves the focus outside it.
export function Dropdown({ id, icon, label, style = '', children }: DropdownProps) {
  const [isOpen, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const close = () => setOpen(false)
  useCloseOutside(box, isOpen, close)
  // Stops the event, so that Escape closes only the panel and not a dialog around it.
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return
    event.stopPropagation()
    close()
    box.current?.querySelector('button')?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape comes from the controls inside.
    <div ref={box} class={`dropdown ${style}`} onKeyDown={closeOnEscape}>
      <button
        type="button"
        class="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={icon} />
        {label}
      </button>
      <div class="dropdown-panel" id={id} hidden={!isOpen}>
        {isOpen && children(close)}
      </div>
    </div>
  )
}
