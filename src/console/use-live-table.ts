import { useEffect, useRef, useState } from 'preact/hooks'
import { LiveTable } from './live-table.ts'

/** Returns a collection that is kept up to date while the component is mounted. Undefined in its first rendering. */
export function useLiveTable(path: string, labelSelector = ''): LiveTable | undefined {
  const [, redraw] = useState(0)
  const table = useRef<LiveTable>()
  useEffect(() => {
    const live = new LiveTable(path, labelSelector === '' ? {} : { labelSelector }, () => redraw(n => n + 1))
    table.current = live
    redraw(n => n + 1)
    return () => live.close()
  }, [path, labelSelector])
  return table.current
}
