import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** The rows of a long list that can be seen, of those beside them a few. */
export interface Seen {
  readonly first: number
  readonly end: number
}

const BESIDE = 20

/** Follows how far an element is scrolled, whose rows are all of one height (pixels). */
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

/** Scrolls so that a row can be seen. `above`: pixels that a head covers. */
export function showRow(element: HTMLElement | null, index: number, height: number, above = 0): void {
  if (element === null) return
  const top = index * height
  if (top < element.scrollTop) element.scrollTop = top
  else if (top + height + above > element.scrollTop + element.clientHeight) element.scrollTop = top + height + above - element.clientHeight
}
