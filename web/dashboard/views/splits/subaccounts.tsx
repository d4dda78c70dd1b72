// Subaccounts: the businesses that a client shares payments with.

import { settingsStrings, splitsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { Action } from '../../parts/action.tsx'
import { BankAccountFields, BankAccountsLink, bankAccountOf } from '../../parts/choices.tsx'
import { factList } from '../../parts/drawer.tsx'
import { StatementLinks } from '../../parts/exports.tsx'
import { InputField } from '../../parts/forms.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { amountColumn, type Column } from '../../parts/table.tsx'
import { Badge, BankName, Copyable, Money, Time } from '../../parts/values.tsx'
import type { ViewProps } from '../../session.ts'

type Subaccount = Schemas['Subaccount']

const { subaccounts: strings } = splitsStrings
const PATH = '/api/v1/subaccounts'

const stateOf = ({ isActive }: { isActive: boolean }) => (isActive ? 'active' : 'inactive')

const COLUMNS: readonly Column<Subaccount>[] = [
  { name: strings.name, place: 'lead', show: ({ name }) => name },
  { name: strings.code, place: 'second', show: ({ subaccountCode: code }) => <code>{code}</code> },
  amountColumn(strings.balance, 'balance'),
  { name: strings.state, place: 'state', show: (item) => <Badge state={stateOf(item)} /> },
  { name: strings.bank, show: ({ bankCode }) => <BankName code={bankCode} /> },
  { name: strings.number, show: ({ accountNumberMasked }) => <code>{accountNumberMasked}</code> },
  { name: strings.created, place: 'time', show: ({ createdAt }) => <Time at={createdAt} /> },
]

export function Subaccounts(props: ViewProps) {
  const mayWrite = props.session.scopes.includes('payouts:write')
  return (
    <ListView
      {...props}
      view="settings"
      icon="accounts"
      path={PATH}
      caption={settingsStrings.tabs.subaccounts}
      columns={COLUMNS}
      keyOf={({ subaccountCode }) => subaccountCode}
      emptyState={{ title: strings.none, text: strings.noneText }}
      add={mayWrite && ((changed) => <AddSubaccount onDone={changed} />)}
      drawer={{
        title: strings.one,
        path: `${PATH}/{subaccountCode}`,
        show: (subaccount, { changed }) => (
          <>
            <SubaccountFacts subaccount={subaccount} />
            {mayWrite && (
              <div class="buttons">
                <ChangeBankAccount subaccount={subaccount} onDone={changed} />
                <ActivationButton subaccount={subaccount} onDone={changed} />
              </div>
            )}
            <StatementLinks path={`${PATH}/${subaccount.subaccountCode}/statement`} />
          </>
        ),
      }}
    />
  )
}

// Says why the subaccount cannot be paid now, if so. `isAccountActive` is missing in responses of the
// previous release.
function notPaidReason({ isAccountActive, accountStatus }: Subaccount) {
  if (isAccountActive === false) return 'inactive'
  return accountStatus === 'confirmed' ? undefined : accountStatus
}

function SubaccountFacts({ subaccount }: { subaccount: Subaccount }) {
  const reason = notPaidReason(subaccount)
  return (
    <>
      <div class="headline">
        <Money amount={subaccount.balance} />
        <Badge state={stateOf(subaccount)} />
      </div>
      <p class="muted">
        {subaccount.name}. {strings.balanceHint}
      </p>
      {reason && (
        <p class="notice held">
          {strings.unpaid[reason]} {reason === 'inactive' && <BankAccountsLink />}
        </p>
      )}
      {factList([
        [strings.code, <Copyable key="code" text={subaccount.subaccountCode} />],
        [strings.bank, <BankName key="bank" code={subaccount.bankCode} />],
        [strings.number, subaccount.accountNumberMasked],
        [strings.accountName, subaccount.accountName],
        [strings.accountStatus, <Badge key="check" state={subaccount.accountStatus} />],
        [strings.created, <Time key="created" at={subaccount.createdAt} />],
      ])}
    </>
  )
}

// Deactivates an active subaccount, or activates an inactive one. `${verb}d` names the text for the success.
function ActivationButton({ subaccount, onDone }: { subaccount: Subaccount; onDone: () => void }) {
  const { subaccountCode, name, isActive } = subaccount
  const verb = isActive ? 'deactivate' : 'activate'
  return (
    <Action
      title={strings[`${verb}Title`](name)}
      action={strings[verb]}
      isDangerous={isActive}
      text={strings[`${verb}Text`]}
      run={() =>
        send('PATCH', `${PATH}/{subaccountCode}`, {
          params: { subaccountCode },
          body: { isActive: !isActive },
        })
      }
      message={strings[`${verb}d`]}
      onDone={onDone}
    />
  )
}

const NAME_MAX = 100
export const CODE_MAX = 40

function AddSubaccount({ onDone }: { onDone: () => void }) {
  return (
    <Action
      action={strings.add}
      style="primary"
      text={strings.addText}
      run={(form, headers) => {
        const code = form.text('subaccountCode')
        const body = {
          ...(code === '' ? {} : { subaccountCode: code }),
          name: form.text('name'),
          ...bankAccountOf(form),
        }
        return send('POST', '/api/v1/subaccounts', { body, headers })
      }}
      message={({ subaccountCode }) => strings.added(subaccountCode)}
      onDone={onDone}
    >
      <InputField label={strings.name} name="name" required maxLength={NAME_MAX} />
      <InputField
        label={strings.code}
        hint={strings.codeHint}
        name="subaccountCode"
        maxLength={CODE_MAX}
      />
      <SubaccountBankFields />
    </Action>
  )
}

function SubaccountBankFields({ presentName = '' }: { presentName?: string }) {
  return (
    <BankAccountFields
      words={strings}
      name={strings.accountName}
      nameHint={strings.accountNameHint}
      presentName={presentName}
    />
  )
}

function ChangeBankAccount(props: { subaccount: Schemas['Subaccount']; onDone: () => void }) {
  const { subaccount, onDone } = props
  const { subaccountCode, name, accountName } = subaccount
  return (
    <Action
      title={strings.changeBankTitle(name)}
      action={strings.changeBank}
      text={strings.changeBankText}
      run={(form) =>
        send('PATCH', '/api/v1/subaccounts/{subaccountCode}', {
          params: { subaccountCode },
          body: bankAccountOf(form),
        })
      }
      message={({ accountStatus }) =>
        accountStatus === 'confirmed' ? strings.bankChanged : strings.bankUnconfirmed
      }
      onDone={onDone}
    >
      <SubaccountBankFields presentName={accountName} />
    </Action>
  )
}
