// A new collection account. Merchant and webhook come from the latest account.

import { accountsStrings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { usePage } from '../../loading.ts'
import { Dialog, DialogForm } from '../../parts/dialog.tsx'
import { MoreOptions, useSending } from '../../parts/forms.tsx'
import { SplitChoice } from '../../parts/split-choice.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import {
  ContactFields,
  DigitsField,
  KycFields,
  MerchantField,
  tierOf,
  WebhookField,
} from './account-fields.tsx'

type Known = { merchantId: string; merchantCode: string; notificationUrl: string }
type Props = { clientId: string; close: () => void; created: (accountNumber: string) => void }

const { create: strings } = accountsStrings
const PATH = '/api/v1/accounts/static'

export function NewAccount(props: Props) {
  const { data, problem, reload } = usePage(PATH, { limit: '1' })
  if (!data) {
    return (
      <Dialog title={strings.title} close={props.close}>
        {problem ? <Failed problem={problem} retry={reload} /> : <Skeleton kind="rows" lines={6} />}
      </Dialog>
    )
  }
  const nothing = { merchantId: '', merchantCode: props.clientId, notificationUrl: '' }
  return <AccountForm {...props} known={data.data[0] ?? nothing} />
}

function AccountForm({ known, close, created }: Props & { known: Known }) {
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
    created(accountNumber)
  })
  const isFirst = known.notificationUrl === ''
  const ours = (
    <>
      <MerchantField name="merchantId" value={known.merchantId} />
      <MerchantField name="merchantCode" value={known.merchantCode} />
      <WebhookField url={known.notificationUrl} />
    </>
  )
  return (
    <DialogForm title={strings.title} action={strings.submit} sending={sending} close={close}>
      <ContactFields />
      <DigitsField name="bvn" label={strings.bvn} isNeeded />
      {isFirst && ours}
      <MoreOptions label={strings.more}>
        {!isFirst && ours}
        <KycFields />
        <DigitsField name="nin" label={strings.nin} />
        <SplitChoice />
      </MoreOptions>
    </DialogForm>
  )
}
