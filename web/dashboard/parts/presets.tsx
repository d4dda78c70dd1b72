// Common periods, in days of West Africa Time.

import { appStrings } from '../../copy.ts'
import type { Query } from '../api.ts'
import { dayOf } from '../format.ts'
import { currentPlace, goTo, hrefOf } from '../routing.ts'

type Preset = keyof typeof appStrings.filters.presets
type Period = { from: string; to: string }

const DAY_MS = 86_400_000

// Includes both days.
export function periodOf(preset: Preset, now: Date): Period {
  const today = dayOf(now)
  const ago = (days: number) => dayOf(new Date(now.getTime() - days * DAY_MS))
  switch (preset) {
    case 'today':
      return { from: today, to: today }
    case 'yesterday':
      return { from: ago(1), to: ago(1) }
    case 'week':
      return { from: ago(6), to: today }
    case 'month':
      return { from: `${today.slice(0, 8)}01`, to: today }
  }
}

export function Presets({ view, query }: { view: string; query: Query }) {
  const names = Object.keys(appStrings.filters.presets) as Preset[]
  const now = new Date()
  return (
    // biome-ignore lint/a11y/useSemanticElements: A row of buttons is no fieldset.
    <div class="presets" role="group" aria-label={appStrings.filters.period}>
      {names.map((name) => {
        const period = periodOf(name, now)
        const isChosen = query.from === period.from && query.to === period.to
        const next = isChosen ? { from: undefined, to: undefined } : period
        return (
          <button
            key={name}
            type="button"
            class="button quiet"
            aria-pressed={isChosen}
            onClick={() => {
              const { open, query: others } = currentPlace()
              goTo(hrefOf(view, open, { ...others, ...next }), { replace: true })
            }}
          >
            {appStrings.filters.presets[name]}
          </button>
        )
      })}
    </div>
  )
}
