// Short notices at the edge of the page, told to readers of screens too. They go by themselves.

import { useEffect, useState } from 'preact/hooks'
import { STRINGS } from '../strings.ts'
import { Icon } from './icons.tsx'

type Toast = { id: number; text: string; tone: 'calm' | 'bad' }

const STAYS_MS = 4_000
const SHOWN_MAX = 3

let lastId = 0
let show: (toast: Toast) => void = () => {}

export function toast(text: string, tone: Toast['tone'] = 'calm'): void {
  lastId += 1
  show({ id: lastId, text, tone })
}

export function Toasts() {
  const [toasts, setToasts] = useState<Toast[]>([])
  const drop = (id: number) => setToasts((now) => now.filter((each) => each.id !== id))
  useEffect(() => {
    show = (added) => {
      setToasts((now) => [...now, added].slice(-SHOWN_MAX))
      window.setTimeout(() => drop(added.id), STAYS_MS)
    }
    return () => {
      show = () => {}
    }
  }, [])
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, tone }) => (
        <div key={id} class={`toast ${tone}`}>
          <span>{text}</span>
          <button
            type="button"
            class="icon-button"
            aria-label={STRINGS.dismiss}
            onClick={() => drop(id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  )
}
