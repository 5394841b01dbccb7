import type { Kind } from '../kinds.ts'
import type { Route } from '../route.ts'

/** What a page is given. */
export interface PageProps {
  readonly kinds: readonly Kind[]
  readonly route: Route
}
