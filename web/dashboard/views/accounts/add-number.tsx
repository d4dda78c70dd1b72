// Adds a number at another bank to a collection account. This cannot be undone.

import { useState } from 'preact/hooks'
import { accountsStrings } from '../../../copy.ts'
import { useData } from '../../loading.ts'
import { ActionDialog } from '../../parts/action.tsx'
import { BankSelect } from '../../parts/bank-choice.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { addNumber } from './change-account.ts'
import type { EditProps } from './edit-account.tsx'

const { addNumber: strings } = accountsStrings

export function AddNumber({ close, took, ...opened }: EditProps) {
  const [account] = useState(opened.account)
  const { data, problem, reload } = useData('/dashboard/api/banks', {})
  const has = (code: string) => account.accounts.some(({ bankCode }) => bankCode === code)
  const banks = data?.filter(({ code, issuesAccountNumbers }) => issuesAccountNumbers && !has(code))
  return (
    <ActionDialog
      title={strings.title}
      action={strings.submit}
      isReady={!!banks?.length}
      run={async (form, headers) => {
        const bankCode = form.text('bankCode')
        const now = await addNumber(account, bankCode, headers)
        took(now)
        return now.accounts.find((each) => each.bankCode === bankCode)
      }}
      message={(added) => (added ? strings.done(added.accountNumber, added.bankName) : '')}
      close={close}
    >
      {problem && <Failed problem={problem} retry={reload} />}
      {!banks && !problem && <Skeleton kind="text" lines={2} />}
      {banks?.length === 0 && <p class="muted">{strings.none}</p>}
      {banks && banks.length > 0 && (
        <>
          <p class="muted">{strings.text}</p>
          <BankSelect banks={banks} label={strings.bank} placeholder={strings.choose} />
        </>
      )}
    </ActionDialog>
  )
}
