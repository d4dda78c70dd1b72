// Maker-checker at the suspense desk: the setting, the pending requests, and the decision on a request.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { suspenseStrings as strings } from '../../../copy.ts'
import { type Problem, problemFrom, type Schemas, send } from '../../api.ts'
import { humanize, money } from '../../format.ts'
import { keepPageOpenDuring } from '../../in-flight.ts'
import { Button, Link } from '../../parts/controls.tsx'
import { Failed } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Money, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { Session } from '../../session.ts'

type Request = Schemas['ApprovalRequest']

const PATH = '/api/v1/suspense/requests'

// Says who requests what: to assign or return the item, or to disable maker-checker.
function describeRequest({ action, assignTo, requestedBy }: Request): string {
  const who = strings.person(requestedBy)
  if (action === 'disable_maker_checker') return strings.asks(who, strings.toDisable)
  return strings.asks(
    who,
    action === 'return' ? strings.toReturn : strings.toAssign(assignTo ?? ''),
  )
}

// The open requests above the list of suspense items, each with a link to its item.
export function WaitingRequests({ requests }: { requests: readonly Request[] }) {
  if (requests.length === 0) return null
  return (
    <section class="card waiting" aria-labelledby="waiting">
      <header class="card-top">
        <h2 id="waiting">{strings.pendingRequests}</h2>
        <span class="badge warn">{requests.length}</span>
      </header>
      <ul class="feed">
        {requests.map((request) => (
          <li key={request.id}>
            <Link class="waiting-row" href={hrefOf('suspense', `${request.itemId}`)}>
              <span class="waiting-what">{describeRequest(request)}</span>
              <span class="muted waiting-why">{request.reason}</span>
              <Money amount={request.amount ?? 0} currency={request.currency ?? 'NGN'} />
              <Time at={request.requestedAt} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

type Deciding = { request: Request; mayDecide: boolean; onDone: () => void }
type Verb = 'approve' | 'reject' | 'withdraw'

const DONE = {
  approve: strings.approved,
  reject: strings.rejected,
  withdraw: strings.withdrawn,
} as const

// Approves, rejects or withdraws the request, and keeps the user on the page until the service has responded.
function sendRequestDecision(
  { id }: Pick<Deciding['request'], 'id'>,
  verb: Verb,
  body: Record<string, never> | { reason: string } | { revision: string },
) {
  return keepPageOpenDuring(() => send('POST', `${PATH}/{id}/${verb}`, { params: { id }, body }))
}

// The open request of an item or setting. Its maker can withdraw it; another user approves or rejects it.
export function OpenRequest({ request, mayDecide, onDone }: Deciding) {
  const [problem, setProblem] = useState<Problem | undefined>()
  const [isBusy, setBusy] = useState(false)
  const [reason, setReason] = useState<string | undefined>() // Undefined until the user starts to reject.
  const isRejecting = reason !== undefined
  const { cannotApprove, revision } = request
  // Sends the decision and shows its result. An approved request to disable maker-checker has its own
  // message.
  const decide = async (verb: Verb, body = {}) => {
    setBusy(true)
    setProblem(undefined)
    try {
      await sendRequestDecision(request, verb, body)
      const isSetting = request.action === 'disable_maker_checker'
      toast(verb === 'approve' && isSetting ? strings.switched(false) : DONE[verb])
      onDone()
    } catch (error) {
      setProblem(problemFrom(error))
      setBusy(false)
    }
  }
  const approve = () => decide('approve', { revision })
  // The first press of “Reject” opens the field for the reason, the second sends it.
  const reject = () => {
    if (reason === undefined || reason.trim() === '') setReason('')
    else void decide('reject', { reason: reason.trim() })
  }
  return (
    <section class="request" aria-labelledby={`request-${request.id}`}>
      <h3 id={`request-${request.id}`}>{strings.waiting}</h3>
      <p>{describeRequest(request)}.</p>
      <p class="request-reason">{request.reason}</p>
      <p class="muted small">
        <Time at={request.requestedAt} />
      </p>
      <AmountChanges request={request} />
      {problem && <Failed problem={problem} />}
      {!mayDecide && <p class="muted">{strings.mayNot}</p>}
      {mayDecide && request.isOwn && (
        <>
          <p class="muted">{strings.ownWaiting}</p>
          <Button disabled={isBusy} onClick={() => decide('withdraw')}>
            {strings.withdraw}
          </Button>
        </>
      )}
      {mayDecide && !request.isOwn && (
        <>
          {cannotApprove && (
            <p class="notice">
              {cannotApprove.message} <code>{cannotApprove.code}</code>
            </p>
          )}
          {isRejecting && <RejectReason reason={reason} change={setReason} />}
          <div class="buttons">
            {!cannotApprove && (
              <Button style="primary" disabled={isBusy} onClick={approve}>
                {strings.approve}
              </Button>
            )}
            {cannotApprove?.code !== 'role_not_allowed' && (
              <Button disabled={isBusy} onClick={reject}>
                {strings.reject}
              </Button>
            )}
          </div>
        </>
      )}
    </section>
  )
}

// A partial reversal changes the amount of an item while the request waits.
function AmountChanges({ request: { amountChanges, currency } }: { request: Request }) {
  return (
    <>
      {amountChanges.map(({ from, to, changedBy, changedAt }) => (
        <p key={changedAt} class="muted small">
          {strings.amountChanged(
            money(from, currency ?? ''),
            money(to, currency ?? ''),
            strings.person(changedBy),
          )}{' '}
          <Time at={changedAt} />
        </p>
      ))}
    </>
  )
}

// The field for the reason of a rejection, which gets the focus when it appears.
function RejectReason({ reason, change }: { reason: string; change: (reason: string) => void }) {
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  return (
    <label class="field">
      <span>{strings.rejectWhy}</span>
      <textarea
        rows={2}
        maxLength={500}
        value={reason}
        ref={field}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </label>
  )
}

// The earlier requests about an item, with their decisions.
export function DecidedRequests({ requests }: { requests: readonly Request[] }) {
  if (requests.length === 0) return null
  return (
    <>
      <h3>{strings.earlier}</h3>
      <ul class="decided">
        {requests.map((request) => (
          <li key={request.id}>
            <p>{describeRequest(request)}.</p>
            <p class="muted small">
              {request.state === 'void'
                ? strings.void
                : strings.decided(humanize(request.state), strings.person(request.decidedBy ?? ''))}
              {request.decisionReason && `: ${request.decisionReason}`}
            </p>
            <AmountChanges request={request} />
          </li>
        ))}
      </ul>
    </>
  )
}

export const SETTINGS = '/api/v1/suspense/settings'

type Props = {
  isOn: boolean
  session: Session
  request: Request | undefined // The open request to disable maker-checker.
  changed: () => void
}

export function MakerCheckerSetting({ isOn, session, request, changed }: Props) {
  const [problem, setProblem] = useState<Problem | undefined>()
  const [isBusy, setBusy] = useState(false)
  // Undefined until the user starts a request to disable maker-checker.
  const [reason, setReason] = useState<string | undefined>()
  const mayChange = ['owner', 'operator'].includes(session.role)
  // Runs a change, shows its result and loads the setting again.
  const runAndReload = async (work: () => Promise<unknown>, message: string) => {
    setBusy(true)
    setProblem(undefined)
    try {
      await work()
      toast(message)
      setReason(undefined)
      changed()
    } catch (error) {
      setProblem(problemFrom(error))
    }
    setBusy(false)
  }
  // Enables maker-checker, which needs no approval.
  const turnOn = () => {
    const body = { makerChecker: true }
    return runAndReload(() => send('PUT', SETTINGS, { body }), strings.switched(true))
  }
  // Requests to disable maker-checker. Another user must approve it.
  const requestDisabling = (event: SubmitEvent) => {
    event.preventDefault()
    const body = { reason: (reason ?? '').trim() }
    if (body.reason !== '')
      void runAndReload(() => send('POST', `${SETTINGS}/requests`, { body }), strings.asked)
  }
  return (
    <section class="card setting" aria-labelledby="maker-checker">
      <div>
        <h2 id="maker-checker">{strings.makerChecker}</h2>
        <p class="muted">{isOn ? strings.makerCheckerOn : strings.makerCheckerOff}</p>
        {problem && <Failed problem={problem} />}
        {request && <OpenRequest request={request} mayDecide={mayChange} onDone={changed} />}
        {reason !== undefined && (
          <form class="desk-form" onSubmit={requestDisabling}>
            <label class="field">
              <span>{strings.disableWhy}</span>
              <textarea
                rows={2}
                maxLength={500}
                required
                value={reason}
                onInput={(event) => setReason(event.currentTarget.value)}
              />
            </label>
            <button type="submit" class="button primary" disabled={isBusy}>
              {strings.doAsk}
            </button>
          </form>
        )}
      </div>
      {mayChange && !isOn && (
        <Button disabled={isBusy} onClick={turnOn}>
          {strings.switchOn}
        </Button>
      )}
      {mayChange && isOn && !request && reason === undefined && (
        <Button disabled={isBusy} onClick={() => setReason('')}>
          {strings.switchOff}
        </Button>
      )}
    </section>
  )
}
