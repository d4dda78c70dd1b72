// A place to drop a file. The button does the same by keyboard and touch.

import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { bankStatementsStrings as strings } from '../../../copy.ts'
import { Icon } from '../../parts/icons.tsx'

type Props = {
  label: string
  isCompact: boolean // Only the button.
  isBusy: boolean
  take: (file: File) => void
  children: ComponentChildren
}

export function DropPlace({ label, isCompact, isBusy, take, children }: Props) {
  const [isOver, setOver] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const hold = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer?.files[0]
    if (file) take(file)
  }
  const choose = () => {
    const file = field.current?.files?.[0]
    if (file) take(file)
    if (field.current) field.current.value = '' // The same file may be chosen again.
  }
  const button = (
    <>
      <button
        type="button"
        class={`button ${isCompact ? '' : 'primary'}`}
        disabled={isBusy}
        onClick={() => field.current?.click()}
      >
        <Icon name="upload" />
        {label}
      </button>
      <input
        ref={field}
        class="hidden"
        type="file"
        tabIndex={-1}
        aria-label={strings.file}
        accept=".xml,.sta,.940,.mt940,.txt,.csv,.gz"
        onChange={choose}
      />
    </>
  )
  if (isCompact) return button
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: The button does the same.
    <div
      class="drop"
      data-over={isOver}
      onDragEnter={hold}
      onDragOver={hold}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <p>
        {isOver ? strings.dropHere : strings.drop}
        <span class="muted small">{strings.formatsHint}</span>
      </p>
      {button}
      {children}
    </div>
  )
}
