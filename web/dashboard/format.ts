// How amounts, times and words of the service are written for people.

const naira = new Intl.NumberFormat('en-NG', { style: 'currency', currency: 'NGN' })
const whole = new Intl.NumberFormat('en-NG')
const percent = new Intl.NumberFormat('en-NG', { style: 'percent', maximumFractionDigits: 1 })
const short = new Intl.NumberFormat('en-NG', {
  style: 'currency',
  currency: 'NGN',
  notation: 'compact',
  maximumFractionDigits: 1,
})

export function money(amount: number, currency = 'NGN'): string {
  if (currency === 'NGN') return naira.format(amount)
  return new Intl.NumberFormat('en-NG', { style: 'currency', currency }).format(amount)
}

export const shortMoney = (amount: number) => short.format(amount)
export const count = (value: number) => whole.format(value)
export const share = (value: number) => percent.format(value)

const time: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hour12: false }
const onThisDay = new Intl.DateTimeFormat(undefined, { ...time, second: '2-digit' })
const inThisYear = new Intl.DateTimeFormat(undefined, { ...time, day: 'numeric', month: 'short' })
const everElse = new Intl.DateTimeFormat(undefined, {
  ...time,
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})
const exact = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'full',
  timeStyle: 'long',
})
const dayAndMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const hourOnly = new Intl.DateTimeFormat(undefined, time)

export function localTime(iso: string, now = new Date()): string {
  const at = new Date(iso)
  if (at.toDateString() === now.toDateString()) return onThisDay.format(at)
  return (at.getFullYear() === now.getFullYear() ? inThisYear : everElse).format(at)
}

// Where the times that are shown are from: Africa/Lagos, GMT+1.
export function timeZone(now = new Date()): { place: string; offset: string } {
  const format = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' })
  const offset = format.formatToParts(now).find(({ type }) => type === 'timeZoneName')?.value
  return { place: format.resolvedOptions().timeZone, offset: offset ?? '' }
}

export const exactTime = (iso: string) => `${exact.format(new Date(iso))} (${iso})`
export const hour = (iso: string) => hourOnly.format(new Date(iso))
export const day = (iso: string) => dayAndMonth.format(new Date(iso))

// payment_reversed, PartPayment: Payment reversed, Part payment.
export function words(name: string): string {
  const apart = name
    .replaceAll(/[._]/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return apart.charAt(0).toUpperCase() + apart.slice(1)
}
