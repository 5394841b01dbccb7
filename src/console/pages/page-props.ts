import type { Kind } from '../kinds.ts'
import type { Route } from '../route.ts'

/** Properties of every page. */
export interface PageProps {
  readonly kinds: readonly Kind[]
  readonly route: Route
}
