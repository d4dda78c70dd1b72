// The maker-checker setting. One user can enable it; disabling needs a request and an approval.

import { useState } from 'preact/hooks'
import { suspenseStrings as strings } from '../../../copy.ts'
import { type Problem, problemFrom, send } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Failed } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import type { Session } from '../../session.ts'
import { OpenRequest, type Request } from './suspense-requests.tsx'

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
