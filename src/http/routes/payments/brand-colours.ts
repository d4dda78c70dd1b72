// A merchant's colour made readable: whatever colour they choose, what is written on it or in it
// keeps the contrast of WCAG 2.2 (4.5 : 1), in light and in dark.

import { Refusal } from '#errors.ts'

export const DEFAULT_COLOUR = '#0f5e4d'

const CONTRAST_MIN = 4.5
const STEPS = 20

type Rgb = readonly [red: number, green: number, blue: number]

const BLACK: Rgb = [0, 0, 0]
const WHITE: Rgb = [255, 255, 255]
// The backgrounds of web/checkout/checkout.css that the colour has least contrast with.
const LIGHT_GROUND: Rgb = [0xf3, 0xf4, 0xf2]
const DARK_GROUND: Rgb = [0x22, 0x26, 0x25]

// The style sheet of one colour: depends on nothing else, so a browser may keep it for ever.
export function brandStylesheet(hex: string): string {
  const colour = parseHex(hex)
  const light = rules(colour, readable(colour, LIGHT_GROUND, BLACK))
  const dark = rules(colour, readable(colour, DARK_GROUND, WHITE))
  return `:root{${light}}@media (prefers-color-scheme:dark){:root{${dark}}}`
}

export function contrast(one: string, other: string): number {
  return ratio(parseHex(one), parseHex(other))
}

function rules(accent: Rgb, accentText: Rgb): string {
  const onAccent = ratio(accent, WHITE) >= ratio(accent, BLACK) ? WHITE : BLACK
  const entries = { accent, 'on-accent': onAccent, 'accent-text': accentText }
  return Object.entries(entries)
    .map(([name, rgb]) => `--${name}:${formatHex(rgb)}`)
    .join(';')
}

// The nearest to the colour, on the way to black or white, that can be read on the ground.
function readable(colour: Rgb, ground: Rgb, towards: Rgb): Rgb {
  for (let step = 0; step < STEPS; step++) {
    const mixed = mix(colour, towards, step / STEPS)
    if (ratio(mixed, ground) >= CONTRAST_MIN) return mixed
  }
  return towards
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (at: 0 | 1 | 2) => Math.round(from[at] + (to[at] - from[at]) * share)
  return [part(0), part(1), part(2)]
}

function ratio(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

// WCAG 2.2, "relative luminance".
function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function parseHex(hex: string): Rgb {
  const match = /^#?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex)
  if (!match) throw new Refusal('route_not_found')
  return [1, 2, 3].map((at) => Number.parseInt(match[at] as string, 16)) as unknown as Rgb
}

function formatHex(rgb: Rgb): string {
  return `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}
