// The ledger: its integrity status, the chart of accounts, and each account's debits and credits.

import { useState } from 'preact/hooks'
import { ledgerStrings as strings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { humanize } from '../format.ts'
import { useData, usePages } from '../loading.ts'
import { Balances } from '../parts/balances.tsx'
import { Link } from '../parts/controls.tsx'
import { factList } from '../parts/drawer.tsx'
import { type Days, StatementLinks } from '../parts/exports.tsx'
import { Icon } from '../parts/icons.tsx'
import { ListView } from '../parts/list-view.tsx'
import { Failed, Pending, Skeleton } from '../parts/states.tsx'
import { type Column, fieldColumn, Pager } from '../parts/table.tsx'
import { BankName, Copyable, Money, Time, useBankNames } from '../parts/values.tsx'
import { hrefOf } from '../routing.ts'
import type { ViewProps } from '../session.ts'

type Account = Schemas['LedgerAccount']

const PATH = '/api/v1/ledger/accounts'

const OWNED_KINDS = ['receivable', 'write_off'] // Shown with the client's name.

const kindName = (kind: string) => strings.kinds[kind] ?? humanize(kind)

// The account's own name, or else its kind with the owner or the bank.
function LedgerAccountName({ account }: { account: Account }) {
  const { kind, accountName, bankCode, subaccountCode, clientId } = account
  const nameBank = useBankNames()
  if (accountName) return <>{accountName}</>
  const owner = subaccountCode ?? (OWNED_KINDS.includes(kind) && clientId)
  if (owner && !bankCode) return <>{strings.ofOwner(kindName(kind), owner)}</>
  return <>{bankCode ? strings.ofBank(kindName(kind), nameBank(bankCode)) : kindName(kind)}</>
}

const amountColumn = (name: 'debits' | 'credits' | 'balance'): Column<Account> => ({
  name: strings[name],
  ...(name === 'balance' ? { place: 'amount' as const } : {}),
  isAmount: true,
  show: (account) => <Money amount={account[name]} currency={account.currency} />,
})

const COLUMNS: readonly Column<Account>[] = [
  {
    name: strings.account,
    place: 'lead',
    show: (account) => <LedgerAccountName account={account} />,
  },
  fieldColumn(strings.number, 'accountNumber', 'second', (value) => <code>{value}</code>),
  amountColumn('debits'),
  amountColumn('credits'),
  amountColumn('balance'),
]

// The integrity check, the balances and the ledger accounts. Any event (`/./`) may change a balance.
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
        emptyState={{ title: strings.none, text: strings.noneText }}
        drawer={{
          title: strings.one,
          path: `${PATH}/{id}`,
          isLoadedOnce: true,
          show: (account) => <AccountFacts account={account} />,
        }}
      />
    </>
  )
}

// The drawer of a ledger account: its data, and its statement and transfers for the chosen days.
function AccountFacts({ account }: { account: Account }) {
  const [days, setDays] = useState<Days>({ from: '', to: '' })
  return (
    <>
      <div class="headline">
        <Money amount={account.balance} currency={account.currency} />
      </div>
      <p class="muted">
        <LedgerAccountName account={account} />
      </p>
      {factList([
        [strings.kind, kindName(account.kind)],
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
      ])}
      <StatementLinks path={`${PATH}/${account.id}/statement`} choose={setDays} />
      <h3>{strings.transfers}</h3>
      <LedgerPeriod id={account.id} currency={account.currency} days={days} />
    </>
  )
}

type Audit = Schemas['IntegrityReport']

// The result of the latest integrity check: whether the books add up.
function IntegrityStatus() {
  const { data, problem, reload } = useData('/api/v1/ledger/audit', {})
  if (problem && !data) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="line" />
  const { isOk, finishedAt, checks, isOverdue } = data
  const failedChecks = checks.filter((check) => !check.isOk).length
  const title = isOk === null ? strings.notYet : isOk ? strings.adds : strings.addsNot
  return (
    <section class={`audit ${toneOf(data)}`} aria-labelledby="audit">
      <Icon name={isOk ? 'check' : 'warning'} />
      <div class="audit-text">
        <h2 id="audit">{title}</h2>
        <p>
          {isOk === null && strings.notYetText}
          {isOk === true && strings.held(checks.length)}
          {isOk === false && strings.broke(failedChecks, checks.length)}
          {finishedAt && (
            <>
              {' '}
              {strings.ran} <Time at={finishedAt} />.
            </>
          )}
        </p>
        {isOverdue && <p>{strings.overdue}</p>}
        {isOk !== null && <IntegrityChecks audit={data} />}
      </div>
    </section>
  )
}

