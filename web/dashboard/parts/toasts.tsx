// Toasts at the edge of the page, announced to screen readers. They dismiss themselves.

import { useEffect, useState } from 'preact/hooks'
import { appStrings } from '../strings/app.ts'
import { Icon } from './icons.tsx'

type Toast = { id: number; text: string; tone: 'calm' | 'bad' }
type Place = (toasts: readonly Toast[]) => void

const STAYS_MS = 4_000
const SHOWN_MAX = 3

let lastId = 0
let toasts: readonly Toast[] = []
const places: Place[] = []

export function toast(text: string, tone: Toast['tone'] = 'calm'): void {
  lastId += 1
  const id = lastId
  toasts = [...toasts, { id, text, tone }].slice(-SHOWN_MAX)
  show()
  window.setTimeout(() => drop(id), STAYS_MS)
}

function drop(id: number): void {
  toasts = toasts.filter((each) => each.id !== id)
  show()
}

// Where somebody looks: in the last place that was opened.
function show(): void {
  for (const place of places) place(place === places.at(-1) ? toasts : [])
}

// One for the page, and one in every dialog: what is outside an open dialog lies under it, can be
// neither pressed nor told.
export function Toasts() {
  const [shown, setShown] = useState<readonly Toast[]>([])
  useEffect(() => {
    places.push(setShown)
    show()
    return () => {
      places.splice(places.indexOf(setShown), 1)
      show()
    }
  }, [])
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, tone }) => (
        <div key={id} class={`toast ${tone}`}>
          <span>{text}</span>
          <button
            type="button"
            class="icon-button"
            aria-label={appStrings.dismiss}
            onClick={() => drop(id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  )
}
