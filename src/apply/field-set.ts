import { isStepDone, resultAtOnce, runIfSteps, type Steps } from '../lib/steps.ts'
import { memberNames } from '../lib/wide-objects.ts'
import type { Schema } from '../schema/schema.ts'
import type { PathElement } from './path-element.ts'
import { EMPTY, type FieldSet, isEmptySet, isMember } from './set-node.ts'
import { OpenNode, type SetRule, walked } from './set-walk.ts'
import { childSchema } from './typed-schema.ts'

/** A new set. Small sets are made synchronously, wide ones in steps. */
export type MadeSet = FieldSet | Steps<FieldSet>

/** Runs the steps of a set, if it has any, to their end. */
export const setAtOnce = (made: MadeSet): FieldSet => resultAtOnce(made)

/** Returns the set of paths that are lists of member names: `[['status'], ['metadata', 'labels']]`. */
export function fieldSetOf(paths: readonly (readonly string[])[]): FieldSet {
  let set = EMPTY
  for (const path of paths) {
    let branch = EMPTY
    for (const name of path.toReversed()) branch = { [`f:${name}`]: branch }
    set = setAtOnce(union(set, branch))
  }
  return set
}

/** Returns the sorted elements of a node without `.`. */
function withoutItself(elements: PathElement[]): PathElement[] {
  if (elements[0] === '.') elements.shift()
  return elements
}

/** The paths of either set. */
export function union(a: FieldSet, b: FieldSet): MadeSet {
  if (a === b || isEmptySet(b)) return a
  return isEmptySet(a) ? b : walked(unite, new OpenNode('', a, b, false), true)
}

/** The union of two nodes of the same path. The path is a member if it is one in either. */
export const unionNodes = (a: FieldSet, b: FieldSet): FieldSet =>
  a === b ? a : setAtOnce(walked(unite, new OpenNode('', a, b, isMember(a) || isMember(b)), true))

const unite: SetRule = ({ a, b }, element) => {
  const left = a[element]
  const right = b[element]
  if (left === undefined || right === undefined || left === right) return left ?? right
  return new OpenNode(element, left, right, isMember(left) || isMember(right))
}

/** The paths of all sets, in steps. Merges pairs, as merging them one after the other would be quadratic. */
export function* unionOf(sets: readonly FieldSet[]): Steps<FieldSet> {
  let left = sets
  while (left.length > 1) {
    const pairs: FieldSet[] = []
    for (let i = 0; i < left.length; i += 2) {
      if (isStepDone()) yield
      pairs.push(yield* runIfSteps(union(left[i] ?? EMPTY, left[i + 1] ?? EMPTY)))
    }
    left = pairs
  }
  return left[0] ?? EMPTY
}

/** The paths that are in both sets. */
export const intersection = (a: FieldSet, b: FieldSet): MadeSet => walked(intersect, new OpenNode('', a, b, false))

const intersect: SetRule = ({ a, b }, element) => {
  const left = a[element]
  const right = b[element]
  if (left === undefined || right === undefined || left === right) return right && left
  const both = isMember(left) && isMember(right)
  if (isEmptySet(left) || isEmptySet(right)) return both ? EMPTY : undefined
  return new OpenNode(element, left, right, both)
}

/** The paths of the first set that are not in the second. Paths below a removed one are kept. */
export const difference = (a: FieldSet, b: FieldSet): MadeSet =>
  isEmptySet(a) || isEmptySet(b) ? a : walked(subtract, new OpenNode('', a, b, false))

const subtract: SetRule = ({ a, b }, element) => {
  const left = a[element]
  const right = b[element]
  if (left === undefined || right === undefined) return left
  const isLeft = isMember(left) && !isMember(right)
  if (isEmptySet(left)) return isLeft ? left : undefined
  return new OpenNode(element, left, right, isLeft)
}

/** The paths of the first set that are neither in the second nor below one of its paths. */
export const recursiveDifference = (a: FieldSet, b: FieldSet): MadeSet =>
  isEmptySet(a) || isEmptySet(b) ? a : walked(subtractAllBelow, new OpenNode('', a, b, false))

const subtractAllBelow: SetRule = (open, element) => {
  const right = open.b[element]
  return right !== undefined && isMember(right) ? undefined : subtract(open, element)
}

/** Whether a path is in the set. A path that only leads to deeper ones is not. */
export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  let node = set
  for (const element of path) {
    const next = node[element]
    if (next === undefined) return false
    node = next
  }
  return path.length > 0 && isMember(node)
}

/** Whether two sets have the same paths. Shared nodes are compared by identity. */
export function equals(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true
  let left = 0
  for (const element in a) {
    const own = a[element]
    const other = b[element]
    if (own === undefined || other === undefined) return false
    if (element !== '.' && (isMember(own) !== isMember(other) || !equals(own, other))) return false
    left++
  }
  for (const _ in b) left--
  return left === 0
}

/**
 * Yields every path of a set, and undefined where other work may run. In each node, elements that are members come
 * first, then the paths below all elements.
 */
export function* pathsOf(set: FieldSet, prefix: readonly PathElement[] = []): Generator<readonly PathElement[] | undefined> {
  const elements = withoutItself(yield* memberNames(set))
  for (const element of elements) {
    if (isStepDone()) yield
    if (isMember(set[element] ?? EMPTY)) yield [...prefix, element]
  }
  for (const element of elements) {
    if (isStepDone()) yield
    const node = set[element] ?? EMPTY
    if (!isEmptySet(node)) yield* pathsOf(node, [...prefix, element])
  }
}

/** Adds the paths of struct fields that lead to a path of the set. */
export const ensureNamedFieldsAreMembers = (set: FieldSet, schema: Schema | undefined): MadeSet =>
  walked(name, new OpenNode('', set, EMPTY, false, schema))

const name: SetRule = ({ a, schema }, element) => {
  const node = a[element]
  if (node === undefined || isEmptySet(node)) return node
  const isNamed = schema?.type === 'struct' && element.startsWith('f:') && schema.fields.has(element.slice(2))
  return new OpenNode(element, node, EMPTY, isNamed || isMember(node), childSchema(schema, element))
}
