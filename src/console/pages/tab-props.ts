import type { Kind } from '../kinds.ts'
import type { AnyObject } from '../objects.ts'

/** What a tab of the page of an object knows. */
export interface TabProps {
  readonly kind: Kind
  readonly kinds: readonly Kind[]
  readonly path: string
  readonly object: AnyObject
}
