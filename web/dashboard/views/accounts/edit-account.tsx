// Edits a collection account: its contact and KYC details, and its own limits. Both can be undone.
//
// A form is of the account as it was when it was opened, also when that is loaded again behind it: what
// somebody else changes meanwhile is not overwritten.

import { useState } from 'preact/hooks'
import { appStrings, accountsStrings as strings } from '../../../copy.ts'
import { getPage } from '../../api.ts'
import { useLoaded } from '../../loading.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { ContactFields, KycFields, tierOf, WebhookField } from './account-fields.tsx'
import { type Account, changeAccount, offerUndo } from './change-account.ts'

export type EditProps = {
  account: Account
  close: () => void
  took: (now: Account) => void // After it was changed.
}

export function EditAccount({ close, took, ...opened }: EditProps) {
  const [account] = useState(opened.account)
  const sending = useSending(async (given) => {
    const now = await changeAccount(account, {
      accountName: textOf(given, 'accountName'),
      email: textOf(given, 'email'),
      phoneNumber: textOf(given, 'phoneNumber'),
      notificationUrl: textOf(given, 'notificationUrl'),
      kycTier: tierOf(given),
      verifiedName: textOf(given, 'verifiedName') || null,
    })
    close()
    took(now)
    const { accountName, email, phoneNumber, notificationUrl, verifiedName } = account
    const kycTier = account.kycTier as 1 | 2 | 3
    const before = { accountName, email, phoneNumber, notificationUrl, kycTier, verifiedName }
    offerUndo({ text: appStrings.saved, took, back: () => changeAccount(now, before) })
  })
  return (
    <DialogForm title={strings.edit.title} action={appStrings.save} sending={sending} close={close}>
      <ContactFields account={account} />
      <WebhookField url={account.notificationUrl} />
      <KycFields account={account} />
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
  const codes = data.data.map(({ code, name }) => ({ code, name }))
  const isListed = current === null || codes.some(({ code }) => code === current)
  return (
    <Field label={strings.limitProfile}>
      {(id) => (
        <select id={id} name="limitProfile">
          <option value="">{strings.limits.ofTier}</option>
          {[...(isListed ? [] : [{ code: current, name: current }]), ...codes].map(
            ({ code, name }) => (
              <option key={code} value={code} selected={code === current}>
                {name}
              </option>
            ),
          )}
        </select>
      )}
    </Field>
  )
}
