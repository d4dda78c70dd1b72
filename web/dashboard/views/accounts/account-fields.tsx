// Fields that forms of collection accounts share.

import { accountsStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { Field, type Form, InputField } from '../../parts/forms.tsx'
import { WebAddressField } from '../../parts/web-address-field.tsx'

type Account = Schemas['OwnAccount']

const NAME_MAX = 100
const EMAIL_MAX = 254
const MERCHANT_MAX = 64
const TIERS = [1, 2, 3] as const

export function ContactFields({ account }: { account?: Account }) {
  return (
    <>
      <InputField
        label={strings.name}
        of="accountName"
        name="accountName"
        required
        maxLength={NAME_MAX}
        defaultValue={account?.accountName ?? ''}
      />
      <InputField
        label={strings.email}
        of="email"
        name="email"
        type="email"
        required
        maxLength={EMAIL_MAX}
        defaultValue={account?.email ?? ''}
      />
      <InputField
        label={strings.phone}
        of="phoneNumber"
        name="phoneNumber"
        type="tel"
        required
        pattern="\+?[0-9]{7,15}"
        defaultValue={account?.phoneNumber ?? ''}
      />
    </>
  )
}

export function WebhookField({ url }: { url: string }) {
  return (
    <WebAddressField
      name="notificationUrl"
      label={strings.create.notificationUrl}
      hint={strings.create.notificationUrlHint}
      value={url}
      isNeeded
    />
  )
}

type MerchantProps = { name: 'merchantId' | 'merchantCode'; value: string }

export function MerchantField({ name, value }: MerchantProps) {
  const isId = name === 'merchantId'
  return (
    <Field
      label={isId ? strings.merchant : strings.merchantCode}
      {...(isId ? { hint: strings.create.merchantHint } : {})}
      of={name}
    >
      {(id, wrong) => (
        <input
          id={id}
          name={name}
          required
          maxLength={MERCHANT_MAX}
          autocomplete="off"
          defaultValue={value}
          {...wrong}
        />
      )}
    </Field>
  )
}

export function KycFields({ account }: { account?: Account }) {
  return (
    <>
      <Field label={strings.kycTier} of="kycTier">
        {(id, wrong) => (
          <select id={id} name="kycTier" {...wrong}>
            {TIERS.map((tier) => (
              <option key={tier} value={tier} selected={tier === (account?.kycTierSet ?? 3)}>
                {tier}
              </option>
            ))}
          </select>
        )}
      </Field>
      <InputField
        label={strings.create.verifiedName}
        hint={strings.create.verifiedNameHint}
        of="verifiedName"
        name="verifiedName"
        maxLength={NAME_MAX}
        defaultValue={account?.verifiedName ?? ''}
      />
    </>
  )
}

type DigitsProps = { name: 'bvn' | 'nin'; label: string; hint?: string; isNeeded?: boolean }

export function DigitsField({ name, label, hint, isNeeded = false }: DigitsProps) {
  return (
    <InputField
      label={label}
      hint={hint ?? strings.create.digits11}
      of={name}
      name={name}
      required={isNeeded}
      inputMode="numeric"
      pattern="[0-9]{11}"
      maxLength={11}
    />
  )
}

export function tierOf(form: Form): (typeof TIERS)[number] {
  return TIERS.find((tier) => `${tier}` === form.get('kycTier')) ?? 3
}
