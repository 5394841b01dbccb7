import type { AnyObject } from '../support/any-object.ts'
import type { World } from './world.ts'

const [GROUP, VERSION] = ['metrics.k8s.io', 'v1beta1']
const NAME = 'pods.metrics.k8s.io'
const WINDOW = '30s'

/** Kind of the metrics of pods. A custom resource serves what the metrics API would. */
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: NAME, annotations: { 'api-approved.kubernetes.io': 'unapproved, served by a test' } },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'pods', singular: 'pod', kind: 'PodMetrics', listKind: 'PodMetricsList' },
    versions: [
      {
        name: VERSION,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

/** Use of each pod of a deployment: `cpuOfEachPod`, `memoryOfEachPod`. */
export interface DeploymentUse {
  readonly deployment: string
  readonly [use: `${string}OfEachPod`]: string
}

/** Serves metrics of the pods of deployments. */
export class ServedMetrics {
  readonly #world: World
  readonly #uses = new Map<string, DeploymentUse>()
  #isDefined = false

  constructor(world: World) {
    this.#world = world
  }

  get areServed(): boolean {
    return this.#uses.size > 0
  }

  async set(use: DeploymentUse): Promise<void> {
    if (!this.#isDefined) {
      await this.#world.plane.apply(definition)
      this.#isDefined = true
    }
    this.#uses.set(use.deployment, use)
  }

  /** Replaces the metrics by those of the pods that exist. @param podsOf returns the pods of a reference. */
  async refresh(podsOf: (owner: string) => Promise<readonly AnyObject[]>): Promise<void> {
    const { plane } = this.#world
    for (const [deployment, use] of this.#uses) {
      await plane.request('DELETE', this.#path('default', `?labelSelector=test/deployment=${deployment}`))
      const usage = Object.fromEntries(
        Object.entries(use).flatMap(([name, value]) => (name.endsWith('OfEachPod') ? [[name.slice(0, -9), value]] : [])),
      )
      for (const { metadata, spec } of await podsOf(`Deployment/${deployment}`)) {
        const labels = { ...metadata.labels, 'test/deployment': deployment }
        const containers = (spec.containers as { name: string }[]).map(({ name }) => ({ name, usage }))
        const body = {
          apiVersion: `${GROUP}/${VERSION}`,
          kind: 'PodMetrics',
          metadata: { name: metadata.name, labels },
          timestamp: this.#now(),
          window: WINDOW,
          containers,
        }
        await plane.request('POST', this.#path('default'), { body })
      }
    }
  }

  #path(namespace: string, query = ''): string {
    return `/apis/${GROUP}/${VERSION}/namespaces/${namespace}/pods${query}`
  }

  #now(): string {
    return this.#world.plane.now.toISOString().replace('.000Z', 'Z')
  }
}
