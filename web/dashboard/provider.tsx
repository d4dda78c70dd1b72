// Signing in with the client's identity provider: the form that opens the provider's page, and the page to
// which the provider redirects the browser.

import { useEffect, useRef, useState } from 'preact/hooks'
import { appStrings, providerStrings as strings } from '../copy.ts'
import { type Problem, problemFrom, type Schemas, send } from './api.ts'
import { Button } from './parts/controls.tsx'
import { Skeleton } from './parts/states.tsx'
import { passkeyForSignIn } from './passkeys.ts'
import { BASE, hrefOf } from './routing.ts'
import { keepSession, type Session } from './session.ts'
import { CodeField, Fault, SignInLayout } from './sign-in-parts.tsx'

const PATH = '/dashboard/api/session/provider'
const CLIENT_KEY = 'manilla-provider-client'
const PROOF_KEY = 'manilla-provider-proof' // 'begun', or the time of the confirmation once the user is back.
const CONFIRMATION_MS = 5 * 60_000

export type ProviderReturn = Schemas['ProviderReturn']

// Reads the parameters with which the provider sent the browser back, and removes them from the URL at
// once, because they sign the user in. Returns undefined on any other page.
export function readProviderReturn(): ProviderReturn | undefined {
  const { pathname, search } = window.location
  if (pathname !== `${BASE}/provider`) return undefined
  window.history.replaceState(null, '', pathname)
  const parameters = new URLSearchParams(search)
  // Returns the parameter under its own name, or nothing if the provider did not send it.
  const parameter = (name: 'code' | 'iss' | 'error') => {
    const value = parameters.get(name)
    return value ? { [name]: value } : {}
  }
  return {
    state: parameters.get('state') ?? '',
    ...parameter('code'),
    ...parameter('iss'),
    ...parameter('error'),
  }
}

// With `isFresh` the provider asks for the credentials even if the user is signed in there.
async function goToProvider(clientId: string, isFresh = false): Promise<void> {
  const { url } = await send('POST', PATH, { body: { clientId, isFresh } })
  window.localStorage.setItem(CLIENT_KEY, clientId)
  window.location.assign(url)
}

// Sends the user to the provider to enter their credentials again, which confirms the user’s identity. After
// the return, the mark `begun` tells the page to open the profile.
export async function confirmAtProvider({ client }: Session): Promise<void> {
  window.sessionStorage.setItem(PROOF_KEY, 'begun')
  await goToProvider(client.clientId, true)
}

// Whether the user confirmed their identity at the provider, in this tab, during the last five minutes.
export function isConfirmedAtProvider(): boolean {
  const confirmedAt = Number(window.sessionStorage.getItem(PROOF_KEY))
  return confirmedAt > 0 && Date.now() - confirmedAt < CONFIRMATION_MS
}

// The sign-in at the provider of the user’s organisation: first a button, then a form. `client` is known once
// the service has said that a password is not enough.
export function ProviderSignIn({ client }: { client: string | undefined }) {
  const [isOpen, setOpen] = useState(false)
  const [problem, setProblem] = useState<Problem | undefined>()
  const [isBusy, setBusy] = useState(false)
  // Sends the user to the sign-in provider of the organisation that they typed.
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    setBusy(true)
    try {
      await goToProvider(String(form.get('organisation') ?? '').trim())
    } catch (error) {
      setProblem(problemFrom(error))
      setBusy(false)
    }
  }
  if (!isOpen && client === undefined) {
    return <Button onClick={() => setOpen(true)}>{strings.signIn}</Button>
  }
  return (
    <form onSubmit={submit} aria-busy={isBusy} aria-label={strings.signIn}>
      <label class="field">
        <span>{strings.client}</span>
        <input
          name="organisation"
          autocomplete="organization"
          required
          defaultValue={client ?? window.localStorage.getItem(CLIENT_KEY) ?? ''}
        />
      </label>
      <Fault problem={problem} />
      <button type="submit" class="button" disabled={isBusy}>
        {strings.signIn}
      </button>
    </form>
  )
}

type ReturnProps = {
  parameters: ProviderReturn
  enter: (session: Session) => void
  leave: () => void
}

export function ProviderReturnPage({ parameters, enter, leave }: ReturnProps) {
  const [problem, setProblem] = useState<Problem | undefined>()
  const [isBusy, setBusy] = useState(true)
  const [hasPasskey, setHasPasskey] = useState<boolean | undefined>()
  const isCallbackSent = useRef(false)
  // Signs in with the provider's parameters or the second factor. A refusal may ask for a second factor
  // next.
  const attempt = async (work: () => Promise<Session>) => {
    setBusy(true)
    try {
      const session = keepSession(await work())
      window.history.replaceState(null, '', hrefAfterReturn())
      enter(session)
    } catch (error) {
      const refusal = problemFrom(error)
      if (refusal.code === 'passkey_needed') setHasPasskey(true)
      if (refusal.code === 'code_needed') setHasPasskey(false)
      setProblem(refusal)
      setBusy(false)
    }
  }
  useEffect(() => {
    document.title = `${strings.title} · ${appStrings.title}`
    if (isCallbackSent.current) return
    isCallbackSent.current = true
    void attempt(() => send('POST', `${PATH}/callback`, { body: parameters }))
  }, [])
  const finish = (body: { code: string } | { passkey: Schemas['PasskeyAssertion'] }) =>
    send('POST', `${PATH}/second-factor`, { body })
  // Continues the sign-in with the code of the second factor.
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    return attempt(() => finish({ code: String(form.get('code') ?? '').trim() }))
  }
  const isExpired = problem?.code === 'provider_sign_in_expired'
  return (
    <SignInLayout title={strings.title}>
      {hasPasskey !== undefined && !isExpired ? (
        <form onSubmit={submit} aria-busy={isBusy}>
          <CodeField code passkey={hasPasskey} />
          <Fault problem={problem} />
          <button type="submit" class="button primary" disabled={isBusy}>
            {strings.goOn}
          </button>
          {hasPasskey && (
            <Button
              disabled={isBusy}
              onClick={() => attempt(async () => finish({ passkey: await passkeyForSignIn() }))}
            >
              {strings.passkey}
            </Button>
          )}
        </form>
      ) : (
        <>
          {problem ? <Fault problem={problem} /> : <Skeleton kind="card" />}
          {problem && <Button onClick={leave}>{strings.back}</Button>}
        </>
      )}
    </SignInLayout>
  )
}

// The user continues on the profile if they went to the provider to confirm their identity there.
function hrefAfterReturn(): string {
  if (window.sessionStorage.getItem(PROOF_KEY) !== 'begun') return BASE
  window.sessionStorage.setItem(PROOF_KEY, String(Date.now()))
  return hrefOf('settings', undefined, { tab: 'profile' })
}
