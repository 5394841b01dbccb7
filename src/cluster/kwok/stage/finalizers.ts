import type { JsonObject } from '../../../api/meta/object.ts'
import type { StageFinalizers } from './stage.ts'

const FINALIZERS = '/metadata/finalizers'

/**
 * Returns the operations of a JSON patch that changes the finalizers of an object. Empty if nothing changes. Source:
 * kwok, pkg/utils/lifecycle/finalizers.go.
 */
export function finalizerOperations(present: readonly string[], { add, remove, empty }: StageFinalizers): JsonObject[] {
  const removed = empty ? present : present.filter(name => remove.includes(name))
  const isEmptied = empty || (remove.length > 0 && removed.length === present.length)
  if (isEmptied) return [...(present.length > 0 ? [{ op: 'remove', path: FINALIZERS }] : []), ...additions([], add)]
  return [...removals(present, remove), ...additions(present, add)]
}

/** Removes from the end, so that no index changes before it is used. */
const removals = (present: readonly string[], remove: readonly string[]): JsonObject[] =>
  present.flatMap((name, i) => (remove.includes(name) ? [{ op: 'remove', path: `${FINALIZERS}/${i}` }] : [])).reverse()

function additions(present: readonly string[], add: readonly string[]): JsonObject[] {
  if (add.length === 0) return []
  if (present.length === 0) return [{ op: 'add', path: FINALIZERS, value: [...add] }]
  return add.filter(name => !present.includes(name)).map(value => ({ op: 'add', path: `${FINALIZERS}/-`, value }))
}
