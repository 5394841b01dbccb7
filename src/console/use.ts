import { useEffect, useRef, useState } from 'preact/hooks'
import { parseRoute, type Route } from './route.ts'
import { ApiError } from './session.ts'

/** Where the console is, as its address says. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash))
  useEffect(() => {
    const follow = (): void => setRoute(parseRoute(location.hash))
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return route
}

/** What has been asked for: its value, or why there is none. */
export interface Asked<T> {
  readonly value?: T
  readonly error?: ApiError
}

/** Asks again whenever one of the `inputs` changes. What comes too late is dropped. */
export function useAsked<T>(ask: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({})
  useEffect(() => {
    const ended = new AbortController()
    setAsked({})
    ask(ended.signal).then(
      value => ended.signal.aborted || setAsked({ value }),
      (error: unknown) => ended.signal.aborted || setAsked({ error: errorOf(error) }),
    )
    return () => ended.abort()
  }, inputs)
  return asked
}

/** Asks every so often while the page is seen; the last value stays until there is another. */
export function usePolled<T>(ask: (signal: AbortSignal) => Promise<T>, everyMs: number): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({})
  useEffect(() => {
    const ended = new AbortController()
    const run = async (): Promise<void> => {
      while (!ended.signal.aborted) {
        if (document.visibilityState === 'visible') {
          const next = await ask(ended.signal).then(
            value => ({ value }),
            (error: unknown) => ({ error: errorOf(error) }),
          )
          if (!ended.signal.aborted) setAsked(next)
        }
        await new Promise(resolve => setTimeout(resolve, everyMs))
      }
    }
    void run()
    return () => ended.abort()
  }, [])
  return asked
}

const errorOf = (error: unknown): ApiError => (error instanceof ApiError ? error : new ApiError(0, error instanceof Error ? error.message : String(error)))

/** What keys do on a page that shows a list. */
export interface ListKeys {
  move(by: number): void
  open(): void
}

let list: ListKeys | undefined
export const currentList = (): ListKeys | undefined => list

/** The keys j, k and Enter are for this list while it is shown. */
export function useListKeys(keys: ListKeys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const mine: ListKeys = { move: by => latest.current.move(by), open: () => latest.current.open() }
    list = mine
    return () => {
      if (list === mine) list = undefined
    }
  }, [])
}

/** The time, renewed every so often. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

let isWanted = false

/** Moves the focus to the rows of the list that is shown next, or of the one that is shown if `isShown`. */
export function wantRows(isShown: boolean): void {
  isWanted = !isShown
  if (isShown) document.querySelector<HTMLElement>('main .scroller')?.focus()
}

/** Gives the rows the focus if they are wanted. An empty list leaves it to the content. */
export function useWantedRows(hasRows: boolean): void {
  useEffect(() => {
    if (!isWanted) return
    isWanted = false
    document.querySelector<HTMLElement>(hasRows ? 'main .scroller' : '#main')?.focus()
  }, [hasRows])
}
