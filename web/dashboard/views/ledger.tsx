// Ledger: integrity status, chart of accounts, and each account's transfers.

import type { Schemas } from '../api.ts'
import { humanize } from '../format.ts'
import { usePages } from '../loading.ts'
import { Balances } from '../parts/balances.tsx'
import { BankName, useBankNames } from '../parts/bank-name.tsx'
import { Detail } from '../parts/detail.tsx'
import { Facts } from '../parts/drawer.tsx'
import { Icon } from '../parts/icons.tsx'
import { IntegrityStatus } from '../parts/integrity-status.tsx'
import { ListView } from '../parts/list-view.tsx'
import { StatementLinks } from '../parts/statement-links.tsx'
import { Failed, Skeleton } from '../parts/states.tsx'
import { type Column, Pager } from '../parts/table.tsx'
import { Copyable, Money, Time } from '../parts/values.tsx'
import { follow, hrefOf } from '../routing.ts'
import { ledgerStrings as strings } from '../strings/ledger.ts'
import type { ViewProps } from '../view-props.ts'

type Account = Schemas['LedgerAccount']

type Transfer = Schemas['LedgerTransfer']

const PATH = '/api/v1/ledger/accounts'

const OWED = ['receivable', 'write_off'] // By a client, who is named.

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
        params={{}}
        caption={strings.accounts}
        columns={COLUMNS}
        keyOf={({ id }) => `${id}`}
        isAbout={/./}
        none={{ title: strings.none, text: strings.noneText }}
        detail={({ open, close }) => (
          <Detail
            key={open}
            title={strings.one}
            path={`${PATH}/{id}`}
            params={{ id: open }}
            close={close}
            show={(account) => <About account={account} />}
          />
        )}
      />
    </>
  )
}

function About({ account }: { account: Account }) {
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
      <StatementLinks path={`${PATH}/${account.id}/statement`} />
      <h3>{strings.transfers}</h3>
      <Transfers id={account.id} currency={account.currency} />
    </>
  )
}

function Transfers({ id, currency }: { id: number; currency: string }) {
  const pages = usePages(`${PATH}/{id}/transfers`, { id }, { limit: '20' })
  const { data, problem, reload } = pages
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="rows" lines={6} />
  if (data.data.length === 0 && pages.isFirst && !data.hasMore) {
    return <p class="muted">{strings.noTransfers}</p>
  }
  return (
    <>
      <ol class="entries" aria-label={strings.transfers}>
        {data.data.map((transfer) => (
          <Entry key={transfer.id} transfer={transfer} currency={currency} />
        ))}
      </ol>
      <Pager pages={pages} />
    </>
  )
}

function Entry({ transfer, currency }: { transfer: Transfer; currency: string }) {
  const { reason, direction, amount, otherAccountId, otherKind, creditId, postedAt } = transfer
  const isIn = direction === 'in'
  const what = strings.reasons[reason] ?? humanize(reason)
  const other = strings.other(kindOf(otherKind).toLowerCase())
  return (
    <li>
      <span class={`entry-mark ${direction}`}>
        <Icon name={isIn ? 'credits' : 'reversal'} />
      </span>
      <div>
        {creditId === null ? (
          <p>{what}</p>
        ) : (
          <p>
            <a href={hrefOf('credits', `${creditId}`)} onClick={follow}>
              {what}
            </a>
          </p>
        )}
        <p class="muted small">
          {otherAccountId === null ? (
            other
          ) : (
            <a href={hrefOf('ledger', `${otherAccountId}`)} onClick={follow}>
              {other}
            </a>
          )}
        </p>
      </div>
      <div class="entry-end">
        <span>
          {isIn ? '+' : '−'}
          <Money amount={amount} currency={currency} />
        </span>
        <Time at={postedAt} />
      </div>
    </li>
  )
}
