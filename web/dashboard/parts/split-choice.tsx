// A field to choose a split. It renders nothing if the client has no splits or the user may not see them.
// Also renders the shares of a split.

import { splitsStrings as strings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { usePage } from '../loading.ts'
import { hrefOf } from '../routing.ts'
import { CodeChoice } from './code-choice.tsx'
import type { Fact } from './drawer.tsx'
import { Link } from './link.tsx'
import { Pending } from './states.tsx'
import { Money } from './values.tsx'

const NOT_ALLOWED_CODES = ['role_not_allowed', 'merchants_restricted']

// Renders nothing if there is no split to choose, or if the user may not see splits.
export function SplitChoice({ current = null }: { current?: string | null }) {
  const { data, problem, reload } = usePage('/api/v1/splits', { limit: '100' })
  if (problem && NOT_ALLOWED_CODES.includes(problem.code)) return null
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="text" lines={2} />
  const active = data.data.filter(({ isActive }) => isActive)
  if (active.length === 0 && current === null) return null
  return (
    <CodeChoice
      name="splitCode"
      label={strings.splitCode}
      hint={strings.choiceHint}
      emptyOption={strings.choiceNone}
      current={current}
      choices={active.map(({ splitCode, name }) => ({ code: splitCode, name }))}
    />
  )
}

type Shared = { splits: readonly Schemas['SplitShare'][]; currency: string }

// The share of each subaccount, among the facts of a payment or credit.
export function shareFacts({ splits, currency }: Shared): Fact[] {
  return splits.map(({ subaccountCode, amount }) => [
    strings.share(subaccountCode),
    <Money key={subaccountCode} amount={amount} currency={currency} />,
  ])
}

export function SplitLink({ code }: { code: string }) {
  return <Link href={hrefOf('settings', code, { tab: 'splits' })}>{code}</Link>
}
