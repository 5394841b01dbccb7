import type { ComponentType } from 'preact'
import type { Kind } from '../kinds.ts'
import type { Route } from '../route.ts'

export interface PageProps {
  readonly kinds: readonly Kind[]
  readonly route: Route
}

export interface PageEntry {
  /** First part of its address. */
  readonly id: string
  readonly label: string
  readonly Page: ComponentType<PageProps>
}

/** Pages beside the objects, in the order of the menu. */
export const PAGES: readonly PageEntry[] = []
