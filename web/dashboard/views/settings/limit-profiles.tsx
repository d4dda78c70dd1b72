// Limit profiles, which collection accounts share by name or by KYC tier; the limits in force; and the
// ceilings on them, which operators set for each client.

import { useState } from 'preact/hooks'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { getData, type Schemas, send } from '../../api.ts'
import { count, money } from '../../format.ts'
import { useData, usePages } from '../../loading.ts'
import { ActionDialog, ActionForm } from '../../parts/action.tsx'
import { ClientChoice } from '../../parts/choices.tsx'
import { Button } from '../../parts/controls.tsx'
import { Drawer, type Fact, factList } from '../../parts/drawer.tsx'
import { CheckBox, InputField } from '../../parts/forms.tsx'
import { Empty, Pending } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { TextHeadline } from '../../parts/values.tsx'
import { closeTo, hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../session.ts'
import { NUMBER_CEILINGS_PATH, NumberCeilingsForm } from './number-ceilings.tsx'

type LimitProfile = Schemas['LimitProfile']

const { limitProfiles: strings } = settingsStrings
const PATH = '/api/v1/limit-profiles'
const TAB = { tab: 'limitProfiles' }
const LIMITS = ['perCredit', 'perDay', 'balanceMax'] as const
const TIERS = [1, 2, 3] as const
const NAME_MAX = 60
const CODE_MAX = 40

const limitText = (profile: LimitProfile, limit: (typeof LIMITS)[number]) => {
  const amount = profile[limit]
  return amount === null ? strings.none : money(amount)
}

const tiersText = ({ tiers }: LimitProfile) =>
  tiers.length > 0 ? strings.tiersOf(tiers) : strings.byName

const COLUMNS: readonly Column<LimitProfile>[] = [
  { name: strings.name, place: 'lead', show: ({ name }) => name },
  { name: strings.code, show: ({ code }) => <code>{code}</code> },
  { name: strings.tiers, place: 'second', show: tiersText },
  ...LIMITS.map((limit): Column<LimitProfile> => {
    return {
      name: strings[limit],
      place: 'line',
      isAmount: true,
      show: (profile) => limitText(profile, limit),
    }
  }),
]

// Users who may change a profile open it in a dialog; all others see it in a drawer.
export function LimitProfiles({ session, place }: ViewProps) {
  const pages = usePages(PATH, {})
  const [isAdding, setAdding] = useState(false)
  const mayWrite = session.scopes.includes('accounts:write')
  const open = pages.data?.data.find(({ code }) => code === place.open)
  // Closes the dialog, for a new profile or for the one in the URL.
  const close = () => {
    setAdding(false)
    closeTo(hrefOf('settings', undefined, TAB))
  }
  const add = mayWrite && (
    <Button style="primary" onClick={() => setAdding(true)}>
      {strings.add}
    </Button>
  )
  return (
    <>
      {add && <div class="above">{add}</div>}
      <ListTable
        caption={settingsStrings.tabs.limitProfiles}
        columns={COLUMNS}
        pages={pages}
        keyOf={({ code }) => code}
        hrefOf={({ code }) => hrefOf('settings', code, TAB)}
        openKey={place.open}
        empty={<Empty icon="filter" title={strings.empty} text={strings.emptyText} />}
      />
      <OwnCeilings />
      {session.scopes.includes('operator') && <ClientCeilings />}
      {open && !mayWrite && <ProfileDrawer profile={open} close={close} />}
      {mayWrite && (isAdding || open) && (
        <ProfileDialog key={open?.code ?? ''} profile={open} close={close} changed={pages.reload} />
      )}
    </>
  )
}

function ProfileDrawer({ profile, close }: { profile: LimitProfile; close: () => void }) {
  return (
    <Drawer title={strings.one} close={close}>
      <TextHeadline text={profile.name} />
      {factList([
        [strings.code, profile.code],
        [strings.tiers, tiersText(profile)],
        ...LIMITS.map((limit): Fact => [strings[limit], limitText(profile, limit)]),
      ])}
    </Drawer>
  )
}

type Props = {
  profile: LimitProfile | undefined // Without a profile, the form creates one.
  close: () => void
  changed: () => void
}

// Edits, adds or removes a profile. Without `profile` it adds one.
function ProfileDialog(props: Props) {
  const { profile, close, changed } = props
  const [isDeleting, setDeleting] = useState(false)
  return (
    <>
      <ProfileForm {...props} remove={() => setDeleting(true)} />
      {profile && isDeleting && (
        <ActionDialog
          title={strings.removeTitle(profile.name)}
          action={strings.remove}
          isDangerous
          text={strings.removeText}
          run={() => send('DELETE', `${PATH}/{code}`, { params: { code: profile.code } })}
          message={strings.removed}
          onDone={() => {
            close()
            changed()
          }}
          close={() => setDeleting(false)}
        />
      )}
    </>
  )
}

// The form of a new or existing profile. The code of an existing profile cannot be changed.
function ProfileForm({ profile, close, changed, remove }: Props & { remove: () => void }) {
  return (
    <ActionDialog
      title={profile ? strings.one : strings.add}
      action={profile ? appStrings.save : strings.add}
      text={strings.text}
      run={(form, headers) => {
        const limit = (name: (typeof LIMITS)[number]) => form.amount(name) || null
        const body = {
          name: form.text('name'),
          perCredit: limit('perCredit'),
          perDay: limit('perDay'),
          balanceMax: limit('balanceMax'),
          tiers: TIERS.filter((tier) => form.getAll('tier').includes(String(tier))),
        }
        return profile
          ? send('PUT', `${PATH}/{code}`, { params: { code: profile.code }, body })
          : send('POST', PATH, { body: { code: form.text('code'), ...body }, headers })
      }}
      message={appStrings.saved}
      onDone={changed}
      close={close}
      otherAction={
        profile && (
          <Button style="danger-text" onClick={remove}>
            {strings.remove}
          </Button>
        )
      }
    >
      {!profile && (
        <InputField
          label={strings.code}
          hint={strings.codeHint}
          name="code"
          required
          maxLength={CODE_MAX}
        />
      )}
      <InputField
        label={strings.name}
        name="name"
        required
        maxLength={NAME_MAX}
        defaultValue={profile?.name ?? ''}
      />
      {LIMITS.map((limit) => (
        <InputField
          key={limit}
          label={strings[limit]}
          name={limit}
          inputMode="decimal"
          placeholder={strings.none}
          defaultValue={profile?.[limit]?.toString() ?? ''}
        />
      ))}
      <TierChoices chosen={profile?.tiers ?? []} />
    </ActionDialog>
  )
}

function TierChoices({ chosen }: { chosen: LimitProfile['tiers'] }) {
  return (
    <fieldset class="choices">
      <legend>{strings.tiers}</legend>
      {TIERS.map((tier) => (
        <CheckBox
          key={tier}
          name="tier"
          value={tier}
          defaultChecked={chosen.includes(tier)}
          label={strings.tier(tier)}
        />
      ))}
    </fieldset>
  )
}

const { limits: limitsWords } = settingsStrings
const IN_FORCE = '/api/v1/limits'

const textOrNone = (value: number | null, show: (value: number) => string = count) =>
  value === null ? limitsWords.none : show(value)

const durationText = (seconds: number) =>
  seconds % 60 === 0
    ? limitsWords.minutes(count(seconds / 60))
    : limitsWords.seconds(count(seconds))

// The limits in force for the client: request rates, limits of new accounts, and others.
export function Limits() {
  const { data, problem, reload } = useData(IN_FORCE, {})
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="page" lines={8} />
  const { requestsPerMinute: rates, newAccounts } = data
  return (
    <>
      <LimitGroup
        title={limitsWords.rates}
        text={limitsWords.ratesText}
        facts={(['client', 'simulate', 'address', 'initiate', 'login'] as const).map((name) => [
          limitsWords[name],
          textOrNone(rates[name]),
        ])}
      />
      <LimitGroup
        title={limitsWords.accounts}
        text={limitsWords.accountsText}
        facts={[
          [limitsWords.perCredit, textOrNone(newAccounts.perCredit, money)],
          [limitsWords.perDay, textOrNone(newAccounts.perDay, money)],
        ]}
      />
      <LimitGroup
        title={limitsWords.others}
        facts={[
          [limitsWords.endpoints, count(data.webhookEndpoints)],
          [limitsWords.expiry, durationText(data.expirySeconds)],
          [limitsWords.grace, durationText(data.graceSeconds)],
          [limitsWords.token, durationText(data.tokenSeconds)],
        ]}
      />
    </>
  )
}

function LimitGroup(props: { title: string; text?: string; facts: readonly Fact[] }) {
  const { title, text, facts } = props
  return (
    <section class="card panel limits" aria-label={title}>
      <h2>{title}</h2>
      {text && <p class="muted">{text}</p>}
      {factList(facts)}
    </section>
  )
}

type Ceiling = Schemas['CollectionCeiling']

const { ceilings } = settingsStrings
const CEILINGS_PATH = '/api/v1/operator/clients/{clientId}/collection-ceilings'

// Renders nothing for a client without ceilings. Most clients have none.
function OwnCeilings() {
  const { data } = useData('/api/v1/collection-ceilings', {})
  const facts = (data?.tiers ?? []).flatMap((ceiling) =>
    LIMITS.flatMap((limit): Fact[] => {
      const amount = ceiling[limit]
      return amount === null ? [] : [[ceilings.of(ceiling.tier, strings[limit]), money(amount)]]
    }),
  )
  if (facts.length === 0) return null
  return (
    <section class="card panel" aria-labelledby="own-ceilings">
      <h2 id="own-ceilings">{ceilings.own}</h2>
      <p class="muted">{ceilings.ownText}</p>
      {factList(facts)}
    </section>
  )
}

// Lets an operator look up a client and change the ceilings on its accounts of each KYC tier.
function ClientCeilings() {
  const [clientCeilings, setClientCeilings] = useState<
    { clientId: string; tiers: Ceiling[]; banks: Schemas['NumberCeilingsOfBank'][] } | undefined
  >()
  return (
    <section class="card panel" aria-labelledby="client-ceilings">
      <h2 id="client-ceilings">{ceilings.ofClient}</h2>
      <p class="muted">{ceilings.text}</p>
      <ActionForm
        action={settingsStrings.payoutRules.find}
        run={async (form) => {
          const clientId = form.text('clientId')
          // Removes the form of the previous client, in case the new client cannot be loaded.
          setClientCeilings(undefined)
          const [ofAccounts, ofNumbers] = await Promise.all([
            getData(CEILINGS_PATH, { clientId }),
            getData(NUMBER_CEILINGS_PATH, { clientId }),
          ])
          setClientCeilings({ clientId, ...ofAccounts, ...ofNumbers })
        }}
      >
        <ClientChoice label={settingsStrings.payoutRules.client} />
      </ActionForm>
      {clientCeilings && <CeilingsForm key={clientCeilings.clientId} {...clientCeilings} />}
      {clientCeilings && (
        <NumberCeilingsForm key={`numbers ${clientCeilings.clientId}`} {...clientCeilings} />
      )}
    </section>
  )
}

// A blank field means no ceiling.
function CeilingsForm({ clientId, tiers }: { clientId: string; tiers: Ceiling[] }) {
  return (
    <ActionForm
      action={appStrings.save}
      style="primary"
      label={clientId}
      run={(form) => {
        // A blank amount removes the ceiling.
        const changed = tiers.map(({ tier }) => {
          const limits = LIMITS.map((limit) => [limit, form.amount(fieldName(tier, limit)) || null])
          return { tier: tier as 1 | 2 | 3, ...Object.fromEntries(limits) }
        })
        return send('PUT', CEILINGS_PATH, {
          params: { clientId },
          body: { tiers: changed },
        })
      }}
      message={appStrings.saved}
    >
      {tiers.flatMap((ceiling) =>
        LIMITS.map((limit) => (
          <InputField
            key={fieldName(ceiling.tier, limit)}
            label={ceilings.of(ceiling.tier, strings[limit])}
            name={fieldName(ceiling.tier, limit)}
            inputMode="decimal"
            placeholder={ceilings.none}
            defaultValue={ceiling[limit]?.toString() ?? ''}
          />
        )),
      )}
    </ActionForm>
  )
}

const fieldName = (tier: number, limit: string) => `${limit}${tier}`