// Red after a failed check, yellow before the first check or if a check is overdue, otherwise green.
function toneOf({ isOk, isOverdue }: Audit): string {
  if (isOk === false) return 'bad'
  return isOk === null || isOverdue ? 'warn' : 'good'
}

// Each check with its result and findings. The list is open if any check failed.
function IntegrityChecks({ audit: { checks, findings, isOk } }: { audit: Audit }) {
  return (
    <details open={isOk === false}>
      <summary>{strings.checks}</summary>
      <ul class="checks">
        {checks.map(({ name, isOk: isCheckOk, findings: count }) => (
          <li key={name} class={isCheckOk ? 'good' : 'bad'}>
            <Icon name={isCheckOk ? 'check' : 'warning'} />
            <span>{strings.check[name] ?? humanize(name)}</span>
            <span class="check-end">{isCheckOk ? strings.holds : strings.fails(count)}</span>
            {findings
              ?.filter(({ check }) => check === name)
              .map((finding) => (
                <p key={finding.subject} class="finding small">
                  <code>{finding.subject}</code> {strings.expected(finding.expected, finding.found)}
                </p>
              ))}
          </li>
        ))}
      </ul>
    </details>
  )
}

type Transfer = Schemas['LedgerTransfer']

const ONE = `${PATH}/{id}`

type Props = { id: number; currency: string; days: Days }

// The totals and transfers of the chosen days. `to` is exclusive, so it must be later than `from`.
function LedgerPeriod({ id, currency, days }: Props) {
  const isInvalidPeriod = days.from !== '' && days.to !== '' && days.to <= days.from
  if (isInvalidPeriod) return <p class="fault">{strings.wrongDays}</p>
  return (
    <>
      <PeriodTotals id={id} days={days} />
      <Transfers id={id} currency={currency} days={days} />
    </>
  )
}

function PeriodTotals({ id, days }: Omit<Props, 'currency'>) {
  const { data, problem, reload } = useData(`${ONE}/totals`, { id }, days)
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="text" lines={4} />
  return (
    <dl class="sums">
      {(['opening', 'debits', 'credits', 'closing'] as const).map((name) => (
        <div key={name}>
          <dt>{strings.sums[name]}</dt>
          <dd>
            <Money amount={data[name]} currency={data.currency} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Transfers({ id, currency, days }: Props) {
  const pages = usePages(`${ONE}/transfers`, { id }, { limit: '20', ...days })
  const { data, problem, reload } = pages
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="rows" lines={6} />
  if (data.data.length === 0 && pages.isFirst && !data.hasMore) {
    return <p class="muted">{strings.noTransfers}</p>
  }
  return (
    <>
      <table class="entries">
        <caption class="hidden">{strings.transfers}</caption>
        <thead>
          <tr>
            <th scope="col">{strings.transfer}</th>
            <th scope="col" class="amount">
              {strings.debit}
            </th>
            <th scope="col" class="amount">
              {strings.creditSide}
            </th>
          </tr>
        </thead>
        <tbody>
          {data.data.map((transfer) => (
            <TransferRow key={transfer.id} transfer={transfer} currency={currency} />
          ))}
        </tbody>
      </table>
      <Pager pages={pages} />
    </>
  )
}

// A transfer as the account sees it: in the debit or the credit column, with the other account below.
function TransferRow({ transfer, currency }: { transfer: Transfer; currency: string }) {
  const { reason, side, amount, creditId, postedAt } = transfer
  const reasonName = strings.reasons[reason] ?? humanize(reason)
  const sum = <Money amount={amount} currency={currency} />
  return (
    <tr>
      <td>
        {creditId === null ? (
          <p>{reasonName}</p>
        ) : (
          <p>
            <Link href={hrefOf('credits', `${creditId}`)}>{reasonName}</Link>
          </p>
        )}
        <p class="muted small">
          <OtherAccount transfer={transfer} />
        </p>
        <p class="muted small">
          <Time at={postedAt} />
        </p>
      </td>
      <td class="amount">{side === 'debit' && sum}</td>
      <td class="amount">{side === 'credit' && sum}</td>
    </tr>
  )
}

function OtherAccount(props: { transfer: Transfer }) {
  const { transfer } = props
  const { otherAccountId, otherKind, otherBankCode } = transfer
  const nameBank = useBankNames()
  const kind = (strings.kinds[otherKind] ?? humanize(otherKind)).toLowerCase()
  const bank = otherBankCode && nameBank(otherBankCode)
  const otherAccountName = strings.other(bank ? strings.ofBank(kind, bank) : kind)
  if (otherAccountId === null) return <>{otherAccountName}</>
  return <Link href={hrefOf('ledger', `${otherAccountId}`)}>{otherAccountName}</Link>
}
