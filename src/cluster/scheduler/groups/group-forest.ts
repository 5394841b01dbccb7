import { type Steps, sortInSteps } from '../../../lib/steps.ts'
import {
  type GroupPath,
  type GroupTrees,
  isCompositeKey,
  MOST_LEVELS,
  parentKey,
  type TrackedGroup,
  type TreeObject,
  treeKey,
} from './group-trees.ts'
import { rulesOf } from './pod-group.ts'

/**
 * Groups by key, by parent, and by whether enough of their members exist. A change takes time in proportion to the
 * number of levels above the group. Source: HierarchyTracker of pkg/scheduler/framework/plugins/gangscheduling.
 */
export class GroupForest implements GroupTrees {
  readonly #groups = new Map<string, TrackedGroup>()
  /** Keys of groups by the key of their parent, whether or not it exists. */
  readonly #children = new Map<string, Set<string>>()
  readonly #ready = new Set<string>()
  /** Numbers of ready groups by the key of their parent. */
  readonly #readyChildren = new Map<string, number>()
  readonly #podCount: (group: string) => number
  readonly #hasComposites: boolean

  /**
   * @param podCount returns the number of pods of a group of pods
   * @param hasComposites whether groups can have a parent
   */
  constructor(podCount: (group: string) => number, hasComposites: boolean) {
    this.#podCount = podCount
    this.#hasComposites = hasComposites
  }

  /** Adds a group, or replaces its known state. */
  set(object: TreeObject, isComposite: boolean): void {
    const key = treeKey(object, isComposite)
    const parent = this.#hasComposites ? parentKey(object) : undefined
    this.delete(key)
    this.#groups.set(key, { key, object, isComposite, ...(parent !== undefined && { parent }) })
    if (parent !== undefined) {
      const siblings = this.#children.get(parent)
      if (siblings) siblings.add(key)
      else this.#children.set(parent, new Set([key]))
    }
    this.update(key)
  }

  delete(key: string): void {
    const group = this.#groups.get(key)
    if (group === undefined) return
    this.#groups.delete(key)
    const { parent } = group
    const siblings = parent === undefined ? undefined : this.#children.get(parent)
    siblings?.delete(key)
    if (parent !== undefined && siblings?.size === 0) this.#children.delete(parent)
    if (!this.#ready.delete(key)) return
    const above = this.#countReady(parent, -1)
    if (above) this.update(above.key)
  }

  /** Determines again whether a group is ready, and with it those above. To be called when its pods have changed. */
  update(key: string): void {
    for (let group = this.#groups.get(key); group; ) {
      const isReady = this.#hasEnough(group)
      if (isReady === this.#ready.has(group.key)) return
      if (isReady) this.#ready.add(group.key)
      else this.#ready.delete(group.key)
      group = this.#countReady(group.parent, isReady ? 1 : -1)
    }
  }

  get(key: string): TrackedGroup | undefined {
    return this.#groups.get(key)
  }

  pathOf(key: string): GroupPath {
    const groups: TrackedGroup[] = []
    for (let end = key; ; ) {
      if (groups.length === MOST_LEVELS) return { groups, brokenBy: 'too many levels', end }
      const group = this.#groups.get(end)
      if (group === undefined) return { groups, brokenBy: 'a missing group', end }
      groups.push(group)
      if (group.parent === undefined) return { groups, brokenBy: undefined, end }
      end = group.parent
    }
  }

  *childrenOf(key: string): Steps<readonly TrackedGroup[]> {
    const children = [...(this.#children.get(key) ?? [])].flatMap(child => this.#groups.get(child) ?? [])
    return yield* sortInSteps(children, byAge)
  }

  isReady(key: string): boolean {
    return this.#ready.has(key)
  }

  leavesOf(key: string, parent?: string): ReadonlySet<string> {
    const leaves = new Set<string>()
    const seen = new Set([key])
    const top = this.pathOf(this.#groups.has(key) ? key : (parent ?? key)).groups.at(-1)
    if (top) seen.add(top.key)
    // A set is iterated in the order of insertion, with what is added meanwhile.
    for (const at of seen) {
      for (const child of this.#children.get(at) ?? []) seen.add(child)
      if (!isCompositeKey(at)) leaves.add(at)
    }
    return leaves
  }

  #hasEnough({ key, object, isComposite }: TrackedGroup): boolean {
    const count = isComposite ? (this.#readyChildren.get(key) ?? 0) : this.#podCount(key)
    return count >= (rulesOf(object).minCount ?? 1)
  }

  /** Counts that a group became ready (1), or is no longer ready (-1). Returns its parent if it exists. */
  #countReady(parent: string | undefined, change: 1 | -1): TrackedGroup | undefined {
    if (parent === undefined) return undefined
    const count = (this.#readyChildren.get(parent) ?? 0) + change
    if (count === 0) this.#readyChildren.delete(parent)
    else this.#readyChildren.set(parent, count)
    return this.#groups.get(parent)
  }
}

/** Orders older groups first. Source: SortChildren of PodGroupInfo in pkg/scheduler/framework. */
function byAge({ key: a, object: { metadata: one } }: TrackedGroup, { key: b, object: { metadata: other } }: TrackedGroup): number {
  const [created, otherCreated] = [String(one.creationTimestamp ?? ''), String(other.creationTimestamp ?? '')]
  if (created !== otherCreated) return created < otherCreated ? -1 : 1
  return a < b ? -1 : 1
}
