import type { AnyObject } from './any-object.ts'
import type { StoredChange } from './stored-changes.ts'

/** Bounds of the pods of a Deployment. */
interface Bounds {
  readonly most: number
  readonly least: number
}

interface Followed {
  readonly name: string
  /** Bounds of each spec that it had since it was last at rest. */
  specs: Bounds[]
  /** Whether the Deployment was at rest once, and no pod or node has been taken away since it last was. */
  isHealthy: boolean
}

const scaled = (value: number | string, total: number, round: (n: number) => number): number =>
  typeof value === 'number' ? value : round((Number.parseInt(value, 10) * total) / 100)

/**
 * Derived from the documentation of the fields: at most `replicas` and the surge exist, and all but the unavailable
 * ones are available.
 */
function boundsOf({ replicas, strategy }: AnyObject): Bounds {
  if (strategy.type === 'Recreate') return { most: replicas, least: 0 }
  const surge = scaled(strategy.rollingUpdate.maxSurge, replicas, Math.ceil)
  const unavailable = scaled(strategy.rollingUpdate.maxUnavailable, replicas, Math.floor)
  return { most: replicas + surge, least: replicas - Math.max(unavailable, surge === 0 ? 1 : 0) }
}

const isTerminating = ({ metadata }: AnyObject): boolean => metadata.deletionTimestamp !== undefined
const isReady = ({ status }: AnyObject): boolean =>
  (status?.conditions ?? []).some(({ type, status: value }: AnyObject) => type === 'Ready' && value === 'True')
const ownerOf = ({ metadata }: AnyObject): string | undefined => metadata.ownerReferences?.find(({ controller }) => controller)?.uid

/**
 * Follows all changes of a store in order, and reports where one of its Deployments breaks a promise: more pods than
 * the surge allows, fewer available ones than promised, pods of two templates at a time although they are to be
 * recreated, and objects whose owner is not the right one.
 */
export class DeploymentInvariants {
  readonly violations: string[] = []
  readonly #objects = new Map<string, AnyObject>()
  readonly #deployments = new Map<string, Followed>()

  /** Takes the next change. */
  take({ revision, key, object }: StoredChange): void {
    if (!/^\/registry\/(?:pods|replicasets|deployments)\//.test(key)) return
    if (object === undefined) this.#objects.delete(key)
    else this.#objects.set(key, object)
    if (object?.kind === 'Deployment') this.#follow(object)
    for (const deployment of this.#of('deployments')) this.#check(deployment, revision)
  }

  /** Takes pods or nodes away: fewer pods may be available until the next rest. */
  disturb(): void {
    for (const followed of this.#deployments.values()) followed.isHealthy = false
  }

  /** Checks what must hold when nothing is left to do. */
  rest(): void {
    for (const deployment of this.#of('deployments')) {
      const followed = this.#deployments.get(deployment.metadata.uid ?? '')
      if (!followed) continue
      followed.specs = [boundsOf(deployment.spec)]
      followed.isHealthy = true
    }
    const uids = new Set([...this.#objects.values()].map(({ metadata }) => metadata.uid))
    for (const pod of [...this.#of('pods'), ...this.#of('replicasets')]) {
      const owner = ownerOf(pod)
      if (owner === undefined || !uids.has(owner)) this.violations.push(`${pod.kind} ${pod.metadata.name} is an orphan`)
    }
    for (const { metadata, spec, status } of this.#of('deployments')) {
      const is = `${status.observedGeneration} ${status.replicas ?? 0} ${status.updatedReplicas ?? 0} ${status.readyReplicas ?? 0} ${status.availableReplicas ?? 0}`
      const n = spec.replicas
      if (is !== `${metadata.generation} ${n} ${n} ${n} ${n}`)
        this.violations.push(`Deployment ${metadata.name} rests at ${is}, not at ${n} in generation ${metadata.generation}`)
    }
    for (const set of this.#of('replicasets')) {
      const pods = this.#podsOf(set).length
      if (pods !== (set.status.replicas ?? 0) || pods !== set.spec.replicas)
        this.violations.push(`ReplicaSet ${set.metadata.name} of ${set.spec.replicas} has ${pods} pods, and states ${set.status.replicas}`)
    }
  }

  #follow({ metadata, spec }: AnyObject): void {
    const { uid = '', name = '' } = metadata
    const known = this.#deployments.get(uid)
    const bounds = boundsOf(spec)
    if (known) known.specs.push(bounds)
    else this.#deployments.set(uid, { name, specs: [bounds], isHealthy: false })
  }

  #check(deployment: AnyObject, revision: number): void {
    const followed = this.#deployments.get(deployment.metadata.uid ?? '')
    if (!followed || isTerminating(deployment)) return
    const sets = this.#setsOf(deployment)
    const pods = sets.flatMap(set => this.#podsOf(set)).filter(pod => !isTerminating(pod))
    const most = Math.max(...followed.specs.map(bounds => bounds.most))
    if (pods.length > most) this.violations.push(`${revision}: ${followed.name} has ${pods.length} pods, ${most} are allowed`)
    const least = Math.min(...followed.specs.map(bounds => bounds.least))
    const available = pods.filter(isReady).length
    if (followed.isHealthy && available < least)
      this.violations.push(`${revision}: ${followed.name} has ${available} available pods, ${least} are promised`)
    const templates = new Set(sets.filter(set => this.#podsOf(set).length > 0).map(({ metadata }) => metadata.uid))
    if (deployment.spec.strategy.type === 'Recreate' && followed.specs.length <= 2 && templates.size > 1)
      this.violations.push(`${revision}: ${followed.name} has pods of ${templates.size} templates`)
  }

  #setsOf({ metadata }: AnyObject): AnyObject[] {
    return this.#of('replicasets').filter(set => ownerOf(set) === metadata.uid)
  }

  #podsOf({ metadata }: AnyObject): AnyObject[] {
    return this.#of('pods').filter(pod => ownerOf(pod) === metadata.uid)
  }

  #of(resource: string): AnyObject[] {
    return [...this.#objects].filter(([key]) => key.startsWith(`/registry/${resource}/`)).map(([, object]) => object)
  }
}
