import type { AnyObject } from './any-object.ts'
import type { StoredChange } from './stored-changes.ts'

interface Followed {
  /** Specs that the set had since it was last at rest. */
  specs: AnyObject[]
  /** Whether the set was at rest once, and no pod or node has been taken away since it last was. */
  isHealthy: boolean
}

const isTerminating = ({ metadata }: AnyObject): boolean => metadata.deletionTimestamp !== undefined
const isReady = ({ status }: AnyObject): boolean =>
  (status?.conditions ?? []).some(({ type, status: value }: AnyObject) => type === 'Ready' && value === 'True')
const isOver = ({ status }: AnyObject): boolean => ['Succeeded', 'Failed'].includes(status?.phase)
const ownerOf = ({ metadata }: AnyObject): string | undefined => metadata.ownerReferences?.find(({ controller }) => controller)?.uid
const targetOf = ({ spec }: AnyObject): string =>
  spec.nodeName ?? spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].values[0]
const ordinalOf = ({ metadata }: AnyObject): number => Number(metadata.name?.split('-').at(-1))
const imageOf = ({ spec }: AnyObject): string => (spec.template?.spec ?? spec).containers[0].image
const scaled = (value: number | string, total: number): number =>
  typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * total) / 100)

/**
 * Follows all changes of a store in order, and reports where one of its stateful or daemon sets breaks a promise of the
 * documentation: several pods on a node, fewer ready pods than the update allows, a pod before its predecessors, an
 * ordinal out of range, and what is left at rest.
 */
export class SetInvariants {
  readonly violations: string[] = []
  readonly #objects = new Map<string, AnyObject>()
  readonly #sets = new Map<string, Followed>()

