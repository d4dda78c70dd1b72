// Limit profiles: limits that collection accounts share by name or by KYC tier.

import { useState } from 'preact/hooks'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { usePages } from '../../loading.ts'
import { Confirm, DialogForm } from '../../parts/dialog.tsx'
import { Drawer, type Fact, Facts } from '../../parts/drawer.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { toast } from '../../parts/toasts.tsx'
import { closeTo, hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../view-props.ts'

type LimitProfile = Schemas['LimitProfile']

const { limitProfiles: strings } = settingsStrings
const PATH = '/api/v1/limit-profiles'
const TAB = { tab: 'limitProfiles' }
const LIMITS = ['perCredit', 'perDay', 'balanceMax'] as const
const TIERS = [1, 2, 3] as const
const NAME_MAX = 60
const CODE_MAX = 40

const amountOf = (profile: LimitProfile, limit: (typeof LIMITS)[number]) => {
  const amount = profile[limit]
  return amount === null ? strings.none : money(amount)
}

const tiersOf = ({ tiers }: LimitProfile) =>
  tiers.length > 0 ? strings.tiersOf(tiers) : strings.byName

const COLUMNS: readonly Column<LimitProfile>[] = [
  { name: strings.name, place: 'lead', show: ({ name }) => name },
  { name: strings.code, show: ({ code }) => <code>{code}</code> },
  { name: strings.tiers, place: 'second', show: tiersOf },
  ...LIMITS.map((limit): Column<LimitProfile> => {
    return {
      name: strings[limit],
      place: 'line',
      isAmount: true,
      show: (profile) => amountOf(profile, limit),
    }
  }),
]

export function LimitProfiles({ session, place }: ViewProps) {
  const pages = usePages(PATH, {})
  const [isAdding, setAdding] = useState(false)
  const mayWrite = session.scopes.includes('accounts:write')
  const open = pages.data?.data.find(({ code }) => code === place.open)
  const close = () => {
    setAdding(false)
    closeTo(hrefOf('settings', undefined, TAB))
  }
  const add = mayWrite && (
    <button type="button" class="button primary" onClick={() => setAdding(true)}>
      {strings.add}
    </button>
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
        empty={
          <Empty icon="action" title={strings.empty}>
            <p>{strings.emptyText}</p>
          </Empty>
        }
      />
      {open && !mayWrite && <ProfileDrawer profile={open} close={close} />}
      {mayWrite && (isAdding || open) && (
        <ProfileDialog
          key={open?.code ?? ''}
          profile={open}
          close={close}
          done={(said) => {
            close()
            toast(said)
            pages.reload()
          }}
        />
      )}
    </>
  )
}

function ProfileDrawer({ profile, close }: { profile: LimitProfile; close: () => void }) {
  return (
    <Drawer title={strings.one} close={close}>
      <div class="headline">
        <span class="headline-text">{profile.name}</span>
      </div>
      <Facts
        facts={[
          [strings.code, profile.code],
          [strings.tiers, tiersOf(profile)],
          ...LIMITS.map((limit): Fact => [strings[limit], amountOf(profile, limit)]),
        ]}
      />
    </Drawer>
  )
}

type Props = {
  profile: LimitProfile | undefined // To be changed; without: a new one.
  close: () => void
  done: (said: string) => void
}

function ProfileDialog(props: Props) {
  const { profile, done } = props
  const [isDeleting, setDeleting] = useState(false)
  return (
    <>
      <ProfileForm {...props} askToDelete={() => setDeleting(true)} />
      {profile && isDeleting && (
        <Confirm
          title={strings.removeTitle(profile.name)}
          action={strings.remove}
          isDangerous
          run={() => send('DELETE', `${PATH}/{code}`, { params: { code: profile.code } })}
          done={() => done(strings.removed)}
          close={() => setDeleting(false)}
        >
          {strings.removeText}
        </Confirm>
      )}
    </>
  )
}

function ProfileForm({ profile, close, done, askToDelete }: Props & { askToDelete: () => void }) {
  const sending = useSending(async (given, headers) => {
    const limit = (name: (typeof LIMITS)[number]) => textOf(given, name).replaceAll(',', '') || null
    const body = {
      name: textOf(given, 'name'),
      perCredit: limit('perCredit'),
      perDay: limit('perDay'),
      balanceMax: limit('balanceMax'),
      tiers: TIERS.filter((tier) => given.getAll('tier').includes(String(tier))),
    }
    if (profile) await send('PUT', `${PATH}/{code}`, { params: { code: profile.code }, body })
    else await send('POST', PATH, { body: { code: textOf(given, 'code'), ...body }, headers })
    done(appStrings.saved)
  })
  return (
    <DialogForm
      title={profile ? strings.one : strings.add}
      action={profile ? appStrings.save : strings.add}
      sending={sending}
      close={close}
      otherAction={
        profile && (
          <button type="button" class="button danger-text" onClick={askToDelete}>
            {strings.remove}
          </button>
        )
      }
    >
      <p class="muted">{strings.text}</p>
      {!profile && (
        <Field label={strings.code} hint={strings.codeHint}>
          {(id) => <input id={id} name="code" required maxLength={CODE_MAX} autocomplete="off" />}
        </Field>
      )}
      <Field label={strings.name}>
        {(id) => (
          <input
            id={id}
            name="name"
            required
            maxLength={NAME_MAX}
            autocomplete="off"
            defaultValue={profile?.name ?? ''}
          />
        )}
      </Field>
      {LIMITS.map((limit) => (
        <Field key={limit} label={strings[limit]}>
          {(id) => (
            <input
              id={id}
              name={limit}
              inputMode="decimal"
              autocomplete="off"
              placeholder={strings.none}
              defaultValue={profile?.[limit]?.toString() ?? ''}
            />
          )}
        </Field>
      ))}
      <TierChoices chosen={profile?.tiers ?? []} />
    </DialogForm>
  )
}

function TierChoices({ chosen }: { chosen: LimitProfile['tiers'] }) {
  return (
    <fieldset class="choices">
      <legend>{strings.tiers}</legend>
      {TIERS.map((tier) => (
        <label key={tier} class="option">
          <input type="checkbox" name="tier" value={tier} defaultChecked={chosen.includes(tier)} />
          {strings.tier(tier)}
        </label>
      ))}
    </fieldset>
  )
}
