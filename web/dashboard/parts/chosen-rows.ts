// The chosen rows of a list. The choice survives paging, but not other filters: nobody decides on hidden
// rows.

import { useEffect, useState } from 'preact/hooks'

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
