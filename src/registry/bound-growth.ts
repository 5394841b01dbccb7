import type { KubeObject } from '../api/meta/object.ts'
import { boundMembers } from '../codec/value-bound.ts'
import { isStepDone, type Steps } from '../lib/steps.ts'
import { MOST_MEMBERS, memberNames, wideNames } from '../lib/wide-objects.ts'
import { ownMember } from '../meta/equal.ts'

type Node = Record<string, unknown> | readonly unknown[]

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/**
 * Throws 413 if a write gives an object too many members that its body does not have: defaults, webhooks and
 * conversions of members (`stringData`, `limits`) add some, and managed fields have one for each item of a set or a
 * list of type map. An object in `old` that has too many already, as an older store may hold it, may stay or shrink.
 */
export function* boundGrowth({ metadata: { managedFields, ...metadata }, ...next }: KubeObject, old?: KubeObject): Steps<void> {
  yield* boundValue({ ...next, metadata }, old)
  const count = yield* mostMembers(managedFields)
  // The fields of an object need not have been those of the same manager before, or of any.
  if (count > MOST_MEMBERS) boundMembers(count, yield* mostMembers(old))
}

function* boundValue(next: Node, old: KubeObject | undefined): Steps<void> {
  const nodes = [next]
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
    const names = yield* memberNames(object)
    if (names.length > MOST_MEMBERS) boundMembers(names.length, known && (yield* wideNames(known)).length)
    for (const name of names) {
      if (isStepDone()) yield
      open(object[name], known && ownMember(known, name))
    }
  }
}

/**
 * Returns the number of members of the widest object in a value. `.` is not counted: it is the path of a node itself.
 */
function* mostMembers(value: unknown): Steps<number> {
  let most = 0
  const nodes = [value]
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (isStepDone()) yield
    if (!isNode(node)) continue
    if (Array.isArray(node)) {
      for (const item of node) {
        if (isStepDone()) yield
        if (isNode(item)) nodes.push(item)
      }
      continue
    }
    const members = node as Record<string, unknown>
    const names = yield* memberNames(node)
    most = Math.max(most, names.length - (Object.hasOwn(members, '.') ? 1 : 0))
    for (const name of names) {
      if (isStepDone()) yield
      const member = members[name]
      if (isNode(member)) nodes.push(member)
    }
  }
  return most
}
