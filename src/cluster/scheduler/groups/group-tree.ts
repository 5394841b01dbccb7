import { objectKey } from '../../../clients/api-client.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { type GroupTrees, MOST_LEVELS, type TrackedGroup } from './group-trees.ts'
import { type GroupRules, rulesOf } from './pod-group.ts'

/** A group as one cycle sees it, with the groups below it. */
export interface GroupNode extends TrackedGroup {
  readonly rules: GroupRules
  /** Groups in the order in which they are scheduled. Empty for a group of pods. */
  readonly children: readonly GroupNode[]
}

/** A hierarchy that is never scheduled. */
export interface InvalidTree {
  /** Groups of the hierarchy, as far as they are known. */
  readonly groups: readonly TrackedGroup[]
  readonly message: string
}

/**
 * Returns the root of the tree that a group of pods belongs to, in steps. Undefined as long as a group above it does not
 * exist. A group of pods without a parent is the root of a tree of one leaf.
 */
export function* treeOf(key: string, trees: GroupTrees): Steps<GroupNode | InvalidTree | undefined> {
  const { groups, brokenBy } = trees.pathOf(key)
  const root = groups.at(-1)
  if (root === undefined || brokenBy === 'a missing group') return undefined
  if (brokenBy) return { groups: [...new Set(groups)], message: tooDeep(groups[0] ?? root) }
  const found: TrackedGroup[] = []
  const tree = yield* nodeOf(root, 1, trees, found)
  const last = found.at(-1)
  return tree ?? (last && { groups: found, message: tooDeep(last) })
}

/** Undefined if there are too many levels. The last of the groups is then one of the level that is too many. */
function* nodeOf(group: TrackedGroup, level: number, trees: GroupTrees, found: TrackedGroup[]): Steps<GroupNode | undefined> {
  found.push(group)
  if (level > MOST_LEVELS) return undefined
  const children: GroupNode[] = []
  for (const child of group.isComposite ? yield* trees.childrenOf(group.key) : []) {
    if (isStepDone()) yield
    const node = yield* nodeOf(child, level + 1, trees, found)
    if (node === undefined) return undefined
    children.push(node)
  }
  return { ...group, rules: rulesOf(group.object), children }
}

const tooDeep = ({ object }: TrackedGroup): string =>
  `hierarchy starting at ${objectKey(object)} is deeper than the maximum of ${MOST_LEVELS}, or contains a cycle`

/** Returns a group and the groups below it, parents first. */
export const nodesOf = (node: GroupNode): readonly GroupNode[] => [node, ...node.children.flatMap(nodesOf)]

/** Returns the groups of pods of a tree, in the order in which they are scheduled. */
export const leavesOf = (node: GroupNode): readonly GroupNode[] => nodesOf(node).filter(({ isComposite }) => !isComposite)
