// Settlements: the upcoming settlement, the closed ones, and the schedule.

import { codeOf } from '../../../../src/short-codes.ts'
import { settlementsStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { count, money } from '../../format.ts'
import { useEvents, useThrottled } from '../../live.ts'
import { useData, useRefreshKey, useReload } from '../../loading.ts'
import { Action } from '../../parts/action.tsx'
import { Link, tabbedView } from '../../parts/controls.tsx'
import { type Filter, humanized } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { type Column, fieldColumn } from '../../parts/table.tsx'
import { Badge, Money, Time } from '../../parts/values.tsx'
import { goTo, hrefOf } from '../../routing.ts'
import type { Session, ViewProps } from '../../session.ts'
import { OwnVatInvoices } from '../accounting/vat-invoices.tsx'
import { SettlementSettings } from './settings.tsx'
import { AmountList, periodOf, type Settlement, SettlementDetail } from './settlement.tsx'

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
  fields: [name, 'currency'],
})

const COLUMNS: readonly Column<Settlement>[] = [
  { name: strings.period, place: 'lead', show: periodOf, fields: ['cutOff'] },
  fieldColumn(strings.reference, 'reference', 'second', (value) => <code>{codeOf(value)}</code>),
  fieldColumn(strings.status, 'status', 'state', (status) => <Badge state={status} />),
  ...(['gross', 'fees', 'vat', 'refunds', 'recovered', 'net'] as const).map(amountColumn),
]

function ClosedSettlements(props: ViewProps) {
  const [refreshKey, refreshAll] = useRefreshKey()
  const mayWrite = props.session.scopes.includes('payouts:write')
  const settings = hrefOf('settlements', undefined, { tab: 'settings' })
  return (
    <>
      <Upcoming
        session={props.session}
        isAbout={ABOUT}
        refreshKey={refreshKey}
        changed={refreshAll}
      />
      <ListView
        {...props}
        view="settlements"
        icon="settlements"
        path={PATH}
        file={PATH}
        caption={strings.parts}
        columns={COLUMNS}
        filters={FILTERS}
        keyOf={({ reference }) => reference}
        isAbout={ABOUT}
        refreshKey={refreshKey}
        emptyState={{
          title: strings.none,
          text: mayWrite ? (
            <>
              {strings.noneText} <Link href={settings}>{strings.setSchedule}</Link>.
            </>
          ) : (
            strings.noneAsk
          ),
        }}
        drawer={{
          title: strings.one,
          path: `${PATH}/{reference}`,
          show: (settlement) => (
            <SettlementDetail
              settlement={settlement}
              session={props.session}
              changed={refreshAll}
            />
          ),
        }}
      />
    </>
  )
}

const { upcoming: upcomingWords } = strings
const SETTLEMENTS = '/api/v1/settlements'

type Props = { session: Session; isAbout: RegExp; refreshKey: number; changed: () => void }

// The amounts that a settlement would have now, and the button that closes it. Events about received money,
// settlements and payouts load the amounts again.
function Upcoming({ session, isAbout, refreshKey, changed }: Props) {
  const { data, problem, reload } = useData(`${SETTLEMENTS}/upcoming`, {})
  const refresh = useThrottled(reload)
  useReload(refreshKey, reload)
  const changesAmount = (type: string) =>
    isAbout.test(type) || /^(?:collection|payment)\./.test(type)
  const mayListen = session.scopes.includes('webhooks:read')
  useEvents(({ type }) => changesAmount(type) && refresh(), mayListen, refresh)
  const failed = problem && <Failed problem={problem} retry={reload} />
  if (!data) return failed ?? <Skeleton kind="line" />
  const { net, currency, lines, closesAt } = data
  const isEmpty = net === 0 && lines === 0
  const mayClose = session.scopes.includes('payouts:write') && !isEmpty
  return (
    <>
      {failed}
      <section class="card panel upcoming" aria-labelledby="upcoming">
        <div class="upcoming-sum">
          <h2 id="upcoming">{upcomingWords.title}</h2>
          <p class="headline">
            <Money amount={net} currency={currency} />
          </p>
          <p class="muted">
            {closesAt === null ? (
              upcomingWords.manual
            ) : (
              <>
                {upcomingWords.closes} <Time at={closesAt} />
              </>
            )}
            {' · '}
            {isEmpty ? upcomingWords.empty : upcomingWords.count(count(lines))}
          </p>
          <div class="actions">
            <Action
              title={upcomingWords.closeTitle(money(net, currency))}
              action={upcomingWords.close}
              style="primary"
              isOffered={mayClose}
              text={upcomingWords.closeText}
              run={(_, headers) => send('POST', SETTLEMENTS, { body: {}, headers })}
              message={({ reference }) => upcomingWords.closed(reference)}
              onDone={({ reference }) => {
                changed()
                goTo(hrefOf('settlements', reference))
              }}
            />
          </div>
        </div>
        {!isEmpty && <AmountList amounts={data} />}
      </section>
    </>
  )
}

export default tabbedView({
  view: 'settlements',
  words: strings,
  tabs: {
    settlements: ClosedSettlements,
    vatInvoices: OwnVatInvoices,
    settings: SettlementSettings,
  },
})
