// The main menu: Today, then the views in groups that fold. The browser stores which groups are folded.

import { useState } from 'preact/hooks'
import { appStrings } from '../copy.ts'
import { Icon } from './parts/icons.tsx'
import { follow, hrefOf } from './routing.ts'
import type { Session } from './session.ts'
import { GROUPS, type Group, type View } from './views.ts'

const KEY = 'manilla-folded-groups'

// Returns the groups that are folded until the user folds or unfolds one. Operators and finance users see the
// groups that they use most. In a sandbox, an operator is usually a developer who tries out the service.
function foldedAtFirst({ role, client }: Session): readonly Group[] {
  if (role === 'operator' && client.mode === 'sandbox') return ['books']
  return role === 'operator' || role === 'finance' ? ['developers'] : []
}

// Returns the folded groups that this browser stored, or else the default ones.
function foldedGroups(session: Session): readonly Group[] {
  const stored = window.localStorage.getItem(KEY)
  if (stored === null) return foldedAtFirst(session)
  const names = stored.split(',')
  return GROUPS.filter((group) => names.includes(group))
}

// The groups that the user folded show only the count of their waiting items, and the open view. The
// stylesheet makes the rows lower if `--rows` of them do not fit the window.
export function Menu(props: { views: readonly View[]; current: string; session: Session }) {
  const { views, current, session } = props
  const [folded, setFolded] = useState(() => foldedGroups(session))
  // Folds or unfolds a group, and stores the choice in the browser.
  const toggleGroup = (group: Group) => {
    const next = folded.includes(group)
      ? folded.filter((name) => name !== group)
      : [...folded, group]
    window.localStorage.setItem(KEY, next.join(','))
    setFolded(next)
  }
  const groupsWithViews = GROUPS.filter((name) => views.some(({ group }) => group === name))
  // The open view stays visible in a folded group.
  const isVisible = ({ group, path }: View) =>
    group === undefined || !folded.includes(group) || path === current
  const rows = views.filter(isVisible).length + groupsWithViews.length
  const itemsOf = (name: Group | undefined) =>
    views
      .filter((view) => view.group === name && isVisible(view))
      .map((view) => <MenuItem key={view.path} {...{ view, current, session }} />)
  return (
    <nav aria-label={appStrings.menu} style={{ '--rows': rows }}>
      <ul>
        {itemsOf(undefined)}
        {groupsWithViews.map((group) => {
          const isFolded = folded.includes(group)
          return (
            <li key={group}>
              <button
                type="button"
                class="menu-group"
                aria-expanded={!isFolded}
                onClick={() => toggleGroup(group)}
              >
                {appStrings.groups[group]}
                <Icon name="fold" />
                {isFolded &&
                  views
                    .filter((view) => view.group === group && !isVisible(view))
                    .map(
                      ({ path, count: Count }) => Count && <Count key={path} session={session} />,
                    )}
              </button>
              <ul>{itemsOf(group)}</ul>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

function MenuItem(props: { view: View; current: string; session: Session }) {
  const { view, current, session } = props
  const { path, name, icon, count: Count } = view
  return (
    <li>
      <a
        href={hrefOf(path)}
        onClick={follow}
        {...(path === current ? { 'aria-current': 'page' as const } : {})}
      >
        <Icon name={icon} />
        {name}
        {Count && <Count session={session} />}
      </a>
    </li>
  )
}
