// The client's bank accounts, which receive its payouts and settlements. The service checks the name of a new
// bank account with the bank, which may take a moment.

import { payoutsStrings, bankAccountsStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { Action, AtOnceButton } from '../../parts/action.tsx'
import { BankAccountFields, bankAccountOf } from '../../parts/choices.tsx'
import { factList } from '../../parts/drawer.tsx'
import { ListView } from '../../parts/list-view.tsx'
import type { Column } from '../../parts/table.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Badge, Copyable, TextHeadline, Time } from '../../parts/values.tsx'
import { goTo, hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../session.ts'

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
  { name: strings.use, place: 'amount', show: usageText },
  { name: strings.added, place: 'time', show: ({ createdAt }) => <Time at={createdAt} /> },
]

export function BankAccounts(props: ViewProps) {
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
      emptyState={{ title: strings.none, text: mayWrite ? strings.noneText : strings.noneAsk }}
      add={mayWrite && ((changed) => <AddBankAccount onDone={changed} />)}
      drawer={{
        title: strings.one,
        path: `${PATH}/{reference}`,
        show: (account, { changed }) => (
          <BankAccountDetail account={account} mayWrite={mayWrite} onDone={changed} />
        ),
      }}
    />
  )
}

function AddBankAccount({ onDone }: { onDone: () => void }) {
  return (
    <Action
      action={strings.add}
      style="primary"
      text={strings.addText}
      run={(form, headers) =>
        send('POST', '/api/v1/bank-accounts', { body: bankAccountOf(form), headers })
      }
      onDone={({ reference }) => {
        onDone()
        goTo(hrefOf('payouts', reference, { tab: 'bankAccounts' }))
      }}
    >
      <BankAccountFields words={strings} name={strings.name} nameHint={strings.nameHint} />
    </Action>
  )
}

const ONE = `${PATH}/{reference}`

function BankAccountDetail(props: { account: BankAccount; mayWrite: boolean; onDone: () => void }) {
  const { account, mayWrite, onDone } = props
  const number = account.accountNumber ?? account.accountNumberMasked
  const text = strings.statusTexts[account.status]
  return (
    <>
      <TextHeadline text={account.accountName} badge={<NameEnquiry account={account} />} />
      {text && <p class="notice held">{text}</p>}
      {factList([
        [strings.number, <Copyable key="number" text={number} />],
        [strings.bank, account.bankName ?? account.bankCode],
        [strings.nameAtBank, account.nameAtBank],
        [strings.use, usageText(account)],
        [strings.reference, <Copyable key="reference" text={account.reference} />],
        [strings.added, <Time key="added" at={account.createdAt} />],
        [strings.enquired, account.enquiredAt && <Time at={account.enquiredAt} />],
      ])}
      {mayWrite && <AccountActions account={account} onDone={onDone} />}
    </>
  )
}

// The actions on a bank account. An account whose name the bank contradicts (`mismatch`) cannot become the
// default.
function AccountActions({ account, onDone }: { account: BankAccount; onDone: () => void }) {
  const { reference, accountName, isActive, isDefault, status } = account
  // Makes the account the default, or turns it on or off.
  const change = async (body: { isDefault?: true; isActive?: boolean }, message: string) => {
    await send('PATCH', ONE, { params: { reference }, body })
    toast(message)
    onDone()
  }
  const mayBeDefault = isActive && !isDefault && status !== 'mismatch'
  return (
    <div class="actions">
      {mayBeDefault && (
        <AtOnceButton
          label={strings.makeDefault}
          run={() => change({ isDefault: true }, strings.madeDefault)}
        />
      )}
      {!isActive && (
        <AtOnceButton
          label={strings.activate}
          run={() => change({ isActive: true }, strings.activated)}
        />
      )}
      <Action
        title={strings.deactivateTitle(accountName)}
        action={strings.deactivate}
        style="danger-text"
        isOffered={isActive}
        isDangerous
        text={`${strings.deactivateText} ${isDefault ? strings.lastDefault : ''}`}
        run={() => change({ isActive: false }, strings.deactivated)}
      />
    </div>
  )
}

type BankAccount = Schemas['BankAccount']

const TONES = { confirmed: 'good', mismatch: 'bad', unconfirmed: 'warn' } as const

// Whether the bank has confirmed the account’s name.
function NameEnquiry({ account: { status } }: { account: BankAccount }) {
  const tone = TONES[status as keyof typeof TONES]
  return <Badge state={strings.statuses[status] ?? status} {...(tone ? { tone } : {})} />
}

// Whether payouts may go to the account, and whether it is the default.
function usageText({ isActive, isDefault }: BankAccount): string {
  if (isDefault) return strings.default
  return isActive ? strings.active : strings.inactive
}
