import type { KubeObject } from '../api/meta/object.ts'
import { boundMembers } from '../codec/value-bound.ts'
import { isStepDone, type Steps } from '../lib/steps.ts'
import { isWide, MOST_MEMBERS, namesOf, wideNames } from '../lib/wide-objects.ts'
import { ownMember } from '../meta/equal.ts'

type Node = Record<string, unknown> | readonly unknown[]

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/**
 * Throws 413 if a write gives an object too many members that its body does not have: defaults, webhooks and
 * conversions of members (`stringData`, `limits`) add some. An object in `old` that has too many already, as an older
 * store may hold it, may stay or shrink. Managed fields have a member for each member of the object, and one more.
 */
export function* boundGrowth({ metadata: { managedFields: _, ...metadata }, ...next }: KubeObject, old?: KubeObject): Steps<void> {
  const nodes: Node[] = [{ ...next, metadata }]
  const before: unknown[] = [old]
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (isStepDone()) yield
    const then = before.pop()
    const open = (member: unknown, was: unknown): void => {
      if (!isNode(member)) return
      nodes.push(member)
      before.push(was)
    }
    if (Array.isArray(node)) {
      for (const [i, item] of node.entries()) {
        if (isStepDone()) yield
        open(item, Array.isArray(then) ? then[i] : undefined)
      }
      continue
    }
    const object = node as Record<string, unknown>
    const known = isNode(then) && !Array.isArray(then) ? (then as Record<string, unknown>) : undefined
    const names = isWide(object) ? yield* wideNames(object) : namesOf(object)
    if (names.length > MOST_MEMBERS) boundMembers(names.length, known && (yield* wideNames(known)).length)
    for (const name of names) {
      if (isStepDone()) yield
      open(object[name], known && ownMember(known, name))
    }
  }
}
