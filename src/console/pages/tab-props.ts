import type { Kind } from '../kinds.ts'
import type { AnyObject } from '../objects.ts'

/** Properties of every tab of an object's page. */
export interface TabProps {
  readonly kind: Kind
  readonly kinds: readonly Kind[]
  readonly path: string
  readonly object: AnyObject
}
