// The name of a bank by its code. The list loads once; unknown banks show their code.

import { useEffect, useState } from 'preact/hooks'
import { getData } from '../api.ts'

type Names = ReadonlyMap<string, string>

let request: Promise<Names> | undefined

// All components share one request for the names.
function loadNames(): Promise<Names> {
  request ??= getData('/dashboard/api/banks', {}).then(
    (banks) => new Map(banks.map(({ code, name }) => [code, name])),
  )
  request.catch(() => {
    request = undefined // The next caller tries again.
  })
  return request
}

// Returns undefined until the list has loaded.
function useNames(): Names | undefined {
  const [names, setNames] = useState<Names | undefined>()
  useEffect(() => {
    let isUnmounted = false
    loadNames().then(
      (loaded) => isUnmounted || setNames(loaded),
      () => {},
    )
    return () => {
      isUnmounted = true
    }
  }, [])
  return names
}

// Returns a function that gives the name of a bank, or its code until the names have loaded.
export function useBankNames(): (code: string) => string {
  const names = useNames()
  return (code) => names?.get(code) ?? code
}

// Returns the names of all banks by code, sorted by name.
export function useBanks(): Readonly<Record<string, string>> {
  const names = [...(useNames() ?? [])].sort(([, one], [, other]) => one.localeCompare(other))
  return Object.fromEntries(names.map(([code, name]) => [`${code}`, name]))
}

export function BankName({ code }: { code: string }) {
  return <>{useBankNames()(code)}</>
}
