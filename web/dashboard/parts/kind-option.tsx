// The option of a kind of sandbox transfer: how often, or when.

import type { Ref } from 'preact'
import { sandboxBankStrings as strings } from '../../copy.ts'

type Option = { name: 'times' | 'afterSeconds'; label: string; least: number; usual: number }

const OPTIONS: Readonly<Record<string, Option>> = {
  duplicate: { name: 'times', label: strings.times, least: 1, usual: 1 },
  reversed: { name: 'afterSeconds', label: strings.afterSeconds.reversed, least: 0, usual: 0 },
  delayed: { name: 'afterSeconds', label: strings.afterSeconds.delayed, least: 0, usual: 30 },
}

export function KindOption({ kind, field }: { kind: string; field: Ref<HTMLInputElement> }) {
  const option = OPTIONS[kind]
  if (!option) return null
  return (
    <label class="field">
      <span>{option.label}</span>
      <input
        ref={field}
        type="number"
        inputMode="numeric"
        min={option.least}
        defaultValue={`${option.usual}`}
      />
    </label>
  )
}

// The service refuses text that is not a number.
export function optionOf(kind: string, text: string): { times?: number; afterSeconds?: number } {
  const option = OPTIONS[kind]
  if (!option || text === '') return {}
  return { [option.name]: Number(text) }
}
