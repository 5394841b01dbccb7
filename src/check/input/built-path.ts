import type { MapEntry, MapNode, SourceNode } from '../../upgrade/source/nodes.ts'
import { headOf, type TextRange } from './position.ts'

/** A step from a node to one of its children. */
export type BuiltStep = { readonly key: string } | { readonly index: number; readonly item: SourceNode }

/** A node that a path of a built object leads to in a source. */
export interface SourceLocation {
  readonly node: SourceNode
  /** Range of the key of a member, or of the beginning of a list item. */
  readonly range: TextRange
}

/** Returns the steps from a root to a node of its tree. Undefined if it is in none. */
export function stepsTo(root: SourceNode, node: SourceNode): BuiltStep[] | undefined {
  if (root === node) return []
  // A node is within the ranges of its parents.
  if (node.start < root.start || node.end > root.end) return undefined
  const children: { readonly step: BuiltStep; readonly child: SourceNode }[] =
    root.kind === 'map'
      ? root.pairs.map(({ key, value }) => ({ step: { key }, child: value }))
      : root.kind === 'list'
        ? root.items.map((item, index) => ({ step: { index, item }, child: item }))
        : []
  for (const { step, child } of children) {
    const rest = stepsTo(child, node)
    if (rest) return [step, ...rest]
  }
  return undefined
}

export const targetOf = (node: SourceNode): SourceNode => (node.kind === 'alias' ? targetOf(node.target) : node)

/** Returns a member of a map, or of a map that it merges. */
export function memberEntry(map: MapNode, key: string): MapEntry | undefined {
  const own = map.pairs.findLast(pair => pair.key === key)
  if (own) return own
  for (const merged of map.merged) {
    const target = targetOf(merged)
    const found = target.kind === 'map' ? memberEntry(target, key) : undefined
    if (found) return found
  }
  return undefined
}

/** Value of a member of a map. Undefined for any other node. */
export function memberNode(node: SourceNode | undefined, key: string): SourceNode | undefined {
  const target = node && targetOf(node)
  const value = target?.kind === 'map' ? memberEntry(target, key)?.value : undefined
  return value && targetOf(value)
}

/** Text of a scalar member. Empty if there is none. */
export function memberText(node: SourceNode | undefined, key: string): string {
  const value = memberNode(node, key)
  return value?.kind === 'scalar' && value.value !== null ? String(value.value) : ''
}

/**
 * Follows steps of a built object in a source, where items of lists may stand in another order. Undefined if the source
 * does not have the node.
 */
export function followSteps(root: SourceNode, steps: readonly BuiltStep[]): SourceLocation | undefined {
  let at: SourceLocation = { node: targetOf(root), range: headOf(targetOf(root)) }
  for (const step of steps) {
    const next = 'key' in step ? memberLocation(at.node, step.key) : itemLocation(at.node, step)
    if (next === undefined) return undefined
    at = next
  }
  return at
}

function memberLocation(node: SourceNode, key: string): SourceLocation | undefined {
  const entry = node.kind === 'map' ? memberEntry(node, key) : undefined
  return entry && { node: targetOf(entry.value), range: { start: entry.keyStart, end: entry.keyEnd } }
}

/** Members that identify items of lists, in order of preference. */
const ITEM_KEYS = ['name', 'containerPort', 'port', 'mountPath', 'devicePath', 'topologyKey', 'ip', 'host', 'key', 'path']

function itemLocation(
  node: SourceNode,
  { index, item }: { readonly index: number; readonly item: SourceNode },
): SourceLocation | undefined {
  if (node.kind !== 'list') return undefined
  const found = itemLike(node.items, item, index)
  return found && { node: targetOf(found), range: headOf(targetOf(found)) }
}

function itemLike(items: readonly SourceNode[], item: SourceNode, index: number): SourceNode | undefined {
  const key = ITEM_KEYS.find(each => memberText(item, each) !== '')
  if (key !== undefined && items.some(each => memberText(each, key) !== ''))
    return items.find(each => memberText(each, key) === memberText(item, key))
  if (item.kind === 'scalar') return items.find(each => isSameScalar(targetOf(each), item))
  return items[index]
}

/** Reports whether two nodes are the same scalar. */
export const isSameScalar = (a: SourceNode, b: SourceNode): boolean =>
  a.kind === 'scalar' && b.kind === 'scalar' && String(a.value) === String(b.value)
