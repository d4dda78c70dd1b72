// “Needs you” on Today: the number of waiting items of each kind, and the newest items with their actions.

import type { ComponentChildren } from 'preact'
import { approvalsStrings as strings } from '../../../copy.ts'
import { capped, PLACES, TASK_PLACES, usePending } from '../../parts/approval-count.tsx'
import { Link } from '../../parts/link.tsx'
import type { Session } from '../../session.ts'
import { WAITING_APPROVALS } from './waiting-approvals.tsx'
import { WAITING_TASKS } from './waiting-tasks.tsx'

// The requests that the user may approve, and other tasks, each with its count, a link and its newest items.
export function NeedsYou({ session }: { session: Session }) {
  const pending = usePending()
  if (!pending) return null
  const rows = [
    ...PLACES.map(([workflow, href]) => ({
      key: workflow,
      href,
      count: pending[workflow],
      name: strings.workflows[workflow],
      action: strings.review,
      Waiting: WAITING_APPROVALS[workflow],
    })),
    ...TASK_PLACES.map(([task, href]) => ({
      key: task,
      href,
      count: pending[task] ?? 0,
      name: strings.tasks[task],
      action: strings.open,
      Waiting: WAITING_TASKS[task],
    })),
  ].filter(({ count }) => count > 0)
  if (rows.length === 0) return null
  return (
    <section class="card needs-you" aria-labelledby="needs-you">
      <h2 id="needs-you">{strings.needsYou}</h2>
      <ul>
        {rows.map(({ key, Waiting, ...row }) => (
          <WaitingRow key={key} {...row}>
            {Waiting && <Waiting session={session} count={row.count} />}
          </WaitingRow>
        ))}
      </ul>
    </section>
  )
}

type WaitingRowProps = {
  href: string
  count: number
  name: string
  action: string
  children: ComponentChildren
}

function WaitingRow({ href, count, name, action, children }: WaitingRowProps) {
  return (
    <li>
      <div class="needs-you-row">
        <span class="count">{capped(count)}</span>
        <span>{name}</span>
        <Link class="button small" href={href} aria-label={strings.actOn(action, name)}>
          {action}
        </Link>
      </div>
      {children}
    </li>
  )
}
