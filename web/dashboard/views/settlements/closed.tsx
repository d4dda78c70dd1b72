// The upcoming settlement, and the list of closed ones.

import { settlementsStrings as strings } from '../../../copy.ts'
import { type Filter, humanized } from '../../parts/filters.tsx'
import { Link } from '../../parts/link.tsx'
import { ListView } from '../../parts/list-view.tsx'
import type { Column } from '../../parts/table.tsx'
import { Badge, Money } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import { useVersion } from '../../steady-refresh.ts'
import type { ViewProps } from '../../view-props.ts'
import { periodOf, type Settlement } from './amounts.tsx'
import { SettlementDetail } from './settlement.tsx'
import { Upcoming } from './upcoming.tsx'

const PATH = '/api/v1/settlements'
const STATUSES = ['closed', 'approved', 'sending', 'paid', 'part_failed', 'failed', 'cancelled']
const ABOUT = /^(?:settlement|payout)\./

const FILTERS: readonly Filter[] = [
  { name: 'status', label: strings.status, choices: humanized(STATUSES) },
]

type AmountName = 'gross' | 'fees' | 'vat' | 'refunds' | 'recovered' | 'net'

const amountColumn = (name: AmountName): Column<Settlement> => ({
  name: strings.amounts[name],
  ...(name === 'net' ? { place: 'amount' as const } : {}),
  isAmount: true,
  show: (settlement) => <Money amount={settlement[name]} currency={settlement.currency} />,
})

const COLUMNS: readonly Column<Settlement>[] = [
  { name: strings.period, place: 'lead', show: periodOf },
  { name: strings.reference, place: 'second', show: ({ reference }) => <code>{reference}</code> },
  { name: strings.status, place: 'state', show: ({ status }) => <Badge state={status} /> },
  ...(['gross', 'fees', 'vat', 'refunds', 'recovered', 'net'] as const).map(amountColumn),
]

export function ClosedSettlements(props: ViewProps) {
  const [version, bump] = useVersion()
  const mayWrite = props.session.scopes.includes('payouts:write')
  const settings = hrefOf('settlements', undefined, { tab: 'settings' })
  return (
    <>
      <Upcoming session={props.session} isAbout={ABOUT} version={version} changed={bump} />
      <ListView
        {...props}
        view="settlements"
        icon="settlements"
        path={PATH}
        caption={strings.parts}
        columns={COLUMNS}
        filters={FILTERS}
        keyOf={({ reference }) => reference}
        isAbout={ABOUT}
        version={version}
        none={{
          title: strings.none,
          text: mayWrite ? (
            <>
              {strings.noneText} <Link href={settings}>{strings.setSchedule}</Link>.
            </>
          ) : (
            strings.noneAsk
          ),
        }}
        one={{
          title: strings.one,
          path: `${PATH}/{reference}`,
          show: (settlement) => (
            <SettlementDetail settlement={settlement} session={props.session} changed={bump} />
          ),
        }}
      />
    </>
  )
}
