// A bank account: the bank's name check, and its use.

import { bankAccountsStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { Action, AtOnceButton } from '../../parts/action.tsx'
import { Facts } from '../../parts/drawer.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Copyable, TextHeadline, Time } from '../../parts/values.tsx'
import { type BankAccount, NameEnquiry, useOf } from './name-enquiry.tsx'

const PATH = '/api/v1/bank-accounts/{reference}'

type Props = { account: BankAccount; mayWrite: boolean; done: () => void }

export function BankAccountDetail({ account, mayWrite, done }: Props) {
  const number = account.accountNumber ?? account.accountNumberMasked
  const text = strings.statusTexts[account.status]
  return (
    <>
      <TextHeadline text={account.accountName} badge={<NameEnquiry account={account} />} />
      {text && <p class="notice held">{text}</p>}
      <Facts
        facts={[
          [strings.number, <Copyable key="number" text={number} />],
          [strings.bank, account.bankName ?? account.bankCode],
          [strings.nameAtBank, account.nameAtBank],
          [strings.use, useOf(account)],
          [strings.reference, <Copyable key="reference" text={account.reference} />],
          [strings.added, <Time key="added" at={account.createdAt} />],
          [strings.enquired, account.enquiredAt && <Time at={account.enquiredAt} />],
        ]}
      />
      {mayWrite && <AccountActions account={account} done={done} />}
    </>
  )
}

function AccountActions({ account, done }: { account: BankAccount; done: () => void }) {
  const { reference, accountName, isActive, isDefault, status } = account
  const change = async (body: { isDefault?: true; isActive?: boolean }, message: string) => {
    await send('PATCH', PATH, { params: { reference }, body })
    toast(message)
    done()
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
