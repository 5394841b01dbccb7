import { isJsonObject, type Json, type JsonObject } from '../meta/object.ts'
import type { Schema } from '../schema/schema.ts'
import { canonicalElement, compareElements, type PathElement } from './path-element.ts'
import { childSchema } from './typed-schema.ts'

/**
 * A set of paths, as a trie that is also its serialized form (FieldsV1): the members of a node are the next path elements, sorted. A path is in the set if its
 * node is empty or has the member `.`; other nodes only lead to deeper paths. The empty root is the empty set. Sets are immutable and share nodes.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export type FieldSet = { readonly [element: PathElement]: FieldSet }

/** The empty set; as a node: a path that is in the set, with nothing below. */
export const EMPTY: FieldSet = Object.freeze({})

/** A set that is being made, and belongs to nobody else yet. */
type Building = { [element: PathElement]: FieldSet }

/** Of a node below the root: nothing is below it, so that its own path is in the set. */
export function isEmpty(set: FieldSet): boolean {
  // Of a wide node the loop would gather all names first.
  if (set['.'] !== undefined) return false
  for (const _ in set) return false
  return true
}

/** Whether a node's own path is in the set. */
export const isMember = (node: FieldSet): boolean => node['.'] !== undefined || isEmpty(node)

/** The set of these paths of member names (`[['status'], ['metadata', 'labels']]`). */
export function fieldSetOf(paths: readonly (readonly string[])[]): FieldSet {
  let set = EMPTY
  for (const path of paths) {
    let branch = EMPTY
    for (const name of path.toReversed()) branch = { [`f:${name}`]: branch }
    set = union(set, branch)
  }
  return set
}

/** A node's element names without `.`, sorted. */
function elementsOf(node: FieldSet): PathElement[] {
  const elements = Object.keys(node)
  if (elements[0] === '.') elements.shift()
  return elements
}

/** A node with each of its children replaced; those for which nothing is returned are left out. `member`: the node's own path is in the new set. */
function mapped(node: FieldSet, member: boolean, replace: (child: FieldSet, element: PathElement) => FieldSet | undefined): FieldSet {
  const out: Building = {}
  let size = 0
  for (const element of elementsOf(node)) {
    const child = node[element]
    const kept = child === undefined ? undefined : replace(child, element)
    if (kept === undefined) continue
    if (size++ === 0 && member) out['.'] = EMPTY
    out[element] = kept
  }
  return size === 0 ? EMPTY : out
}

/** A node of these elements, in their order, `.` first; elements without a child are left out. */
function assemble(member: boolean, elements: readonly PathElement[], children: (element: PathElement) => FieldSet | undefined): FieldSet {
  const out: Building = {}
  let size = 0
  for (const element of elements) {
    const child = children(element)
    if (child === undefined) continue
    if (size++ === 0 && member) out['.'] = EMPTY
    out[element] = child
  }
  return size === 0 ? EMPTY : out
}

/** Paths of either set. */
export const union = (a: FieldSet, b: FieldSet): FieldSet => {
  if (a === b || isEmpty(b)) return a
  return isEmpty(a) ? b : unionNodes(a, b, false)
}

/** Paths of any of the sets. Pairs are merged first: one after the other would cost the square of their number. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  let left = sets
  while (left.length > 1) {
    const pairs: FieldSet[] = []
    for (let i = 0; i < left.length; i += 2) pairs.push(union(left[i] ?? EMPTY, left[i + 1] ?? EMPTY))
    left = pairs
  }
  return left[0] ?? EMPTY
}

function unionNodes(a: FieldSet, b: FieldSet, member: boolean): FieldSet {
  if (a === b) return a
  return assemble(member, mergedElements(a, b), element => {
    const left = a[element]
    const right = b[element]
    if (left === undefined || right === undefined) return left ?? right
    return unionNodes(left, right, isMember(left) || isMember(right))
  })
}

/** The elements of two sorted nodes, sorted. */
function mergedElements(a: FieldSet, b: FieldSet): PathElement[] {
  const left = elementsOf(a)
  const right = elementsOf(b).filter(element => a[element] === undefined)
  if (right.length === 0) return left
  const out: PathElement[] = []
  let i = 0
  for (const element of right) {
    for (let own = left[i]; own !== undefined && compareElements(own, element) < 0; own = left[++i]) out.push(own)
    out.push(element)
  }
  for (let own = left[i]; own !== undefined; own = left[++i]) out.push(own)
  return out
}

