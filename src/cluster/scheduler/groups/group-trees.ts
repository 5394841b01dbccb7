import type { Pod } from '../../../api/core/v1.types.ts'
import type { CompositePodGroup } from '../../../api/scheduling/v1beta1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { PodGroupObject } from '../../shared/group-kinds.ts'

/** Most levels of a tree of groups, the groups of pods included. */
export const MOST_LEVELS = 4

/** An object that describes a group of pods or a group of groups. */
export type TreeObject = PodGroupObject | CompositePodGroup

/** A group of pods, or a group of groups. */
export interface TrackedGroup {
  /** Identity of the group. For a group of pods, it is that of `GroupReference`. */
  readonly key: string
  readonly object: TreeObject
  readonly isComposite: boolean
  /** Optional. Key of the composite group that the group belongs to, which need not exist. */
  readonly parent?: string
}

/** The way from a group to the root of its tree. */
export interface GroupPath {
  /** The group and the composite groups above it, as far as they exist and up to `MOST_LEVELS` of them. */
  readonly groups: readonly TrackedGroup[]
  /** Undefined if the last group is the root. A cycle has too many levels. */
  readonly brokenBy: 'a missing group' | 'too many levels' | undefined
  /** Key of the group at which the way ends: the root, or the first one that is missing or is a level too many. */
  readonly end: string
}

/** Trees of groups. A group of pods without a parent is a tree of its own. All functions return shared objects. */
export interface GroupTrees {
  get(key: string): TrackedGroup | undefined
  pathOf(key: string): GroupPath
  /** Returns the groups directly below a composite group, in the order in which they are scheduled. */
  childrenOf(key: string): Steps<readonly TrackedGroup[]>
  /** Reports whether enough pods exist for a group, or enough of the groups below it are ready. */
  isReady(key: string): boolean
  /**
   * Returns the keys of the groups of pods in the tree of a group. @param parent key of its parent, for a deleted group
   */
  leavesOf(key: string, parent?: string): ReadonlySet<string>
}

const COMPOSITE = 'composite:'

/** Returns the key of a composite group. It differs from that of any group of pods. */
export const compositeKey = (namespace: string, name: string): string => `${COMPOSITE}${namespace}/${name}`

/** Reports whether a key is that of a composite group. */
export const isCompositeKey = (key: string): boolean => key.startsWith(COMPOSITE)

/** Returns the name of the group that a key stands for, without its namespace. */
export const groupName = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

/** Returns the key of a group. */
export const treeKey = ({ metadata: { namespace = '', name = '' } }: Pick<TreeObject, 'metadata'>, isComposite: boolean): string =>
  isComposite ? compositeKey(namespace, name) : `${namespace}/${name}`

/** Returns the key of the parent of a group. Undefined if it has none. */
export function parentKey({ metadata: { namespace = '' }, spec }: Pick<TreeObject, 'metadata' | 'spec'>): string | undefined {
  const parent = 'parentCompositePodGroupName' in spec ? spec.parentCompositePodGroupName : undefined
  return parent === undefined ? undefined : compositeKey(namespace, parent)
}

/** Pods of groups, by the key of their group. */
interface GroupPods {
  podsOfGroup(key: string): readonly Pod[]
  readonly trees: GroupTrees
}

/**
 * Returns the pods that the change of a group may help: those of its tree. None if the tree is not ready, as all of
 * them wait until it is.
 */
export function podsHelpedBy(object: TreeObject, isComposite: boolean, objects: GroupPods): readonly Pod[] {
  const { trees } = objects
  const [key, parent] = [treeKey(object, isComposite), parentKey(object)]
  const path = trees.pathOf(key)
  const { brokenBy, end } = path.groups.length === 0 && parent !== undefined ? trees.pathOf(parent) : path
  if (brokenBy === 'a missing group' || (brokenBy === undefined && !trees.isReady(end))) return []
  return [...trees.leavesOf(key, parent)].flatMap(leaf => objects.podsOfGroup(leaf))
}
