import type { KubeObject } from '../../meta/object.ts'

/** Which of several default classes is taken: the youngest, and of equally old ones the first by name. Undefined where there is none. */
export function youngestName(classes: readonly KubeObject[]): string | undefined {
  const created = ({ metadata }: KubeObject): number => Date.parse(metadata.creationTimestamp ?? '') || 0
  const [first] = [...classes].sort((a, b) => created(b) - created(a) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
  return first?.metadata.name
}
