// Ledger: integrity status, chart of accounts, and each account's debits and credits.

import { useState } from 'preact/hooks'
import { ledgerStrings as strings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { humanize } from '../format.ts'
import { Balances } from '../parts/balances.tsx'
import { BankName, useBankNames } from '../parts/bank-name.tsx'
import { Facts } from '../parts/drawer.tsx'
import { IntegrityStatus } from '../parts/integrity-status.tsx'
import { LedgerPeriod } from '../parts/ledger-period.tsx'
import { ListView } from '../parts/list-view.tsx'
import { type Days, StatementLinks } from '../parts/statement-links.tsx'
import type { Column } from '../parts/table.tsx'
import { Copyable, Money, Time } from '../parts/values.tsx'
import type { ViewProps } from '../view-props.ts'

type Account = Schemas['LedgerAccount']

const PATH = '/api/v1/ledger/accounts'

const OWED = ['receivable', 'write_off'] // Shown with the client's name.

const kindOf = (kind: string) => strings.kinds[kind] ?? humanize(kind)

function Name({ account }: { account: Account }) {
  const { kind, accountName, bankCode, subaccountCode, clientId } = account
  const nameBank = useBankNames()
  if (accountName) return <>{accountName}</>
  const owner = subaccountCode ?? (OWED.includes(kind) && clientId)
  if (owner && !bankCode) return <>{strings.ofOwner(kindOf(kind), owner)}</>
  return <>{bankCode ? strings.ofBank(kindOf(kind), nameBank(bankCode)) : kindOf(kind)}</>
}

const amountColumn = (name: 'debits' | 'credits' | 'balance'): Column<Account> => ({
  name: strings[name],
  ...(name === 'balance' ? { place: 'amount' as const } : {}),
  isAmount: true,
  show: (account) => <Money amount={account[name]} currency={account.currency} />,
})

const COLUMNS: readonly Column<Account>[] = [
  { name: strings.account, place: 'lead', show: (account) => <Name account={account} /> },
  {
    name: strings.number,
    place: 'second',
    show: ({ accountNumber }) => <code>{accountNumber}</code>,
  },
  amountColumn('debits'),
  amountColumn('credits'),
  amountColumn('balance'),
]

export default function Ledger(props: ViewProps) {
  return (
    <>
      <IntegrityStatus />
      {props.session.scopes.includes('accounts:read') && <Balances place={props.place} />}
      <h2 class="section">{strings.accounts}</h2>
      <ListView
        {...props}
        view="ledger"
        icon="ledger"
        path={PATH}
        caption={strings.accounts}
        columns={COLUMNS}
        keyOf={({ id }) => `${id}`}
        isAbout={/./}
        none={{ title: strings.none, text: strings.noneText }}
        one={{
          title: strings.one,
          path: `${PATH}/{id}`,
          isFixed: true,
          show: (account) => <About account={account} />,
        }}
      />
    </>
  )
}

function About({ account }: { account: Account }) {
  const [days, setDays] = useState<Days>({ from: '', to: '' })
  return (
    <>
      <div class="headline">
        <Money amount={account.balance} currency={account.currency} />
      </div>
      <p class="muted">
        <Name account={account} />
      </p>
      <Facts
        facts={[
          [strings.kind, kindOf(account.kind)],
          [strings.number, account.accountNumber && <Copyable text={account.accountNumber} />],
          [strings.bank, account.bankCode && <BankName code={account.bankCode} />],
          [
            strings.debits,
            <Money key="debits" amount={account.debits} currency={account.currency} />,
          ],
          [
            strings.credits,
            <Money key="credits" amount={account.credits} currency={account.currency} />,
          ],
          [strings.opened, <Time key="opened" at={account.openedAt} />],
        ]}
      />
      <StatementLinks path={`${PATH}/${account.id}/statement`} choose={setDays} />
      <h3>{strings.transfers}</h3>
      <LedgerPeriod id={account.id} currency={account.currency} days={days} />
    </>
  )
}
