import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Range of the rows that are rendered: the visible ones and a few beside them. */
export interface Seen {
  readonly first: number
  readonly end: number
}

const BESIDE = 20

/**
 * Tracks the visible rows of a scrolling element.
 * @param height height of every row, in pixels.
 */
export function useSeen(count: number, height: number): { readonly scroller: RefObject<HTMLDivElement>; readonly seen: Seen } {
  const scroller = useRef<HTMLDivElement>(null)
  const [seen, setSeen] = useState<Seen>({ first: 0, end: 80 })
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const look = (): void => {
      const first = Math.max(0, Math.floor(element.scrollTop / height) - BESIDE)
      const end = Math.ceil((element.scrollTop + element.clientHeight) / height) + BESIDE
      setSeen(old => (old.first === first && old.end === end ? old : { first, end }))
    }
    look()
    element.addEventListener('scroll', look, { passive: true })
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    return () => {
      element.removeEventListener('scroll', look)
      sizes.disconnect()
    }
  }, [height])
  const end = Math.min(seen.end, count)
  return { scroller, seen: { first: Math.min(seen.first, Math.max(0, end - 1)), end } }
}

/**
 * Scrolls a row into view.
 * @param above height of a sticky header, in pixels.
 */
export function showRow(element: HTMLElement | null, index: number, height: number, above = 0): void {
  if (element === null) return
  const top = index * height
  if (top < element.scrollTop) element.scrollTop = top
  else if (top + height + above > element.scrollTop + element.clientHeight) element.scrollTop = top + height + above - element.clientHeight
}
