// The client's identity provider: the current settings, and the form that changes them.

import { providerStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { useData, usePage } from '../../loading.ts'
import { Action } from '../../parts/action.tsx'
import { factList } from '../../parts/drawer.tsx'
import { CheckBox, type Form, InputField, TextAreaField } from '../../parts/forms.tsx'
import { Pending } from '../../parts/states.tsx'
import { Copyable } from '../../parts/values.tsx'
import type { ViewProps } from '../../session.ts'
import { ConfirmFields, type Factors, proofFrom } from './confirm-identity.tsx'
import { PASSKEYS } from './passkeys.tsx'

type Provider = Schemas['SignInProvider']
type RoleMapping = Schemas['SignInRoleMapping']

const PATH = '/dashboard/api/client/provider'
const FLAGS = ['createsUsers', 'trustsEmail', 'isEnforced'] as const

// The sign-in provider of the client: its settings, and the forms that set, change or remove it.
export function Provider({ session }: ViewProps) {
  const { data, problem, reload } = useData(PATH, {})
  const passkeys = usePage(PASSKEYS, {})
  const hasPasskey = (passkeys.data?.data.length ?? 0) > 0
  const factors = { hasTotp: session.user.hasTotp, hasPasskey, session }
  const provider = data?.provider
  return (
    <section class="card panel" aria-labelledby="provider">
      <h2 id="provider">{strings.heading}</h2>
      <p class="muted">{strings.text}</p>
      <Pending {...{ data, problem, reload }} kind="rows" lines={3} />
      {data && !provider && <p>{strings.none}</p>}
      {data &&
        !provider &&
        factList([[strings.redirectUri, <RedirectUri key="uri" text={data.redirectUri} />]])}
      {provider && <ProviderFacts provider={provider} />}
      {data && passkeys.data && (
        <div class="actions">
          <ProviderForm provider={provider ?? undefined} factors={factors} changed={reload} />
          <Action
            action={strings.remove}
            style="danger-text"
            isOffered={!!provider}
            isDangerous
            text={strings.removeText}
            run={async (form) => send('POST', `${PATH}/remove`, { body: await proofFrom(form) })}
            message={strings.removed}
            onDone={reload}
          >
            <ConfirmFields {...factors} />
          </Action>
        </div>
      )}
    </section>
  )
}

function ProviderFacts({ provider }: { provider: Provider }) {
  const { issuer, providerClientId, redirectUri, roleClaim, roles } = provider
  return factList([
    [strings.issuer, issuer],
    [strings.providerClientId, providerClientId],
    [strings.redirectUri, <RedirectUri key="uri" text={redirectUri} />],
    ...(roleClaim
      ? ([[strings.roleClaim, `${roleClaim}: ${mappingLines(roles).join(', ')}`]] as const)
      : []),
    ...FLAGS.map((flag) => [strings[flag], provider[flag] ? strings.yes : strings.no] as const),
  ])
}

const RedirectUri = ({ text }: { text: string }) => (
  <Copyable text={text} name={strings.redirectUri} />
)

type FormProps = { provider: Provider | undefined; factors: Factors; changed: () => void }

function ProviderForm({ provider, factors, changed }: FormProps) {
  return (
    <Action
      action={provider ? strings.change : strings.setUp}
      title={strings.heading}
      run={async (form) =>
        send('PUT', PATH, { body: { ...readSettings(form), ...(await proofFrom(form)) } })
      }
      message={strings.saved}
      onDone={changed}
    >
      <InputField
        label={strings.issuer}
        hint={strings.issuerHint}
        name="issuer"
        type="url"
        required
        defaultValue={provider?.issuer ?? ''}
      />
      <InputField
        label={strings.providerClientId}
        name="providerClientId"
        required
        defaultValue={provider?.providerClientId ?? ''}
      />
      <InputField
        label={strings.clientSecret}
        hint={provider && strings.secretHint}
        name="clientSecret"
        type="password"
        autocomplete="off"
        required={!provider}
      />
      <InputField
        label={strings.roleClaim}
        hint={strings.roleClaimHint}
        name="roleClaim"
        defaultValue={provider?.roleClaim ?? ''}
      />
      <TextAreaField
        label={strings.roles}
        hint={strings.rolesHint}
        name="roles"
        rows={3}
        defaultValue={mappingLines(provider?.roles ?? []).join('\n')}
      />
      {FLAGS.map((flag) => (
        <CheckBox
          key={flag}
          label={strings[flag]}
          name={flag}
          defaultChecked={provider?.[flag] ?? false}
        />
      ))}
      <ConfirmFields {...factors} />
    </Action>
  )
}

// A blank secret is left out, so that the stored one stays.
function readSettings(form: Form) {
  const clientSecret = String(form.get('clientSecret') ?? '')
  return {
    issuer: form.text('issuer'),
    providerClientId: form.text('providerClientId'),
    ...(clientSecret ? { clientSecret } : {}),
    roleClaim: form.text('roleClaim') || null,
    roles: form
      .text('roles')
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map(parseMapping),
    createsUsers: form.has('createsUsers'),
    trustsEmail: form.has('trustsEmail'),
    isEnforced: form.has('isEnforced'),
  }
}

function mappingLines(roles: readonly RoleMapping[]): string[] {
  return roles.map(({ value, role }) => `${value} = ${role}`)
}

// Reads a line "value = role". It splits at the last equals sign, because the provider's value may contain
// one and a role cannot. The service refuses an unknown role.
function parseMapping(line: string): RoleMapping {
  const equalsIndex = line.lastIndexOf('=')
  return {
    value: line.slice(0, equalsIndex).trim(),
    role: line.slice(equalsIndex + 1).trim() as RoleMapping['role'],
  }
}
