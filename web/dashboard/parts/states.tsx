// Empty, error and loading states.

import type { ComponentChildren } from 'preact'
import { appStrings } from '../../copy.ts'
import type { Problem } from '../api.ts'
import { Button } from './controls.tsx'
import { Icon, type IconName } from './icons.tsx'

type EmptyProps = { icon: IconName; title: string; text?: string; children?: ComponentChildren }

// Shown where a list or view has no data, with a hint on how to get some.
export function Empty({ icon, title, text, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      <div class="empty-text">
        {text && <p>{text}</p>}
        {children}
      </div>
    </div>
  )
}

// Explains a refusal. Errors of fields are listed one by one, without the general message.
export function Failed({ problem, retry }: { problem: Problem; retry?: () => void }) {
  const hasFieldErrors = problem.code === 'invalid_request' && problem.fields.length > 0
  return (
    <div class="failed" role="alert">
      <Icon name="warning" />
      <div>
        {!hasFieldErrors && <p>{problem.message}</p>}
        {problem.fields.map(({ field, message }) => (
          <p key={`${field} ${message}`}>{appStrings.problems.field(field, message)}</p>
        ))}
        {problem.requestId && problem.fields.length === 0 && (
          <p class="muted small">{appStrings.problems.requestId(problem.requestId)}</p>
        )}
        {retry && <Button onClick={retry}>{appStrings.retry}</Button>}
      </div>
    </div>
  )
}

// Sized like the data that will replace it, so that the page does not move.
export function Skeleton({ lines = 1, kind = 'text' }: { lines?: number; kind?: string }) {
  return (
    <div class={`skeleton ${kind}`} aria-hidden="true">
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} />
      ))}
    </div>
  )
}

type PendingProps = {
  data: unknown
  problem: Problem | undefined
  reload: () => void
  lines?: number
  kind?: string
}

// Renders an error with a retry button, or a skeleton until there is data.
export function Pending({ data, problem, reload, ...skeleton }: PendingProps) {
  if (problem) return <Failed problem={problem} retry={reload} />
  return data ? null : <Skeleton {...skeleton} />
}
