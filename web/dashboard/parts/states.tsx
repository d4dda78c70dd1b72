// Empty, error and loading states.

import type { ComponentChildren } from 'preact'
import { appStrings } from '../../copy.ts'
import type { Problem } from '../api.ts'
import { Icon, type IconName } from './icons.tsx'

// Says what to do next.
export function Empty({
  icon,
  title,
  children,
}: {
  icon: IconName
  title: string
  children?: ComponentChildren
}) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      <div class="empty-text">{children}</div>
    </div>
  )
}

// What happened, and what to do about it. Of fields that were filled in wrong nothing else is strings.
export function Failed({ problem, retry }: { problem: Problem; retry?: () => void }) {
  const isOfFields = problem.code === 'invalid_request' && problem.fields.length > 0
  return (
    <div class="failed" role="alert">
      <Icon name="warning" />
      <div>
        {!isOfFields && <p>{problem.message}</p>}
        {problem.fields.map(({ field, message }) => (
          <p key={`${field} ${message}`}>{appStrings.problems.field(field, message)}</p>
        ))}
        {problem.requestId && problem.fields.length === 0 && (
          <p class="muted small">{appStrings.problems.requestId(problem.requestId)}</p>
        )}
        {retry && (
          <button type="button" class="button" onClick={retry}>
            {appStrings.retry}
          </button>
        )}
      </div>
    </div>
  )
}

// As large as what will come, so that nothing jumps.
export function Skeleton({ lines = 1, kind = 'text' }: { lines?: number; kind?: string }) {
  return (
    <div class={`skeleton ${kind}`} aria-hidden="true">
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} />
      ))}
    </div>
  )
}
