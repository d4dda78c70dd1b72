// The split that applies, and the share of each subaccount.

import { splitsStrings as strings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { hrefOf } from '../routing.ts'
import type { Fact } from './drawer.tsx'
import { Link } from './link.tsx'
import { Money } from './values.tsx'

type Shared = { splits: readonly Schemas['SplitShare'][]; currency: string }

export function shareFacts({ splits, currency }: Shared): Fact[] {
  return splits.map(({ subaccountCode, amount }) => [
    strings.share(subaccountCode),
    <Money key={subaccountCode} amount={amount} currency={currency} />,
  ])
}

export function SplitLink({ code }: { code: string }) {
  return <Link href={hrefOf('settings', code, { tab: 'splits' })}>{code}</Link>
}
