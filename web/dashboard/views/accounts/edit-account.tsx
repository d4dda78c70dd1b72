// Edits a collection account: contact, KYC details and split; and its own limits. Both can be undone, but
// for a changed NIN. A form keeps the account as it was when the form opened, so that it never overwrites
// somebody else's change.

import { useState } from 'preact/hooks'
import { appStrings, accountsStrings as strings } from '../../../copy.ts'
import { usePage } from '../../loading.ts'
import { CodeChoice } from '../../parts/code-choice.tsx'
import { DialogForm } from '../../parts/dialog.tsx'
import { AMOUNT, InputField, useSending } from '../../parts/forms.tsx'
import { SplitChoice } from '../../parts/split-choice.tsx'
import { Pending } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { ContactFields, DigitsField, KycFields, tierOf, WebhookField } from './account-fields.tsx'
import { type Account, changeAccount, offerUndo } from './change-account.ts'

export type EditProps = {
  account: Account
  close: () => void
  took: (now: Account) => void
}

export function EditAccount({ close, took, ...opened }: EditProps) {
  const [account] = useState(opened.account)
  const sending = useSending(async (form) => {
    const nin = form.text('nin')
    const now = await changeAccount(account, {
      accountName: form.text('accountName'),
      email: form.text('email'),
      phoneNumber: form.text('phoneNumber'),
      notificationUrl: form.text('notificationUrl'),
      kycTier: tierOf(form),
      verifiedName: form.text('verifiedName') || null,
      ...(nin ? { nin } : {}),
      // Unchanged while the choice has not loaded.
      ...(form.has('splitCode') ? { splitCode: form.text('splitCode') || null } : {}),
    })
    close()
    took(now)
    if (nin) return toast(appStrings.saved) // The old NIN is not known here.
    const { accountName, email, phoneNumber, notificationUrl, verifiedName, splitCode } = account
    const kycTier = account.kycTierSet as 1 | 2 | 3
    const contact = { accountName, email, phoneNumber, notificationUrl }
    const before = { ...contact, kycTier, verifiedName, splitCode }
    offerUndo({ text: appStrings.saved, took, back: () => changeAccount(now, before) })
  })
  return (
    <DialogForm title={strings.edit.title} action={appStrings.save} sending={sending} close={close}>
      <ContactFields account={account} />
      <WebhookField url={account.notificationUrl} />
      <KycFields account={account} />
      <DigitsField
        name="nin"
        label={strings.create.nin}
        hint={strings.edit.nin(account.ninMasked)}
      />
      <SplitChoice current={account.splitCode} />
    </DialogForm>
  )
}

const LIMITS = ['perCredit', 'perDay', 'balanceMax'] as const

export function EditLimits({ close, took, ...opened }: EditProps) {
  const [account] = useState(opened.account)
  const sending = useSending(async (form) => {
    const limit = (name: string) => form.amount(name) || null
    // Unchanged while the choice has not loaded.
    const hasProfile = form.has('limitProfile')
    const now = await changeAccount(account, {
      limits: {
        perCredit: limit('perCredit'),
        perDay: limit('perDay'),
        balanceMax: limit('balanceMax'),
      },
      ...(hasProfile ? { limitProfile: form.text('limitProfile') || null } : {}),
    })
    close()
    took(now)
    const { ownLimits: limits, limitProfile } = account
    const before = hasProfile ? { limits, limitProfile } : { limits }
    offerUndo({ text: appStrings.saved, took, back: () => changeAccount(now, before) })
  })
  return (
    <DialogForm
      title={strings.limits.title}
      action={appStrings.save}
      sending={sending}
      close={close}
    >
      <p class="muted">{strings.limits.text}</p>
      {LIMITS.map((limit) => (
        <InputField
          key={limit}
          label={strings[limit]}
          name={limit}
          {...AMOUNT}
          placeholder={strings.limits.unset}
          defaultValue={account.ownLimits[limit]?.toString() ?? ''}
        />
      ))}
      <ProfileChoice current={account.limitProfile} />
    </DialogForm>
  )
}

function ProfileChoice({ current }: { current: string | null }) {
  const { data, problem, reload } = usePage('/api/v1/limit-profiles', { limit: '100' })
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="text" lines={2} />
  return (
    <CodeChoice
      name="limitProfile"
      label={strings.limitProfile}
      none={strings.limits.ofTier}
      current={current}
      choices={data.data}
    />
  )
}
