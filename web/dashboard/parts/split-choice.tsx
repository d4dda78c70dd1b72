// A choice of split. Shows nothing if the client has none or the user may not see them.

import { splitsStrings as strings } from '../../copy.ts'
import { usePage } from '../loading.ts'
import { CodeChoice } from './code-choice.tsx'
import { Pending } from './states.tsx'

const UNSEEN = ['role_not_allowed', 'merchants_restricted']

export function SplitChoice({ current = null }: { current?: string | null }) {
  const { data, problem, reload } = usePage('/api/v1/splits', { limit: '100' })
  if (problem && UNSEEN.includes(problem.code)) return null
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="text" lines={2} />
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
