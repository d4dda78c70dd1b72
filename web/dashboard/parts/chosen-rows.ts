// The rows that somebody chose in a list: kept from page to page, and given up when something else is
// looked for, for nobody decides about what they do not see.

import { useEffect, useState } from 'preact/hooks'

// `asked`: what is looked for.
export function useChosenAmong<Chosen>(
  asked: string,
  none: Chosen,
): [chosen: Chosen, choose: (chosen: Chosen) => void] {
  const [kept, setKept] = useState({ asked, chosen: none })
  useEffect(() => {
    setKept((before) => (before.asked === asked ? before : { asked, chosen: none }))
  }, [asked])
  return [kept.asked === asked ? kept.chosen : none, (chosen) => setKept({ asked, chosen })]
}
