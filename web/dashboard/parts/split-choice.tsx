// A choice of split. Shows nothing if the client has none or the user may not see them.

import { splitsStrings as strings } from '../../copy.ts'
import { getPage } from '../api.ts'
import { useLoaded } from '../loading.ts'
import { CodeChoice } from './code-choice.tsx'
import { Failed, Skeleton } from './states.tsx'

const UNSEEN = ['role_not_allowed', 'merchants_restricted']

export function SplitChoice({ current = null }: { current?: string | null }) {
  const { data, problem, reload } = useLoaded('splits', (signal) =>
    getPage('/api/v1/splits', {}, { query: { limit: '100' }, signal }),
  )
  if (problem && UNSEEN.includes(problem.code)) return null
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="text" lines={2} />
  const active = data.data.filter(({ isActive }) => isActive)
  if (active.length === 0 && current === null) return null
  return (
    <CodeChoice
      name="splitCode"
      label={strings.splitCode}
      hint={strings.choiceHint}
      none={strings.choiceNone}
      current={current}
      choices={active.map(({ splitCode, name }) => ({ code: splitCode, name }))}
    />
  )
}
