// Lists the newest items of one kind that wait for the user, each with its facts and its action.

import type { ComponentChildren, ComponentType } from 'preact'
import { holdsStrings, approvalsStrings as strings } from '../../../copy.ts'
import { getPage, type PagePath, type Params, type Query, type Row } from '../../api.ts'
import { useLoaded, useReload } from '../../loading.ts'
import { refreshApprovalCounts } from '../../parts/approval-count.tsx'
import { Link } from '../../parts/link.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { Money, Time } from '../../parts/values.tsx'
import type { Session } from '../../session.ts'

const SHOWN_MAX = 3
const LOADED_MAX = '20' // More than are shown, because some items may wait for other users.

type Item = {
  key: string
  href: string
  text: ComponentChildren
  sum?: { amount: number; currency?: string } | undefined
  at: string
  by?: string | null | undefined
  reason?: string | null | undefined
  actions?: ComponentChildren
}

type Tools = { session: Session; onDone: () => void }

type List<P extends PagePath> = {
  path: P
  query?: Query
  isForUser?: (row: Row<P>, session: Session) => boolean
  show: (row: Row<P>, tools: Tools) => Item
}

export type Waiting = ComponentType<{ session: Session; count: number }>

// Makes a component that loads the items of one kind and lists the newest ones for the user.
export function waitingItems<P extends PagePath>({
  path,
  query = {},
  isForUser = () => true,
  show,
}: List<P>): Waiting {
  return function WaitingItems({ session, count }) {
    const { data, problem, reload } = useLoaded(JSON.stringify([path, query]), (signal) =>
      getPage(path, {} as Params<P>, { query: { ...query, limit: LOADED_MAX }, signal }),
    )
    useReload(count, reload)
    // Called after a decision: the item is gone, and the counts change.
    const onDone = () => {
      refreshApprovalCounts()
      reload()
    }
    if (problem) return <Failed problem={problem} retry={reload} />
    if (!data) return <Skeleton kind="lines" lines={1} />
    const rows = data.data.filter((row) => isForUser(row, session)).slice(0, SHOWN_MAX)
    if (rows.length === 0) return null
    return (
      <ul class="needs-you-items">
        {rows.map((row) => {
          const { key, ...item } = show(row, { session, onDone })
          return <WaitingItem key={key} {...item} />
        })}
      </ul>
    )
  }
}

// One item that waits for the user. `by` is the user who requested it.
function WaitingItem({ href, text, sum, at, by, reason, actions }: Omit<Item, 'key'>) {
  return (
    <li>
      <p>
        <Link href={href}>{text}</Link>
        {sum && (
          <>
            {' '}
            <Money amount={sum.amount} currency={sum.currency ?? 'NGN'} />
          </>
        )}
      </p>
      <p class="muted small">
        {by && `${strings.by(holdsStrings.person(by))}, `}
        <Time at={at} />
      </p>
      {reason && <p class="request-reason">{reason}</p>}
      {actions}
    </li>
  )
}

type Request = { requestedBy: string; cannotApprove: object | null }

// Whether the user may approve the request: another user made it, and there is no obstacle. The service
// counts by the same rule.
export function mayApprove({ requestedBy, cannotApprove }: Request, { user }: Session): boolean {
  return cannotApprove === null && requestedBy !== `user:${user.email}`
}
