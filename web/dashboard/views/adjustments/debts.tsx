// Debts: receivables of clients, or shortfalls of banks.

import { adjustmentsStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { BankName } from '../../parts/bank-name.tsx'
import { Facts } from '../../parts/drawer.tsx'
import { Link } from '../../parts/link.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { amountColumn, type Column } from '../../parts/table.tsx'
import { Money, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import { mayAccount } from '../../session.ts'
import { useSteadyVersion } from '../../steady-refresh.ts'
import type { ViewProps } from '../../view-props.ts'
import { AskAdjustment, type DebtKind } from './ask-adjustment.tsx'

type Account = Schemas['LedgerAccount']

const PATH = '/api/v1/ledger/accounts'

export function Debtor({ clientId, bankCode }: Pick<Account, 'clientId' | 'bankCode'>) {
  return bankCode ? <BankName code={bankCode} /> : clientId
}

const COLUMNS: readonly Column<Account>[] = [
  { name: strings.debtor, place: 'lead', show: (account) => <Debtor {...account} /> },
  amountColumn(strings.owed, 'balance'),
  { name: strings.since, place: 'time', show: ({ openedAt }) => <Time at={openedAt} /> },
]

export function Debts({ kind, ...props }: ViewProps & { kind: DebtKind }) {
  const [version] = useSteadyVersion()
  return (
    <ListView
      {...props}
      view="adjustments"
      icon="ledger"
      path={PATH}
      also={{ kind }}
      caption={strings.tabs[kind]}
      columns={COLUMNS}
      keyOf={({ id }) => `${id}`}
      version={version}
      none={{ title: strings.noDebts, text: strings.noDebtsText }}
      one={{
        title: strings[kind],
        path: `${PATH}/{id}`,
        show: (account, { changed }) => (
          <>
            <div class="headline">
              <Money amount={account.balance} currency={account.currency} />
            </div>
            <Facts
              facts={[
                [strings.debtor, <Debtor key="debtor" {...account} />],
                [strings.since, <Time key="since" at={account.openedAt} />],
              ]}
            />
            <p class="after-facts">
              <Link href={hrefOf('ledger', `${account.id}`)}>{strings.ledger}</Link>
            </p>
            {account.balance > 0 && mayAccount(props.session) && (
              <AskAdjustment account={account} kind={kind} done={changed} />
            )}
          </>
        ),
      }}
    />
  )
}
