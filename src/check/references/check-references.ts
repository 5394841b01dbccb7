import { isJsonObject, type JsonObject, objectIn } from '../../api/meta/object.ts'
import type { ServedResource } from '../../catalog/catalog.ts'
import { lifecycleOf } from '../../lifecycle/lifecycle.ts'
import { objectFinding } from '../findings/finding.ts'
import { type ForkClient, resourcePath } from '../fork/fork-client.ts'
import type { Fork } from '../fork/open-fork.ts'
import type { PlacedObject } from '../placed-object.ts'
import type { CheckFinding, CheckSeverity } from '../types.ts'
import { CreatedLater, type GivenObject } from './created-later.ts'
import { referencesOf } from './kind-references.ts'
import { listItems, type ObjectReference, objectAt } from './reference.ts'
import { type PodLabels, podLabelsOf, podSelectorOf, selectsPods } from './selectors.ts'

export interface ReferenceOptions {
  /** Objects of the input whose kinds the fork does not serve. */
  readonly unserved: readonly GivenObject[]
  readonly fork: Fork
  readonly admin: ForkClient
  readonly strict: boolean
  /** Whether the fork has the objects of a cluster. Without, classes may exist that are not known. */
  readonly hasCluster: boolean
}

/** Kinds that belong to a cluster rather than to an application. */
const OF_CLUSTERS: ReadonlySet<string> = new Set(['StorageClass', 'IngressClass', 'RuntimeClass', 'PriorityClass'])

/** Finds references to objects that are neither in the input nor in the cluster, and selectors that select no pods. */
export class ReferenceCheck {
  readonly #options: ReferenceOptions
  readonly #placed: readonly PlacedObject[]
  readonly #created: CreatedLater
  readonly #found = new Map<string, JsonObject | undefined>()
  /** Labels of pods, by namespace. */
  readonly #labels = new Map<string, readonly PodLabels[]>()

  constructor(placed: readonly PlacedObject[], options: ReferenceOptions) {
    this.#placed = placed
    this.#created = new CreatedLater([...placed, ...options.unserved])
    this.#options = options
    for (const { served, namespace, object } of placed)
      if (object.name !== '') this.#found.set(resourcePath(served, namespace, object.name), object.value)
  }

  async findings(): Promise<CheckFinding[]> {
    const findings: CheckFinding[] = []
    for (const placed of this.#placed) {
      const value = { ...placed.object.value, apiVersion: placed.object.apiVersion, kind: placed.object.kind }
      for (const reference of referencesOf(value, placed.namespace)) {
        const finding = await this.#referenceFinding(placed, reference)
        if (finding) findings.push(finding)
      }
      const unmatched = await this.#selectorFinding(placed)
      if (unmatched) findings.push(unmatched)
    }
    return findings
  }

  async #referenceFinding({ object }: PlacedObject, reference: ObjectReference): Promise<CheckFinding | undefined> {
    const { fork } = this.#options
    const { apiVersion, kind, namespace, name, field, key, port } = reference
    const served = fork.served(apiVersion, kind)
    // Kinds that the release does not serve, such as targets of an autoscaler without a definition.
    if (served === undefined) return undefined
    const target = await this.#get(served, namespace, name)
    const place = namespace === '' ? '' : ` in namespace ${namespace}`
    if (target === undefined) {
      if (key !== undefined) return undefined
      const creator = this.#created.creatorOf(reference, { ...object.value, kind: object.kind })
      const severity = creator === undefined ? this.#severity(kind) : 'note'
      const advice = creator && `it is not in the input, and may be created later by ${creator}`
      return objectFinding(object, 'missing-reference', severity, `${kind} "${name}"${place} does not exist`, { field, advice })
    }
    if (key !== undefined && !hasKey(target, key))
      return objectFinding(object, 'missing-reference', this.#severity(kind), `${kind} "${name}"${place} has no key "${key}"`, { field })
    if (port !== undefined && !hasPort(target, port))
      return objectFinding(object, 'missing-reference', this.#severity(kind), `Service "${name}"${place} has no port ${port}`, { field })
    return undefined
  }

  #severity(kind: string): CheckSeverity {
    const { strict, hasCluster } = this.#options
    if (strict) return 'error'
    return hasCluster || !OF_CLUSTERS.has(kind) ? 'warning' : 'note'
  }

  async #get(served: ServedResource, namespace: string, name: string): Promise<JsonObject | undefined> {
    const within = served.definition.scope === 'Namespaced' ? namespace : ''
    const path = resourcePath(served, within, name)
    if (!this.#found.has(path)) this.#found.set(path, await this.#options.admin.get(served, within, name))
    return this.#found.get(path)
  }

  async #selectorFinding({ object, namespace, response }: PlacedObject): Promise<CheckFinding | undefined> {
    // The stored object has no values of the wrong type. They are reported, and left out.
    const selector = response.object && podSelectorOf(response.object)
    if (selector === undefined) return undefined
    const labels = await this.#podLabels(namespace)
    if (labels.some(each => selectsPods(selector, each))) return undefined
    // Operators create pods that are not in the input.
    const given: readonly GivenObject[] = [...this.#placed, ...this.#options.unserved]
    const hasOperators = given.some(
      each => each.namespace === namespace && lifecycleOf(each.object.apiVersion, each.object.kind) === undefined,
    )
    const severity = hasOperators ? 'note' : this.#options.strict ? 'error' : 'warning'
    return objectFinding(object, 'unmatched-selector', severity, `the selector selects no pods of a workload in namespace ${namespace}`, {
      field: selector.field,
      advice: 'compare it with the labels of the pod templates',
    })
  }

  /** Labels of the pods of a namespace, and of those that its workloads create. */
  async #podLabels(namespace: string): Promise<readonly PodLabels[]> {
    const known = this.#labels.get(namespace)
    if (known) return known
    const labels: PodLabels[] = []
    const add = (object: JsonObject, apiVersion: string, kind: string): void => {
      const found = podLabelsOf({ ...object, apiVersion, kind })
      if (found) labels.push(found)
    }
    for (const { namespace: within, object } of this.#placed) if (within === namespace) add(object.value, object.apiVersion, object.kind)
    if (this.#options.hasCluster)
      for (const [apiVersion, kind] of WORKLOADS)
        for (const item of await this.#list(apiVersion, kind, namespace)) add(item, apiVersion, kind)
    this.#labels.set(namespace, labels)
    return labels
  }

  async #list(apiVersion: string, kind: string, namespace: string): Promise<JsonObject[]> {
    const { fork, admin } = this.#options
    const served = fork.served(apiVersion, kind)
    if (served === undefined) return []
    const { object } = await admin.send({ method: 'GET', path: resourcePath(served, namespace) })
    return listItems(object?.items, '').map(({ item }) => item)
  }
}

/** Kinds in the cluster that create pods, and pods. */
const WORKLOADS = [
  ['v1', 'Pod'],
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'StatefulSet'],
  ['apps/v1', 'DaemonSet'],
  ['batch/v1', 'CronJob'],
] as const

const hasKey = (object: JsonObject, key: string): boolean =>
  ['data', 'binaryData', 'stringData'].some(member => Object.hasOwn(objectIn(object[member]), key))

const hasPort = (service: JsonObject, port: number | string): boolean =>
  listItems(objectAt(service, 'spec').ports, '').some(({ item }) => isJsonObject(item) && (item.port === port || item.name === port))
