// A bank account: what the bank says of its name, and whether it is used.

import { useState } from 'preact/hooks'
import { bankAccountsStrings as strings } from '../../../copy.ts'
import { problemFrom, send } from '../../api.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/drawer.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Copyable, Time } from '../../parts/values.tsx'
import { type BankAccount, NameEnquiry, useOf } from './name-enquiry.tsx'

const PATH = '/api/v1/bank-accounts/{reference}'

type Props = { account: BankAccount; mayWrite: boolean; done: () => void }

export function BankAccountDetail({ account, mayWrite, done }: Props) {
  const number = account.accountNumber ?? account.accountNumberMasked
  const text = strings.statusTexts[account.status]
  return (
    <>
      <div class="headline">
        <span class="headline-text">{account.accountName}</span>
        <NameEnquiry account={account} />
      </div>
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

type Changes = { isDefault?: true; isActive?: boolean }

function AccountActions({ account, done }: { account: BankAccount; done: () => void }) {
  const { reference, accountName, isActive, isDefault, status } = account
  const [isAsked, setAsked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const change = async (body: Changes, said: string) => {
    await send('PATCH', PATH, { params: { reference }, body })
    toast(said)
    done()
  }
  const press = async (body: Changes, said: string) => {
    setBusy(true)
    await change(body, said).catch((error) => toast(problemFrom(error).message, 'bad'))
    setBusy(false)
  }
  const mayBeDefault = isActive && !isDefault && status !== 'mismatch'
  return (
    <div class="actions">
      {mayBeDefault && (
        <button
          type="button"
          class="button"
          disabled={isBusy}
          onClick={() => press({ isDefault: true }, strings.madeDefault)}
        >
          {strings.makeDefault}
        </button>
      )}
      {isActive ? (
        <button type="button" class="button danger-text" onClick={() => setAsked(true)}>
          {strings.deactivate}
        </button>
      ) : (
        <button
          type="button"
          class="button"
          disabled={isBusy}
          onClick={() => press({ isActive: true }, strings.activated)}
        >
          {strings.activate}
        </button>
      )}
      {isAsked && (
        <Confirm
          title={strings.deactivateTitle(accountName)}
          action={strings.deactivate}
          isDangerous
          run={() => change({ isActive: false }, strings.deactivated)}
          close={() => setAsked(false)}
        >
          {strings.deactivateText} {isDefault && strings.lastDefault}
        </Confirm>
      )}
    </div>
  )
}
