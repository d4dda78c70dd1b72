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

export function useBankNames(): (code: string) => string {
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
  return (code) => names?.get(code) ?? code
}

export function BankName({ code }: { code: string }) {
  return <>{useBankNames()(code)}</>
}
