// Fields that forms of collection accounts share.

import { accountsStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { Field } from '../../parts/forms.tsx'

type Account = Schemas['OwnAccount']

const NAME_MAX = 100
const EMAIL_MAX = 254
const MERCHANT_MAX = 64
const TIERS = [1, 2, 3] as const

export function ContactFields({ account }: { account?: Account }) {
  return (
    <>
      <Field label={strings.name}>
        {(id) => (
          <input
            id={id}
            name="accountName"
            required
            maxLength={NAME_MAX}
            autocomplete="off"
            defaultValue={account?.accountName ?? ''}
          />
        )}
      </Field>
      <Field label={strings.email}>
        {(id) => (
          <input
            id={id}
            name="email"
            type="email"
            required
            maxLength={EMAIL_MAX}
            autocomplete="off"
            defaultValue={account?.email ?? ''}
          />
        )}
      </Field>
      <Field label={strings.phone}>
        {(id) => (
          <input
            id={id}
            name="phoneNumber"
            type="tel"
            required
            pattern="\+?[0-9]{7,15}"
            autocomplete="off"
            defaultValue={account?.phoneNumber ?? ''}
          />
        )}
      </Field>
    </>
  )
}

export function WebhookField({ url }: { url: string }) {
  return (
    <Field label={strings.create.notificationUrl} hint={strings.create.notificationUrlHint}>
      {(id) => (
        <input
          id={id}
          name="notificationUrl"
          type="url"
          required
          autocomplete="off"
          placeholder="https://"
          defaultValue={url}
        />
      )}
    </Field>
  )
}

type MerchantProps = { name: 'merchantId' | 'merchantCode'; value: string }

export function MerchantField({ name, value }: MerchantProps) {
  const isId = name === 'merchantId'
  return (
    <Field
      label={isId ? strings.merchant : strings.merchantCode}
      {...(isId ? { hint: strings.create.merchantHint } : {})}
    >
      {(id) => (
        <input
          id={id}
          name={name}
          required
          maxLength={MERCHANT_MAX}
          autocomplete="off"
          defaultValue={value}
        />
      )}
    </Field>
  )
}

export function KycFields({ account }: { account?: Account }) {
  return (
    <>
      <Field label={strings.kycTier}>
        {(id) => (
          <select id={id} name="kycTier">
            {TIERS.map((tier) => (
              <option key={tier} value={tier} selected={tier === (account?.kycTier ?? 3)}>
                {tier}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={strings.create.verifiedName} hint={strings.create.verifiedNameHint}>
        {(id) => (
          <input
            id={id}
            name="verifiedName"
            maxLength={NAME_MAX}
            autocomplete="off"
            defaultValue={account?.verifiedName ?? ''}
          />
        )}
      </Field>
    </>
  )
}

export function tierOf(given: FormData): (typeof TIERS)[number] {
  return TIERS.find((tier) => `${tier}` === given.get('kycTier')) ?? 3
}
