// A bank's name for its code. The list is loaded once; until then, and for unknown banks, the code is
// shown.

import { useEffect, useState } from 'preact/hooks'
import { getData } from '../api.ts'

type Names = ReadonlyMap<string, string>

let asked: Promise<Names> | undefined

function askNames(): Promise<Names> {
  asked ??= getData('/dashboard/api/banks', {}).then(
    (banks) => new Map(banks.map(({ code, name }) => [code, name])),
  )
  asked.catch(() => {
    asked = undefined // And asked for again by the next.
  })
  return asked
}

function useNames(): Names | undefined {
  const [names, setNames] = useState<Names | undefined>()
  useEffect(() => {
    let isLeft = false
    askNames().then(
      (found) => isLeft || setNames(found),
      () => {},
    )
    return () => {
      isLeft = true
    }
  }, [])
  return names
}

export function useBankNames(): (code: string) => string {
  const names = useNames()
  return (code) => names?.get(code) ?? code
}

// All banks, to choose from: names by code, in the order of names.
export function useBanks(): Readonly<Record<string, string>> {
  const names = [...(useNames() ?? [])].sort(([, one], [, other]) => one.localeCompare(other))
  return Object.fromEntries(names.map(([code, name]) => [`${code}`, name]))
}

export function BankName({ code }: { code: string }) {
  return <>{useBankNames()(code)}</>
}
