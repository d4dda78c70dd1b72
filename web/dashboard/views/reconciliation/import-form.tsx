// The bank, format and profile of a statement, preselected from the file and from earlier imports.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { bankStatementsStrings as strings } from '../../../copy.ts'
import type { Data } from '../../api.ts'
import { bytes } from '../../format.ts'
import { useData, usePage } from '../../loading.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { Field, useSending } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import type { Choice, ImportRecord } from './importing.ts'
import { type Format, likeliestBank, recogniseFormat } from './recognise-file.ts'

type Profile = Data<'/api/v1/operator/statement-profiles'>[number]
type Bank = Data<'/api/v1/operator/banks'>[number]
type Start = (file: File, choice: Choice) => Promise<void>
type Props = { file: File; bankCode: string | undefined; start: Start; close: () => void }

const FORMATS = Object.keys(strings.formats) as Format[]

export function ImportForm({ file, bankCode: givenBank, start, close }: Props) {
  const banks = useData('/api/v1/operator/banks', {})
  const profiles = useData('/api/v1/operator/statement-profiles', {})
  const earlier = usePage('/api/v1/operator/statement-imports', { limit: '50' })
  const [format, setFormat] = useState<Format | undefined>()
  const [bank, setBank] = useState<string | undefined>(givenBank)
  const [profile, setProfile] = useState<string | undefined>()
  useEffect(() => {
    recogniseFormat(file).then(setFormat, () => setFormat('csv'))
  }, [file])
  const imports = earlier.data?.data ?? []
  const onlyBank = banks.data?.length === 1 ? banks.data[0]?.code : undefined
  const bankCode = bank ?? likeliestBank(file.name, imports) ?? onlyBank ?? ''
  const named = { code: bankCode, name: nameOf(banks.data, bankCode) }
  const chosen = profile ?? likeliestProfile(profiles.data ?? [], imports, named)
  const sending = useSending(async () => {
    const isCsv = format === 'csv'
    await start(file, {
      bankCode,
      format: format ?? 'csv',
      profile: (isCsv && chosen) || undefined,
    })
  })
  const problem = banks.problem ?? profiles.problem
  const retry = () => [banks, profiles].forEach(({ reload }) => void reload())
  const isReady = !!(banks.data && profiles.data && format && !earlier.isLoading)
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isReady) fields.current?.querySelector('select')?.focus()
  }, [isReady])
  return (
    <DialogForm
      title={strings.import}
      action={strings.start}
      isReady={isReady}
      sending={sending}
      close={close}
    >
      <p class="file-name">
        <code>{file.name}</code> <span class="muted">{bytes(file.size)}</span>
      </p>
      {problem && <Failed problem={problem} retry={retry} />}
      {!problem && !isReady && <Skeleton kind="text" lines={6} />}
      {isReady && (
        <div ref={fields} class="form">
          <Choices label={strings.bank} value={bankCode} choose={setBank}>
            <option value="">{strings.chooseBank}</option>
            <Options choices={banks.data?.map(({ code, name }) => [code, name])} />
          </Choices>
          <Choices label={strings.format} value={format} choose={(it) => setFormat(it as Format)}>
            <Options choices={FORMATS.map((each) => [each, strings.formats[each] ?? each])} />
          </Choices>
          {format === 'csv' && (
            <Choices
              label={strings.profile}
              hint={strings.profileHint}
              isOptional
              value={chosen}
              choose={setProfile}
            >
              <option value="">{strings.chooseProfile}</option>
              <Options choices={profiles.data?.map(({ name, title }) => [name, title])} />
            </Choices>
          )}
        </div>
      )}
    </DialogForm>
  )
}

const nameOf = (banks: readonly Bank[] | undefined, bankCode: string) =>
  banks?.find(({ code }) => code === bankCode)?.name ?? ''

type ChoicesProps = {
  label: string
  hint?: string
  isOptional?: boolean
  value: string
  choose: (value: string) => void
  children: ComponentChildren
}

function Options({ choices = [] }: { choices: [value: string, label: string][] | undefined }) {
  return (
    <>
      {choices.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </>
  )
}

function Choices({ label, hint, isOptional = false, value, choose, children }: ChoicesProps) {
  return (
    <Field label={label} hint={hint}>
      {(id) => (
        <select
          id={id}
          required={!isOptional}
          value={value}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {children}
        </select>
      )}
    </Field>
  )
}

// The profile of the bank's last CSV, or the one named like the bank.
function likeliestProfile(
  profiles: readonly Profile[],
  imports: readonly ImportRecord[],
  bank: { code: string; name: string },
): string {
  const last = imports.find(({ bankCode, profile }) => bankCode === bank.code && profile !== null)
  const named = profiles.find(({ name }) => initialsOf(bank.name).includes(name))
  return last?.profile ?? named?.name ?? ''
}

// Guaranty Trust Bank: gtbank, guaranty.
function initialsOf(name: string): string[] {
  const words = name.toLowerCase().split(/\s+/)
  const initials = words.filter((word) => word !== 'bank').map(([first]) => first)
  return [`${initials.join('')}bank`, ...words]
}
