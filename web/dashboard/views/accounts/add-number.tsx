// Gives a collection account a number at another bank. It keeps it: this cannot be undone.

import { useState } from 'preact/hooks'
import { accountsStrings } from '../../../copy.ts'
import { useData } from '../../loading.ts'
import { BankSelect } from '../../parts/bank-choice.tsx'
import { DialogForm } from '../../parts/dialog.tsx'
import { textOf, useSending } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { addNumber } from './change-account.ts'
import type { EditProps } from './edit-account.tsx'

const { addNumber: strings } = accountsStrings

export function AddNumber({ close, took, ...opened }: EditProps) {
  const [account] = useState(opened.account)
  const { data, problem, reload } = useData('/dashboard/api/banks', {})
  const has = (code: string) => account.accounts.some(({ bankCode }) => bankCode === code)
  const banks = data?.filter(({ code, issuesAccountNumbers }) => issuesAccountNumbers && !has(code))
  const sending = useSending(async (given, headers) => {
    const bankCode = textOf(given, 'bankCode')
    const now = await addNumber(account, bankCode, headers)
    close()
    took(now)
    const added = now.accounts.find((each) => each.bankCode === bankCode)
    if (added) toast(strings.done(added.accountNumber, added.bankName))
  })
  return (
    <DialogForm
      title={strings.title}
      action={strings.submit}
      isReady={!!banks?.length}
      sending={sending}
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
    </DialogForm>
  )
}
