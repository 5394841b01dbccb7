import type { TypedObject } from '../../api/meta/object.ts'

/**
 * Returns the name of the youngest of several default classes; if they are equally old, the first by name. Undefined if
 * there is none.
 */
export function youngestName(classes: readonly TypedObject[]): string | undefined {
  const created = ({ metadata }: TypedObject): number => Date.parse(metadata.creationTimestamp ?? '') || 0
  const [first] = [...classes].sort((a, b) => created(b) - created(a) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
  return first?.metadata.name
}
