// The client's payouts: those awaiting approval first, then the list. A user can request, approve, reject or
// cancel a payout.

import { payoutsStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { humanize, money } from '../../format.ts'
import { usePage, useSteadyRefreshKey } from '../../loading.ts'
import { Action } from '../../parts/action.tsx'
import { sumOf } from '../../parts/bulk.tsx'
import { BankAccountsLink } from '../../parts/choices.tsx'
import { InputField, ReasonField, SelectField } from '../../parts/forms.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { Pending } from '../../parts/states.tsx'
import { goTo, hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../session.ts'
import { COLUMNS, isAwaiting, PAYOUT_FILTERS, PayoutDetail, WaitingPayouts } from './payout.tsx'

const PATH = '/api/v1/payouts'

// The client’s payouts, below those that wait for an approval. `?new=payout` in the URL opens the form for a
// new payout.
export function OwnPayouts(props: ViewProps) {
  const { session, place } = props
  const openedForm = place.query.new
  const [refreshKey, refresh] = useSteadyRefreshKey()
  const mayWrite = session.scopes.includes('payouts:write')
  return (
    <>
      <WaitingPayouts
        title={strings.waitingApproval}
        path={PATH}
        query={{ approval: 'needed', status: 'queued' }}
        refreshKey={refreshKey}
      />
      <ListView
        {...props}
        view="payouts"
        icon="payouts"
        path={PATH}
        file={PATH}
        summary={`${PATH}/summary`}
        caption={strings.parts}
        columns={COLUMNS}
        filters={PAYOUT_FILTERS}
        keyOf={({ reference }) => reference}
        isAbout={/^(?:payout|settlement)\./}
        refreshKey={refreshKey}
        bulk={{ nameOf: ({ toAccountName }) => toAccountName, sumOf }}
        emptyState={{ title: strings.none, text: mayWrite ? strings.noneText : strings.noneAsk }}
        add={
          mayWrite && (
            <NewPayout key={openedForm} isOpenAtFirst={openedForm === 'payout'} onDone={refresh} />
          )
        }
        drawer={{
          title: strings.one,
          path: `${PATH}/{reference}`,
          show: (payout) => (
            <PayoutDetail payout={payout}>
              {mayWrite && <PayoutActions payout={payout} onDone={refresh} />}
            </PayoutDetail>
          ),
        }}
      />
    </>
  )
}

const { create: createWords } = strings

// Pays out to one of the client’s bank accounts. The toast says whether the payout must be approved first.
function NewPayout({ isOpenAtFirst, onDone }: { isOpenAtFirst: boolean; onDone: () => void }) {
  return (
    <Action
      isOpenAtFirst={isOpenAtFirst}
      label={createWords.action}
      title={createWords.action}
      action={createWords.submit}
      style="primary"
      run={(form, headers) => {
        const body = {
          bankAccount: form.text('bankAccount'),
          amount: form.amount('amount'),
          narration: form.text('narration'),
        }
        return send('POST', '/api/v1/payouts', { body, headers })
      }}
      message={({ reference, approval }) =>
        approval === 'needed' ? createWords.asked(reference) : createWords.done(reference)
      }
      onDone={({ reference }) => {
        onDone()
        goTo(hrefOf('payouts', reference))
      }}
    >
      <AccountChoice />
      <InputField
        label={createWords.amount}
        hint={createWords.amountHint}
        name="amount"
        required
        inputMode="decimal"
      />
      <InputField
        label={createWords.narration}
        hint={createWords.narrationHint}
        name="narration"
        required
        maxLength={100}
      />
    </Action>
  )
}

// Omits accounts whose name the bank has not confirmed, because they cannot be paid.
function AccountChoice() {
  const query = { isActive: 'true', limit: '100' }
  const { data, problem, reload } = usePage('/api/v1/bank-accounts', query)
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="text" lines={2} />
  const accounts = data.data.filter(({ status }) => status !== 'mismatch')
  if (accounts.length === 0) {
    return (
      <p class="notice">
        {createWords.none} <BankAccountsLink />
      </p>
    )
  }
  const preset = accounts.find(({ isDefault }) => isDefault) ?? accounts[0]
  return (
    <SelectField
      label={createWords.account}
      name="bankAccount"
      required
      options={accounts.map((account) => [
        account.reference,
        createWords.option(
          account.accountName,
          account.bankName ?? account.bankCode,
          account.accountNumberMasked,
        ),
      ])}
      chosen={preset?.reference}
    />
  )
}

const { decide: decideWords } = strings
const ONE = `${PATH}/{reference}`

export function PayoutActions(props: { payout: Schemas['PayoutDetail']; onDone: () => void }) {
  const { payout, onDone } = props
  if (payout.status === 'unknown') {
    return <p class="notice held">{strings.unknownText}</p>
  }
  if (payout.status !== 'queued') return null
  const { reference, revision, blockedBy, cannotApprove } = payout
  const isOwn = cannotApprove?.code === 'other_person_needed'
  const mayDecide = isAwaiting(payout) && !isOwn
  // The payout of a settlement or refund is cancelled together with the settlement or refund. Only a
  // blocked payout can be cancelled by itself.
  const mayCancel = payout.purpose === 'payout' || Boolean(blockedBy)
  const amountAndPayee = [money(payout.amount, payout.currency), payout.toAccountName] as const
  const params = { reference }
  return (
    <>
      {blockedBy && (
        <p class="notice held">{decideWords.blocked[blockedBy] ?? humanize(blockedBy)}</p>
      )}
      {isOwn && <p class="muted after-facts">{decideWords.own}</p>}
      {cannotApprove && !isOwn && cannotApprove.code !== blockedBy && (
        <p class="notice after-facts">{cannotApprove.message}</p>
      )}
      <div class="actions">
        <Action
          title={decideWords.approveTitle(...amountAndPayee)}
          action={decideWords.approve}
          style="primary"
          isOffered={mayDecide && !cannotApprove}
          text={decideWords.approveText}
          run={(_, headers) =>
            send('POST', `${ONE}/approve`, { params, body: { revision }, headers })
          }
          message={decideWords.approved(reference)}
          onDone={onDone}
        />
        <Action
          title={decideWords.rejectTitle(...amountAndPayee)}
          action={decideWords.reject}
          isOffered={mayDecide}
          isDangerous
          text={decideWords.rejectText}
          run={(form, headers) => {
            const body = { reason: form.text('reason') }
            return send('POST', `${ONE}/reject`, { params, body, headers })
          }}
          message={decideWords.rejected(reference)}
          onDone={onDone}
        >
          <ReasonField label={decideWords.reason} hint={decideWords.reasonHint} />
        </Action>
        <Action
          title={decideWords.cancelTitle(...amountAndPayee)}
          action={decideWords.cancel}
          isOffered={mayCancel && !mayDecide}
          isDangerous
          text={decideWords.cancelText}
          run={(_, headers) => send('POST', `${ONE}/cancel`, { params, body: {}, headers })}
          message={decideWords.cancelled(reference)}
          onDone={onDone}
        />
      </div>
    </>
  )
}