  /** Takes the next change. */
  take({ revision, key, object }: StoredChange): void {
    if (!/^\/registry\/(?:pods|statefulsets|daemonsets|controllerrevisions|minions)\//.test(key)) return
    const before = this.#objects.get(key)
    if (object === undefined) this.#objects.delete(key)
    else this.#objects.set(key, object)
    if (object && /sets\//.test(key)) this.#follow(object)
    for (const set of this.#of('statefulsets')) this.#checkStateful(set, before === undefined ? object : undefined, revision)
    for (const set of this.#of('daemonsets')) this.#checkDaemons(set, revision)
  }

  /** Takes pods or nodes away, or changes the number of pods: fewer may be ready until the next rest. */
  disturb(): void {
    for (const followed of this.#sets.values()) followed.isHealthy = false
  }

  /** Checks what must hold when nothing is left to do. */
  rest(): void {
    for (const set of [...this.#of('statefulsets'), ...this.#of('daemonsets')]) {
      this.#sets.set(set.metadata.uid ?? '', { specs: [set.spec], isHealthy: true })
      const isStateful = set.spec.serviceName !== undefined
      const expected = isStateful ? set.spec.replicas : this.#of('minions').length
      const pods = this.#podsOf(set)
      const label = `${isStateful ? 'StatefulSet' : 'DaemonSet'} ${set.metadata.name} at rest`
      const wrong = (what: string): void => void this.violations.push(`${label}: ${what}`)
      if (pods.length !== expected || !pods.every(isReady))
        wrong(`${pods.filter(isReady).length} of ${pods.length} pods are ready, not ${expected}`)
      const partition = set.spec.updateStrategy.rollingUpdate?.partition ?? 0
      const outdated = pods.filter(pod => (!isStateful || ordinalOf(pod) >= partition) && imageOf(pod) !== imageOf(set))
      if (outdated.length > 0) wrong(`${outdated.map(({ metadata }) => metadata.name).join()} are outdated`)
      const { status } = set
      const counts = isStateful
        ? [status.replicas, status.readyReplicas, status.availableReplicas]
        : [status.desiredNumberScheduled, status.numberReady, status.numberAvailable]
      if (counts.some(count => (count ?? 0) !== expected)) wrong(`counts ${counts.join()}, not ${expected}`)
      if (status.observedGeneration !== set.metadata.generation) wrong('has not seen its spec')
      const revisions = this.#of('controllerrevisions').filter(each => ownerOf(each) === set.metadata.uid)
      if (revisions.length > set.spec.revisionHistoryLimit + 2) wrong(`has ${revisions.length} revisions`)
    }
    const owners = new Set([...this.#of('statefulsets'), ...this.#of('daemonsets')].map(({ metadata }) => metadata.uid))
    for (const kind of ['pods', 'controllerrevisions'])
      for (const object of this.#of(kind))
        if (!owners.has(ownerOf(object))) this.violations.push(`${kind} at rest: ${object.metadata.name} has no owner`)
  }

  #follow(set: AnyObject): void {
    const followed = this.#sets.get(set.metadata.uid ?? '') ?? { specs: [], isHealthy: false }
    if (JSON.stringify(followed.specs.at(-1)) !== JSON.stringify(set.spec)) followed.specs.push(set.spec)
    this.#sets.set(set.metadata.uid ?? '', followed)
  }

  #checkStateful(set: AnyObject, created: AnyObject | undefined, revision: number): void {
    const followed = this.#sets.get(set.metadata.uid ?? '')
    if (!followed || isTerminating(set)) return
    const wrong = (what: string): void => void this.violations.push(`StatefulSet ${set.metadata.name} at ${revision}: ${what}`)
    const pods = this.#podsOf(set)
    if (created?.kind === 'Pod' && ownerOf(created) === set.metadata.uid) {
      const ordinal = ordinalOf(created)
      const most = Math.max(...followed.specs.map(({ replicas }) => replicas))
      if (ordinal >= most) wrong(`creates ${created.metadata.name}, beyond ${most}`)
      const earlier = pods.filter(pod => ordinalOf(pod) < ordinal && isReady(pod) && !isTerminating(pod)).length
      if (followed.isHealthy && set.spec.podManagementPolicy !== 'Parallel' && earlier < ordinal)
        wrong(`creates ${created.metadata.name} after ${earlier} ready pods`)
    }
    const least = Math.min(...followed.specs.map(({ replicas }) => replicas))
    const ready = pods.filter(isReady).length
    if (followed.isHealthy && ready < least - 1) wrong(`${ready} pods of ${least} are ready`)
  }

  #checkDaemons(set: AnyObject, revision: number): void {
    const followed = this.#sets.get(set.metadata.uid ?? '')
    if (!followed || isTerminating(set)) return
    const wrong = (what: string): void => void this.violations.push(`DaemonSet ${set.metadata.name} at ${revision}: ${what}`)
    const rules = followed.specs.map(({ updateStrategy }) => updateStrategy.rollingUpdate)
    const pods = this.#podsOf(set).filter(pod => !isTerminating(pod) && !isOver(pod))
    const most = rules.some(({ maxSurge }) => scaled(maxSurge, 1) > 0) ? 2 : 1
    const onNode = new Map<string, number>()
    for (const pod of pods) onNode.set(targetOf(pod), (onNode.get(targetOf(pod)) ?? 0) + 1)
    for (const [node, count] of onNode) if (count > most) wrong(`${count} pods on ${node}`)
    const nodes = this.#of('minions').length
    const unavailable = Math.max(
      ...rules.map(({ maxSurge, maxUnavailable }) => Math.max(scaled(maxUnavailable, nodes), scaled(maxSurge, nodes) === 0 ? 1 : 0)),
    )
    const ready = new Set(pods.filter(isReady).map(targetOf)).size
    if (followed.isHealthy && ready < nodes - unavailable)
      wrong(`${ready} of ${nodes} nodes have a ready pod, and ${unavailable} may have none`)
  }

  #podsOf(set: AnyObject): AnyObject[] {
    return this.#of('pods').filter(pod => ownerOf(pod) === set.metadata.uid)
  }

  #of(resource: string): AnyObject[] {
    return Array.from(this.#objects).flatMap(([key, object]) => (key.startsWith(`/registry/${resource}/`) ? [object] : []))
  }
}
