// Actions on a collection account, for users who may change accounts: edit it, its limits and payer rules,
// add a number, switch it off and on, erase its customer.

import { useState } from 'preact/hooks'
import { appStrings, accountsStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { useData, usePage } from '../../loading.ts'
import { Action, ActionDialog, AtOnceButton, EraseButton, offerUndo } from '../../parts/action.tsx'
import { BankSelect, CodeChoice, SplitChoice } from '../../parts/choices.tsx'
import { Button } from '../../parts/controls.tsx'
import { DialogForm } from '../../parts/dialog.tsx'
import { AMOUNT, type Headers, InputField, newKey, useSending } from '../../parts/forms.tsx'
import { PayerRulesFields, payerRulesFrom } from '../../parts/payer-rules-fields.tsx'
import { Failed, Pending, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { ContactFields, DigitsField, KycFields, tierOf, WebhookField } from './new-account.tsx'

const FORMS = {
  edit: EditAccount,
  limits: EditLimits,
  rules: EditPayerRules,
  addNumber: AddNumber,
} as const
type FormName = keyof typeof FORMS

type ActionsProps = { account: Account; changed: () => void }

// The actions on an account. A change returns the account with its new version, which the next change needs
// before the drawer has read the account again. So the newer of the two is used.
export function AccountActions({ account: read, changed }: ActionsProps) {
  const [form, setForm] = useState<FormName | undefined>()
  const [saved, setSaved] = useState<Account | undefined>()
  const account = saved && saved.version > read.version ? saved : read
  // Keeps the changed account for the next change, and reloads the drawer and the list.
  const onChanged = (updated: Account) => {
    setSaved(updated)
    changed()
  }
  const Form = form && FORMS[form]
  if (isErased(account)) {
    return (
      <section class="after-facts" aria-label={strings.actions}>
        <p class="muted small">{strings.erasedText}</p>
        <div class="buttons after-facts">
          <EraseAccount {...{ account, changed }} />
        </div>
      </section>
    )
  }
  return (
    <section class="buttons after-facts" aria-label={strings.actions}>
      {(Object.keys(FORMS) as FormName[]).map((name) => (
        <button key={name} type="button" class="button" onClick={() => setForm(name)}>
          {strings[name].open}
        </button>
      ))}
      {account.isActive && !account.isDefault && <DefaultButton {...{ account, onChanged }} />}
      {!isVerified(account) && <VerifyButton {...{ account, changed }} />}
      <ActiveButton {...{ account, onChanged }} />
      {!account.isActive && <EraseAccount {...{ account, changed }} />}
      {Form && <Form {...{ account, onChanged }} close={() => setForm(undefined)} />}
    </section>
  )
}

const isVerified = ({ identity, ninMasked }: Account) =>
  identity.bvn.status === 'verified' && (ninMasked === null || identity.nin.status === 'verified')

// Has the identity service check the customer's BVN and NIN.
function VerifyButton({ account: { accountNumber }, changed }: ActionsProps) {
  const path = '/api/v1/accounts/static/{accountNumber}/verify'
  return (
    <Action
      title={strings.verify.title}
      action={strings.verify.open}
      text={strings.verify.text}
      run={async (_, headers) => {
        await send('POST', path, { params: { accountNumber }, body: null, headers })
        changed()
      }}
      message={strings.verify.done}
    />
  )
}

// Only an erased account has no email address.
const isErased = ({ email }: Account) => email === ''

// An erased account can be erased again, to remove data that has arrived since then.
function EraseAccount({ account: { accountNumber }, changed }: ActionsProps) {
  // Resolves to whether the data of every account that the service erased is gone by now.
  const run = async (body: { reason: string }, headers: Headers) => {
    const path = '/api/v1/accounts/static/{accountNumber}/erase'
    const { accounts } = await send('POST', path, { params: { accountNumber }, body, headers })
    return accounts.every(({ isComplete }) => isComplete)
  }
  return <EraseButton kind="account" word={accountNumber} run={run} changed={changed} />
}

type Props = { account: Account; onChanged: (updated: Account) => void }

// Has no undo, because the page does not know which account was the default before.
function DefaultButton({ account, onChanged }: Props) {
  return (
    <Action
      title={strings.makeDefault.title}
      action={strings.makeDefault.open}
      text={strings.makeDefault.text(account.merchantId)}
      run={async () => onChanged(await switchAccount(account, 'default'))}
      message={strings.makeDefault.done}
    />
  )
}

// A deactivated account is no longer the default; undo makes it the default again.
function ActiveButton({ account, onChanged }: Props) {
  const { isActive, isDefault } = account
  // Changes the state at once, and offers to undo it.
  const switchActive = async () => {
    const updated = await switchAccount(account, isActive ? 'deactivate' : 'activate')
    offerUndo(isActive ? strings.deactivated : strings.activated, async () => {
      const restored = await switchAccount(updated, isActive ? 'activate' : 'deactivate')
      onChanged(isDefault ? await switchAccount(restored, 'default') : restored)
    })
    onChanged(updated)
  }
  return (
    <AtOnceButton
      label={isActive ? strings.deactivate : strings.activate}
      style={isActive ? 'danger-text' : ''}
      run={switchActive}
    />
  )
}

const { addNumber: addNumberWords } = strings

// Adds a number at a bank where the account has none yet.
function AddNumber({ close, onChanged, ...opened }: EditProps) {
  const [account] = useState(opened.account) // The form keeps the account that it opened with.
  const { data, problem, reload } = useData('/dashboard/api/banks', {})
  const hasNumberAt = (code: string) => account.accounts.some(({ bankCode }) => bankCode === code)
  const banks = data?.filter(
    ({ code, issuesAccountNumbers }) => issuesAccountNumbers && !hasNumberAt(code),
  )
  return (
    <ActionDialog
      title={addNumberWords.title}
      action={addNumberWords.submit}
      isReady={!!banks?.length}
      run={async (form, headers) => {
        const bankCode = form.text('bankCode')
        const updated = await addNumber(account, bankCode, headers)
        onChanged(updated)
        return updated.accounts.find((number) => number.bankCode === bankCode)
      }}
      message={(added) => (added ? addNumberWords.done(added.accountNumber, added.bankName) : '')}
      close={close}
    >
      {problem && <Failed problem={problem} retry={reload} />}
      {!banks && !problem && <Skeleton kind="text" lines={2} />}
      {banks?.length === 0 && <p class="muted">{addNumberWords.none}</p>}
      {banks && banks.length > 0 && (
        <>
          <p class="muted">{addNumberWords.text}</p>
          <BankSelect
            banks={banks}
            label={addNumberWords.bank}
            placeholder={addNumberWords.choose}
          />
        </>
      )}
    </ActionDialog>
  )
}

const { rules: rulesWords } = strings

// Edits the rules on who may pay into a collection account. The service stores only fingerprints of payers'
// accounts, so the user enters the accounts again. Rules without payers' accounts can be undone.
function EditPayerRules(props: EditProps) {
  const { close, onChanged } = props
  const [account] = useState(props.account) // The form keeps the account that it opened with.
  const [isRemoving, setRemoving] = useState(false)
  const rules = account.payerRules
  // Saves or removes the rules, and offers to undo it. Old rules with payers’ accounts cannot be restored,
  // because the page knows these account numbers only in masked form.
  const change = async (payerRules: ReturnType<typeof payerRulesFrom>, text: string) => {
    const updated = await changeAccount(account, { payerRules })
    close()
    onChanged(updated)
    if (rules?.accounts?.length) return toast(text)
    offerUndo(text, async () => onChanged(await changeAccount(updated, { payerRules: rules })))
  }
  return (
    <>
      <ActionDialog
        title={rulesWords.title}
        action={appStrings.save}
        text={rulesWords.text}
        run={(form) => change(payerRulesFrom(form), appStrings.saved)}
        close={close}
        otherAction={
          rules && (
            <Button style="danger-text" onClick={() => setRemoving(true)}>
              {rulesWords.remove}
            </Button>
          )
        }
      >
        <PayerRulesFields rules={rules} />
      </ActionDialog>
      {isRemoving && (
        <ActionDialog
          title={rulesWords.removeTitle}
          action={rulesWords.remove}
          isDangerous
          text={rulesWords.removeText}
          run={() => change(null, rulesWords.removed)}
          close={() => setRemoving(false)}
        />
      )}
    </>
  )
}

type EditProps = {
  account: Account
  close: () => void
  onChanged: (updated: Account) => void
}

// Edits a collection account: contact, KYC details and split, or its own limits. Both can be undone, except a
// changed NIN. The form keeps the account as it was when the form opened, so that it never overwrites another
// user's change.
function EditAccount({ close, onChanged, ...opened }: EditProps) {
  const [account] = useState(opened.account) // The form keeps the account that it opened with.
  // Saves all fields, and offers to put the previous values back.
  const sending = useSending(async (form) => {
    const nin = form.text('nin')
    const updated = await changeAccount(account, {
      accountName: form.text('accountName'),
      email: form.text('email'),
      phoneNumber: form.text('phoneNumber'),
      notificationUrl: form.text('notificationUrl'),
      kycTier: tierOf(form),
      verifiedName: form.text('verifiedName') || null,
      ...(nin ? { nin } : {}),
      // Leaves the split unchanged if its choice has not loaded.
      ...(form.has('splitCode') ? { splitCode: form.text('splitCode') || null } : {}),
    })
    close()
    onChanged(updated)
    if (nin) return toast(appStrings.saved) // No undo: the page does not know the old NIN.
    const { accountName, email, phoneNumber, notificationUrl, verifiedName, splitCode } = account
    const kycTier = account.kycTierSet as 1 | 2 | 3
    const contact = { accountName, email, phoneNumber, notificationUrl }
    const previousValues = { ...contact, kycTier, verifiedName, splitCode }
    offerUndo(appStrings.saved, async () => onChanged(await changeAccount(updated, previousValues)))
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

// Edits the account’s own limits and its limit profile. A blank limit means none of its own. Can be undone.
function EditLimits({ close, onChanged, ...opened }: EditProps) {
  const [account] = useState(opened.account) // The form keeps the account that it opened with.
  // Saves the limits, and offers to put the previous ones back.
  const sending = useSending(async (form) => {
    const limit = (name: string) => form.amount(name) || null
    // Leaves the profile unchanged if its choice has not loaded.
    const hasProfile = form.has('limitProfile')
    const updated = await changeAccount(account, {
      limits: {
        perCredit: limit('perCredit'),
        perDay: limit('perDay'),
        balanceMax: limit('balanceMax'),
      },
      ...(hasProfile ? { limitProfile: form.text('limitProfile') || null } : {}),
    })
    close()
    onChanged(updated)
    const { ownLimits: limits, limitProfile } = account
    const previousValues = hasProfile ? { limits, limitProfile } : { limits }
    offerUndo(appStrings.saved, async () => onChanged(await changeAccount(updated, previousValues)))
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
      emptyOption={strings.limits.ofTier}
      current={current}
      choices={data.data}
    />
  )
}

type Account = Schemas['OwnAccount']
type Changes = Schemas['AccountChange']

const PATH = '/api/v1/accounts/static/{accountNumber}'
// Makes the service refuse the change (412) if somebody has changed the account since the page read it.
const ifUnchanged = ({ version }: Account) => ({ 'if-match': `"${version}"` })

// Changes the account, unless another user has changed it since the page read it.
function changeAccount(account: Account, body: Changes): Promise<Account> {
  const params = { accountNumber: account.accountNumber }
  return send('PATCH', PATH, { params, body, headers: ifUnchanged(account) })
}

const SWITCHES = {
  activate: `${PATH}/activate`,
  deactivate: `${PATH}/deactivate`,
  default: `${PATH}/default`,
} as const

// Activates or deactivates the account, or makes it its customer's default.
function switchAccount(account: Account, to: keyof typeof SWITCHES): Promise<Account> {
  return send('POST', SWITCHES[to], {
    params: { accountNumber: account.accountNumber },
    body: null,
    headers: { 'idempotency-key': newKey(), ...ifUnchanged(account) },
  })
}

function addNumber(
  account: Account,
  bankCode: string,
  headers: Record<string, string>,
): Promise<Account> {
  return send('POST', `${PATH}/numbers`, {
    params: { accountNumber: account.accountNumber },
    body: { bankCode },
    headers: { ...headers, ...ifUnchanged(account) },
  })
}
