// The tabs of Payouts, and the payouts of all clients, of which those with an unknown outcome come first.

import { appStrings, payoutsStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { useSteadyRefreshKey } from '../../loading.ts'
import { tabbedView } from '../../parts/controls.tsx'
import type { Filter } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { type Column, fieldColumn } from '../../parts/table.tsx'
import { BankName } from '../../parts/values.tsx'
import { mayAccount, type ViewProps } from '../../session.ts'
import { BankAccounts } from './bank-accounts.tsx'
import { OwnPayouts } from './own-payouts.tsx'
import { COLUMNS, PAYOUT_FILTERS, PayoutDetail, WaitingPayouts } from './payout.tsx'
import { PayoutFiles } from './payout-files.tsx'
import { ResolvePayout } from './resolve-payout.tsx'

type OperatorPayout = Schemas['OperatorPayout']

const PATH = '/api/v1/operator/payouts'

const FILTERS: readonly Filter[] = [
  { name: 'clientId', label: strings.client, placeholder: strings.clientHint },
  { name: 'bankCode', label: strings.sendingBank, placeholder: strings.bankDigits },
  ...PAYOUT_FILTERS.filter(({ name }) => name !== 'approval'),
  { name: 'payoutFile', label: strings.file, placeholder: strings.fileHint },
]

// The columns of a client's own payouts. This list leaves out two of them, and adds client and bank.
const [recipient, amount, status, , , reference, requested] = COLUMNS
const ALL_COLUMNS: readonly (Column<OperatorPayout> | undefined)[] = [
  recipient,
  amount,
  status,
  fieldColumn(strings.client, 'clientId', 'second', (clientId) => clientId ?? appStrings.nothing),
  fieldColumn(strings.sendingBank, 'bankCode', undefined, (value) => <BankName code={value} />),
  reference,
  requested,
]

// Whether no bank has reported the outcome of the payout, so that a user may record it.
const isUndecided = ({ status, payoutFile }: OperatorPayout) =>
  status === 'unknown' || (status === 'sending' && payoutFile !== null)

function AllPayouts(props: ViewProps) {
  const [refreshKey, refresh] = useSteadyRefreshKey()
  return (
    <>
      <WaitingPayouts
        title={strings.waitingUnknown}
        path={PATH}
        query={{ status: 'unknown' }}
        tab="all"
        refreshKey={refreshKey}
      />
      <ListView
        {...props}
        view="payouts"
        icon="payouts"
        path={PATH}
        file={PATH}
        summary={`${PATH}/summary`}
        caption={strings.tabs.all}
        columns={ALL_COLUMNS.filter((column) => column !== undefined)}
        filters={FILTERS}
        keyOf={({ reference: key }) => key}
        refreshKey={refreshKey}
        emptyState={{ title: strings.none, text: strings.noneAll }}
        drawer={{
          title: strings.one,
          path: `${PATH}/{reference}`,
          show: (payout) => (
            <PayoutDetail payout={payout}>
              {isUndecided(payout) && mayAccount(props.session) && (
                <ResolvePayout
                  payout={payout}
                  session={props.session}
                  request={payout.failureRequest}
                  onDone={refresh}
                />
              )}
            </PayoutDetail>
          ),
        }}
      />
    </>
  )
}

const TABS_OF_ALL_CLIENTS: readonly string[] = ['all', 'files']

export default tabbedView({
  view: 'payouts',
  words: strings,
  tabs: {
    payouts: OwnPayouts,
    bankAccounts: BankAccounts,
    all: AllPayouts,
    files: PayoutFiles,
  },
  maySee: (name, { scopes }) =>
    scopes.includes('accounting:read') || !TABS_OF_ALL_CLIENTS.includes(name),
})
