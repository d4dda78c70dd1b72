// The client's bank accounts: where its payouts and settlements go.

import { payoutsStrings, bankAccountsStrings as strings } from '../../../copy.ts'
import { ListView } from '../../parts/list-view.tsx'
import type { Column } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import { useVersion } from '../../steady-refresh.ts'
import type { ViewProps } from '../../view-props.ts'
import { AddBankAccount } from './add-bank-account.tsx'
import { BankAccountDetail } from './bank-account.tsx'
import { type BankAccount, NameEnquiry, useOf } from './name-enquiry.tsx'

const PATH = '/api/v1/bank-accounts'

const COLUMNS: readonly Column<BankAccount>[] = [
  { name: strings.name, place: 'lead', show: ({ accountName }) => accountName },
  {
    name: strings.number,
    place: 'second',
    show: ({ accountNumberMasked, bankName, bankCode }) => (
      <>
        <code>{accountNumberMasked}</code> <span class="muted">{bankName ?? bankCode}</span>
      </>
    ),
  },
  { name: strings.status, place: 'state', show: (account) => <NameEnquiry account={account} /> },
  { name: strings.use, place: 'amount', show: useOf },
  { name: strings.added, place: 'time', show: ({ createdAt }) => <Time at={createdAt} /> },
]

export function BankAccounts(props: ViewProps) {
  const [version, bump] = useVersion()
  const mayWrite = props.session.scopes.includes('payouts:write')
  return (
    <ListView
      {...props}
      view="payouts"
      icon="accounts"
      path={PATH}
      caption={payoutsStrings.tabs.bankAccounts}
      columns={COLUMNS}
      keyOf={({ reference }) => reference}
      version={version}
      none={{ title: strings.none, text: mayWrite ? strings.noneText : strings.noneAsk }}
      add={mayWrite && <AddBankAccount done={bump} />}
      one={{
        title: strings.one,
        path: `${PATH}/{reference}`,
        show: (account) => <BankAccountDetail account={account} mayWrite={mayWrite} done={bump} />,
      }}
    />
  )
}
