import type { TypedObject } from '../../meta/object.ts'

/** Which of several default classes is taken: the youngest, and of equally old ones the first by name. Undefined where there is none. */
export function youngestName(classes: readonly TypedObject[]): string | undefined {
  const created = ({ metadata }: TypedObject): number => Date.parse(metadata.creationTimestamp ?? '') || 0
  const [first] = [...classes].sort((a, b) => created(b) - created(a) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
  return first?.metadata.name
}
