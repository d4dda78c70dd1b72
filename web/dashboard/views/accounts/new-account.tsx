// The form that creates a collection account, and the fields that the forms for accounts share. The merchant
// and the webhook default to those of the latest account.

import { accountsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { usePage } from '../../loading.ts'
import { SplitChoice } from '../../parts/choices.tsx'
import { Dialog, DialogForm } from '../../parts/dialog.tsx'
import {
  type Form,
  InputField,
  MoreOptions,
  SelectField,
  useSending,
  WebAddressField,
} from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'

type LatestAccount = { merchantId: string; merchantCode: string; notificationUrl: string }
type Props = { clientId: string; close: () => void; onCreated: (accountNumber: string) => void }

const { create: strings } = accountsStrings
const PATH = '/api/v1/accounts/static'

// Loads the latest account, whose merchant and webhook are the defaults for the new one.
export function NewAccount(props: Props) {
  const { data, problem, reload } = usePage(PATH, { limit: '1' })
  if (!data) {
    return (
      <Dialog title={strings.title} close={props.close}>
        {problem ? <Failed problem={problem} retry={reload} /> : <Skeleton kind="rows" lines={6} />}
      </Dialog>
    )
  }
  const defaults = { merchantId: '', merchantCode: props.clientId, notificationUrl: '' }
  return <AccountForm {...props} latest={data.data[0] ?? defaults} />
}

// The merchant fields are folded, except for the first account, which has no defaults for them.
function AccountForm({ latest, close, onCreated }: Props & { latest: LatestAccount }) {
  const sending = useSending(async (form, headers) => {
    const text = (name: string) => form.text(name)
    const body = {
      accountName: text('accountName'),
      bvn: text('bvn'),
      email: text('email'),
      phoneNumber: text('phoneNumber'),
      merchantId: text('merchantId'),
      merchantCode: text('merchantCode'),
      notificationUrl: text('notificationUrl'),
      channel: 'dashboard',
      kycTier: tierOf(form),
      nin: text('nin'),
      verifiedName: text('verifiedName'),
      splitCode: text('splitCode'),
    }
    const { accountNumber } = await send('POST', PATH, { body, headers })
    onCreated(accountNumber)
  })
  const isFirst = latest.notificationUrl === ''
  const merchantFields = (
    <>
      <MerchantField name="merchantId" value={latest.merchantId} />
      <MerchantField name="merchantCode" value={latest.merchantCode} />
      <WebhookField url={latest.notificationUrl} />
    </>
  )
  return (
    <DialogForm title={strings.title} action={strings.submit} sending={sending} close={close}>
      <ContactFields />
      <DigitsField name="bvn" label={strings.bvn} isNeeded />
      {isFirst && merchantFields}
      <MoreOptions label={strings.more}>
        {!isFirst && merchantFields}
        <KycFields />
        <DigitsField name="nin" label={strings.nin} />
        <SplitChoice />
      </MoreOptions>
    </DialogForm>
  )
}

type Account = Schemas['OwnAccount']

const NAME_MAX = 100
const EMAIL_MAX = 254
const MERCHANT_MAX = 64
const TIERS = [1, 2, 3] as const

export function ContactFields({ account }: { account?: Account }) {
  return (
    <>
      <InputField
        label={accountsStrings.name}
        name="accountName"
        required
        maxLength={NAME_MAX}
        defaultValue={account?.accountName ?? ''}
      />
      <InputField
        label={accountsStrings.email}
        name="email"
        type="email"
        required
        maxLength={EMAIL_MAX}
        defaultValue={account?.email ?? ''}
      />
      <InputField
        label={accountsStrings.phone}
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
      label={accountsStrings.create.notificationUrl}
      hint={accountsStrings.create.notificationUrlHint}
      value={url}
      isNeeded
    />
  )
}

// The id of the merchant that the account belongs to, or its code. Both are required.
function MerchantField({ name, value }: { name: 'merchantId' | 'merchantCode'; value: string }) {
  const isId = name === 'merchantId'
  return (
    <InputField
      label={isId ? accountsStrings.merchant : accountsStrings.merchantCode}
      hint={isId && accountsStrings.create.merchantHint}
      name={name}
      required
      maxLength={MERCHANT_MAX}
      defaultValue={value}
    />
  )
}

// The KYC tier, which is 3 at first for a new account, and the name as it was verified.
export function KycFields({ account }: { account?: Account }) {
  return (
    <>
      <SelectField
        label={accountsStrings.kycTier}
        name="kycTier"
        options={TIERS.map((tier) => [`${tier}`, `${tier}`])}
        chosen={`${account?.kycTierSet ?? 3}`}
      />
      <InputField
        label={accountsStrings.create.verifiedName}
        hint={accountsStrings.create.verifiedNameHint}
        name="verifiedName"
        maxLength={NAME_MAX}
        defaultValue={account?.verifiedName ?? ''}
      />
    </>
  )
}

type DigitsProps = { name: 'bvn' | 'nin'; label: string; hint?: string; isNeeded?: boolean }

// A field for a BVN or NIN, which have eleven digits.
export function DigitsField({ name, label, hint, isNeeded = false }: DigitsProps) {
  return (
    <InputField
      label={label}
      hint={hint ?? accountsStrings.create.digits11}
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
