// The frame around every view: menu, search, user menu. On a narrow page the menu collapses.

import type { ComponentType } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { appStrings, shortcutsStrings } from '../copy.ts'
import { type Problem, problemFrom } from './api.ts'
import { commandsFor } from './commands.ts'
import { humanize } from './format.ts'
import { forgetEvents, useConnection } from './live.ts'
import { Menu } from './menu.tsx'
import { Link } from './parts/controls.tsx'
import { TimeZoneNote } from './parts/drawer.tsx'
import { Icon, type IconName } from './parts/icons.tsx'
import { ShortcutList } from './parts/shortcut-list.tsx'
import { Failed, Skeleton } from './parts/states.tsx'
import { toast } from './parts/toasts.tsx'
import { BASE, usePlace } from './routing.ts'
import { SearchBox } from './search.tsx'
import { type Session, signOut, type ViewProps } from './session.ts'
import { useShortcuts } from './shortcuts.ts'
import { chooseTheme, chosenTheme, nextTheme } from './theme.ts'
import { ViewHelp } from './view-help.tsx'
import { UNLISTED, type View, viewsFor } from './views.ts'

export function Shell({ session }: { session: Session }) {
  const place = usePlace()
  const [isOpen, setOpen] = useState(false)
  const menuButton = useRef<HTMLButtonElement>(null)
  // Escape folds the menu of a narrow page.
  const closeMenuOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return
    setOpen(false)
    menuButton.current?.focus()
  }
  const [isLeaving, setLeaving] = useState(false)
  const views = viewsFor(session)
  const commands = useMemo(() => commandsFor(session, viewsFor(session)), [session])
  const view = [...views, ...UNLISTED].find(({ path }) => path === place.view)
  const { isHelpOpen, setHelpOpen, announcement } = useShortcuts(views)
  const name = view?.name ?? appStrings.nothingHere.title
  useEffect(() => {
    setOpen(false)
    document.title = `${name} · ${appStrings.title}`
  }, [place.view, name])

  return (
    <div class="shell">
      <a class="skip" href="#content">
        {appStrings.skip}
      </a>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape folds the menu from anywhere in it. */}
      <header class="side" data-open={isOpen} onKeyDown={closeMenuOnEscape}>
        <div class="side-top">
          <Link class="brand" href={BASE}>
            {appStrings.title}
          </Link>
          {session.client.mode === 'sandbox' && (
            <span class="badge warn">{appStrings.sandbox}</span>
          )}
          <button
            ref={menuButton}
            type="button"
            class="icon-button menu-button"
            aria-expanded={isOpen}
            aria-controls="menu"
            aria-label={isOpen ? appStrings.closeMenu : appStrings.openMenu}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'close' : 'menu'} />
          </button>
        </div>
        <div class="side-body" id="menu">
          {!isLeaving && <Menu views={views} current={place.view} session={session} />}
          <UserMenu session={session} setLeaving={setLeaving} />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <div class="top">
          <div class="top-name">
            <h1>{name}</h1>
            {view && <ViewHelp key={view.path} path={view.path} name={name} />}
          </div>
          <SearchBox session={session} commands={commands} />
        </div>
        <ConnectionNote />
        {!isLeaving && <ViewPlace key={place.view} view={view} props={{ session, place }} />}
        <TimeZoneNote />
        <ShortcutsButton open={() => setHelpOpen(true)} />
        <p class="hidden" role="status">
          {announcement}
        </p>
        {isHelpOpen && <ShortcutList views={views} close={() => setHelpOpen(false)} />}
      </main>
    </div>
  )
}

function ShortcutsButton({ open }: { open: () => void }) {
  return (
    <button type="button" class="button quiet small shortcuts-open" onClick={open}>
      {shortcutsStrings.open} <kbd>?</kbd>
    </button>
  )
}

// A note above the view while events cannot arrive.
function ConnectionNote() {
  const connection = useConnection()
  return (
    <div class="connection" role="status">
      {connection !== 'well' && <p class="notice">{appStrings.connection[connection]}</p>}
    </div>
  )
}

// Resolves once the browser has drawn, or after 100 ms in a hidden tab, which draws nothing.
function untilDrawn(): Promise<unknown> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => window.setTimeout(resolve))
    window.setTimeout(resolve, 100)
  })
}

// The foot of the menu: the user, the theme and the sign-out.
function UserMenu(props: { session: Session; setLeaving: (isLeaving: boolean) => void }) {
  const { session, setLeaving } = props
  const { user, role, client } = session
  const [theme, setTheme] = useState(chosenTheme)
  const switchTheme = () => {
    const next = nextTheme(theme)
    chooseTheme(next)
    setTheme(next)
  }
  // Signs the user out. If that fails, the view comes back with the error in a toast.
  const leaveService = async () => {
    // Unmounts the view first, so that it sends no request after the session has ended.
    setLeaving(true)
    forgetEvents()
    await untilDrawn()
    try {
      await signOut()
      window.location.assign(BASE) // A reload drops all data of this user.
    } catch (error) {
      setLeaving(false)
      toast(problemFrom(error).message, 'bad')
    }
  }
  return (
    <div class="user-menu">
      <div class="user-menu-user">
        <p class="user-menu-client" title={client.clientId}>
          {client.name}
        </p>
        <p class="muted" title={user.email}>
          {user.email}
        </p>
        <p class="muted">{humanize(role)}</p>
      </div>
      <IconButton name={theme} label={appStrings.themes[theme]} press={switchTheme} />
      <IconButton name="leave" label={appStrings.signOut} press={leaveService} />
    </div>
  )
}

function IconButton({ name, label, press }: { name: IconName; label: string; press: () => void }) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={press}>
      <Icon name={name} />
    </button>
  )
}

// Loads the code of the view when it first opens, and shows it with its props.
function ViewPlace({ view, props }: { view: View | undefined; props: ViewProps }) {
  type State = { Component?: ComponentType<ViewProps>; problem?: Problem }
  const [state, setState] = useState<State>({})
  const [attempt, setAttempt] = useState(0)
  const isUnmounted = useRef(false)
  useEffect(() => {
    isUnmounted.current = false
    view?.load().then(
      ({ default: Component }) => !isUnmounted.current && setState({ Component }),
      () => !isUnmounted.current && setState({ problem: problemFrom(undefined) }),
    )
    return () => {
      isUnmounted.current = true
    }
  }, [view, attempt])
  if (!view) {
    return (
      <p class="empty">
        {appStrings.nothingHere.text} <Link href={BASE}>{appStrings.nothingHere.link}</Link>
      </p>
    )
  }
  const { Component, problem } = state
  if (problem) return <Failed problem={problem} retry={() => setAttempt(attempt + 1)} />
  return Component ? <Component {...props} /> : <Skeleton kind="page" lines={6} />
}
