// Edits a collection account: its contact and KYC details and split, and its own limits. Both can be
// undone, but for another NIN.
//
// A form is of the account as it was when it was opened, also when that is loaded again behind it: what
// somebody else changes meanwhile is not overwritten.

import { useState } from 'preact/hooks'
import { appStrings, accountsStrings as strings } from '../../../copy.ts'
import { getPage } from '../../api.ts'
import { useLoaded } from '../../loading.ts'
import { CodeChoice } from '../../parts/code-choice.tsx'
import { DialogForm } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { SplitChoice } from '../../parts/split-choice.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { ContactFields, DigitsField, KycFields, tierOf, WebhookField } from './account-fields.tsx'
import { type Account, changeAccount, offerUndo } from './change-account.ts'

export type EditProps = {
  account: Account
  close: () => void
  took: (now: Account) => void // After it was changed.
}

export function EditAccount({ close, took, ...opened }: EditProps) {
  const [account] = useState(opened.account)
  const sending = useSending(async (given) => {
    const nin = textOf(given, 'nin')
    const now = await changeAccount(account, {
      accountName: textOf(given, 'accountName'),
      email: textOf(given, 'email'),
      phoneNumber: textOf(given, 'phoneNumber'),
      notificationUrl: textOf(given, 'notificationUrl'),
      kycTier: tierOf(given),
      verifiedName: textOf(given, 'verifiedName') || null,
      ...(nin ? { nin } : {}),
      // Left as it is while the choice has not loaded.
      ...(given.has('splitCode') ? { splitCode: textOf(given, 'splitCode') || null } : {}),
    })
    close()
    took(now)
    if (nin) return toast(appStrings.saved) // The one before is not known here.
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
  const sending = useSending(async (given) => {
    const limit = (name: string) => textOf(given, name).replaceAll(',', '') || null
    // Left as it is while the choice has not loaded.
    const hasProfile = given.has('limitProfile')
    const now = await changeAccount(account, {
      limits: {
        perCredit: limit('perCredit'),
        perDay: limit('perDay'),
        balanceMax: limit('balanceMax'),
      },
      ...(hasProfile ? { limitProfile: textOf(given, 'limitProfile') || null } : {}),
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
        <Field key={limit} label={strings[limit]}>
          {(id) => (
            <input
              id={id}
              name={limit}
              inputMode="decimal"
              autocomplete="off"
              pattern="[0-9,]+(\.[0-9]{1,2})?"
              placeholder={strings.limits.unset}
              defaultValue={account.ownLimits[limit]?.toString() ?? ''}
            />
          )}
        </Field>
      ))}
      <ProfileChoice current={account.limitProfile} />
    </DialogForm>
  )
}

function ProfileChoice({ current }: { current: string | null }) {
  const { data, problem, reload } = useLoaded('profiles', (signal) =>
    getPage('/api/v1/limit-profiles', {}, { query: { limit: '100' }, signal }),
  )
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="text" lines={2} />
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
