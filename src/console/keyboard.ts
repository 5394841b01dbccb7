import { useEffect, useRef } from 'preact/hooks'
import { namedIn, parseRoute, tableHash } from './route.ts'
import { currentList } from './use.ts'

/** Parts of the page that keys open and close. */
export interface Openings {
  /** Shows the keys in a dialog. */
  openHelp(): void
  /** Shows the menu of kinds, before its search field receives the focus. */
  openMenu(): void
  closeMenu(): void
}

/** Keys of every page, as listed in the help. */
export const KEYS = [
  ['/', 'search kinds'],
  ['j, k or ↓, ↑', 'next and previous row'],
  ['Enter', 'open the row'],
  ['Esc', 'leave a field, close, or go back to the list'],
  ['f', 'filter by text'],
  ['1 to 5', 'views of an object'],
  ['?', 'this help'],
] as const

const isField = (element: EventTarget | null): element is HTMLElement =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement

/**
 * Handles keys for the whole page. Keys with Ctrl, Alt or Meta are ignored, and all keys while a text field has the
 * focus or a dialog is open.
 */
export function useKeyboard(openings: Openings): void {
  const latest = useRef(openings)
  latest.current = openings
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector('dialog[open]')) return
      if (isField(event.target)) {
        if (event.key === 'Escape') event.target.blur()
        return
      }
      if (act(event, latest.current)) event.preventDefault()
    }
    document.addEventListener('keydown', hear)
    return () => document.removeEventListener('keydown', hear)
  }, [])
}

/** Handles a key. Returns whether the key has a function. */
function act({ key, target }: KeyboardEvent, openings: Openings): boolean {
  switch (key) {
    case '/':
      openings.openMenu()
      requestAnimationFrame(() => document.querySelector<HTMLInputElement>('#kind-search')?.focus())
      return true
    case '?':
      openings.openHelp()
      return true
    case 'f':
      document.querySelector<HTMLInputElement>('input[name=text]')?.focus()
      return true
    case 'j':
    case 'ArrowDown':
      return move(1)
    case 'k':
    case 'ArrowUp':
      return move(-1)
    case 'Enter':
      // The browser activates the focused element.
      if (target instanceof HTMLAnchorElement || target instanceof HTMLButtonElement || target instanceof SVGAElement) return false
      currentList()?.open()
      return currentList() !== undefined
    case 'Escape':
      openings.closeMenu()
      return leaveObject()
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
      document.querySelectorAll<HTMLAnchorElement>('.tabs a')[Number(key) - 1]?.click()
      return true
    default:
      return false
  }
}

/** Moves the selection of the list of the page. Returns false if the page has none. */
function move(by: number): boolean {
  const list = currentList()
  list?.move(by)
  return list !== undefined
}

/** Returns from an object to the table of its kind in its namespace. */
function leaveObject(): boolean {
  const route = parseRoute(location.hash)
  if (route.parts[0] !== 'object') return false
  const { namespace, name: _, ...kind } = namedIn(route)
  location.hash = tableHash(kind, { namespace })
  return true
}