/** Paths of both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return common(a, b, false) ?? EMPTY
}

/** undefined: no path of the node is in both; the empty node is one that is itself. */
function common(a: FieldSet, b: FieldSet, member: boolean): FieldSet | undefined {
  const node = mapped(a, member, (left, element) => {
    const right = b[element]
    return right === undefined ? undefined : common(left, right, isMember(left) && isMember(right))
  })
  return node === EMPTY && !member ? undefined : node
}

/** Paths of the first set that are not in the second. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return isEmpty(b) ? a : (without(a, b, false, false) ?? EMPTY)
}

/** Paths of the first set that neither are in the second nor lie below one that is. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return isEmpty(b) ? a : (without(a, b, false, true) ?? EMPTY)
}

/** `recursive`: what is below a path of `b` goes as well. Returns `a` itself where nothing was taken from it, so that unchanged sets stay shared. */
function without(a: FieldSet, b: FieldSet, member: boolean, recursive: boolean): FieldSet | undefined {
  let same = member === (a['.'] !== undefined)
  const node = mapped(a, member, (left, element) => {
    const right = b[element]
    if (right === undefined) return left
    const taken = isMember(right)
    const kept = recursive && taken ? undefined : without(left, right, isMember(left) && !taken, recursive)
    if (kept !== left) same = false
    return kept
  })
  if (node === EMPTY) return member ? (isEmpty(a) ? a : EMPTY) : undefined
  return same ? a : node
}

/** Whether the path itself is in the set; one that only leads to deeper paths is not. */
export function has(set: FieldSet, path: readonly PathElement[]): boolean {
  let node = set
  for (const element of path) {
    const next = node[element]
    if (next === undefined) return false
    node = next
  }
  return path.length > 0 && isMember(node)
}

/** Whether two sets have the same paths. Shared nodes are not walked. */
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

/** Paths of the set below which there are no others. */
export function leaves(set: FieldSet): FieldSet {
  return mapped(set, false, child => (isEmpty(child) ? child : leaves(child)))
}

/** Every path of the set; of each node first the elements that are in the set themselves, then what is below them. */
export function* pathsOf(set: FieldSet, prefix: readonly PathElement[] = []): Generator<readonly PathElement[]> {
  const elements = elementsOf(set)
  for (const element of elements) if (isMember(set[element] ?? EMPTY)) yield [...prefix, element]
  for (const element of elements) yield* pathsOf(set[element] ?? EMPTY, [...prefix, element])
}

/** Adds the paths of struct fields that lead to a path of the set. */
export function ensureNamedFieldsAreMembers(set: FieldSet, schema: Schema | undefined): FieldSet {
  return withNamed(set, schema, false)
}

function withNamed(node: FieldSet, schema: Schema | undefined, member: boolean): FieldSet {
  return mapped(node, member, (child, element) => {
    const named = schema?.type === 'struct' && element.startsWith('f:') && schema.fields.has(element.slice(2))
    return withNamed(child, childSchema(schema, element), named || isMember(child))
  })
}

/** Sets by the documents that they were read from; a set that this code has made is its own document. */
const read = new WeakMap<object, FieldSet>()

/** The set that a FieldsV1 document says: canonical, sorted, without elements of unknown kinds. Throws an Error when malformed. The document must not change. */
export function fromFieldsV1(fields: JsonObject | undefined | null): FieldSet {
  if (fields === undefined || fields === null) return EMPTY
  let set = read.get(fields)
  if (set === undefined) {
    const node = readNode(fields)
    // The root is no path.
    set = node['.'] === undefined ? node : assemble(false, elementsOf(node), element => node[element])
    read.set(fields, set)
  }
  return set
}

/** The document of a set, which is the set itself: not to be changed. */
export function toFieldsV1(set: FieldSet): JsonObject {
  read.set(set, set)
  return set
}

/** A node has a `.` where its own path is in the set, unless nothing is below it. */
function readNode(node: Json | undefined): FieldSet {
  if (node === null) return EMPTY
  if (!isJsonObject(node)) throw new Error('ReadMapCB: expect { or n')
  const out: Building = {}
  let member = false
  let last: PathElement | undefined
  let sorted = true
  for (const text in node) {
    if (text === '.') {
      member = true
      // Where it stands first, as it is written, the node need not be made again: it may be wide.
      if (last === undefined) out['.'] = EMPTY
      continue
    }
    const element = canonicalElement(text)
    if (element === undefined) continue
    const child = readNode(node[text])
    const before = out[element]
    out[element] = before === undefined ? child : unionNodes(before, child, isMember(before) || isMember(child))
    if (last !== undefined && compareElements(last, element) >= 0) sorted = false
    last = element
  }
  if (last === undefined) return EMPTY
  if (sorted && member === (out['.'] !== undefined)) return out
  return assemble(member, elementsOf(out).sort(compareElements), element => out[element])
}
