/**
 * Plays the steps of one workload of scheduler_perf against a server, as a process of its own (`fork`). Is sent a
 * `LoadOrder`; sends `begin` when measuring starts, `end` with the number of pods and seconds when all of them are
 * bound, and `failed` with a reason.
 */
import type http from 'node:http'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { load } from 'js-yaml'

// biome-ignore lint/suspicious/noExplicitAny: objects of any kind, as the templates have them
type Parts = any

/** A step of a workload. Numbers may be names of parameters. */
export type Step = Readonly<Record<string, Parts>>

export interface LoadOrder {
  readonly url: string
  readonly ca: string
  readonly cert: string
  readonly key: string
  readonly steps: readonly Step[]
  readonly params: Readonly<Record<string, number | string>>
  readonly templates: Readonly<Record<string, Parts>>
  readonly podTemplate: string
  /** Factor of all counts above 100. */
  readonly scale: number
}

export type LoadMessage =
  | { readonly type: 'begin' }
  | { readonly type: 'end'; readonly pods: number; readonly seconds: number }
  | { readonly type: 'failed'; readonly reason: string }

const IN_FLIGHT = 48

const COLLECTIONS: Readonly<Record<string, (namespace: string) => string>> = {
  Pod: namespace => `/api/v1/namespaces/${namespace}/pods`,
  Node: () => '/api/v1/nodes',
  Namespace: () => '/api/v1/namespaces',
  Service: namespace => `/api/v1/namespaces/${namespace}/services`,
  PersistentVolume: () => '/api/v1/persistentvolumes',
  PersistentVolumeClaim: namespace => `/api/v1/namespaces/${namespace}/persistentvolumeclaims`,
  CSINode: () => '/apis/storage.k8s.io/v1/csinodes',
  StorageClass: () => '/apis/storage.k8s.io/v1/storageclasses',
  DeviceClass: () => '/apis/resource.k8s.io/v1/deviceclasses',
  ResourceSlice: () => '/apis/resource.k8s.io/v1/resourceslices',
  ResourceClaim: namespace => `/apis/resource.k8s.io/v1/namespaces/${namespace}/resourceclaims`,
  ResourceClaimTemplate: namespace => `/apis/resource.k8s.io/v1/namespaces/${namespace}/resourceclaimtemplates`,
}

class Load {
  readonly #order: LoadOrder
  readonly #agent: https.Agent
  /** Number of bound pods by namespace. */
  readonly #bound = new Map<string, number>()
  readonly #stop = new AbortController()
  #onBound = (): void => {}

  constructor(order: LoadOrder) {
    this.#order = order
    const { ca, cert, key } = order
    this.#agent = new https.Agent({ ca, cert, key, keepAlive: true, maxSockets: IN_FLIGHT + 8 })
  }

  async run(): Promise<void> {
    await this.#watch()
    for (const [index, step] of this.#order.steps.entries()) await this.#play(step, index)
    this.#stop.abort()
  }

  async #play(step: Step, index: number): Promise<void> {
    switch (step.opcode) {
      case 'createNodes':
        return this.#createNodes(step)
      case 'createNamespaces':
        return this.#createNamespaces(step)
      case 'createPods':
        return this.#createPods(step, step.namespace ?? `namespace-${index}`)
      case 'createPodSets': {
        const count = this.#count(step, false)
        for (let i = 0; i < count; i++) await this.#createPods(step.createPodsOp, `${step.namespacePrefix}-${i}`)
        return
      }
      case 'createAny':
        return this.#createAny(step)
      case 'createResourceDriver':
        return this.#createSlices(step)
      case 'churn':
        void this.#churn(step)
        return
      case 'deletePods':
        void this.#deletePods(step)
        return
      case 'barrier':
        return
      default:
        throw new Error(`the step ${step.opcode} is not played`)
    }
  }

  #count({ count, countParam }: Step, isScaled = true): number {
    const number = Number(count ?? this.#param(countParam))
    return isScaled && number > 100 ? Math.ceil(number * this.#order.scale) : number
  }

  #param(name: unknown): number | string {
    const key = String(name).replace(/^\$/, '')
    const value = this.#order.params[key]
    if (value === undefined) throw new Error(`parameter ${key} is not set`)
    return value
  }

  #object(template: string, index: number): Parts {
    const parts = this.#order.templates[template]
    if (parts === undefined) throw new Error(`there is no template ${template}`)
    const text: string = parts.unparsed ?? JSON.stringify(parts)
    if (!text.includes('{{')) return structuredClone(parts)
    const filled = text.replace(
      /\{\{ ?(?:(Mod|DivideInt) )?\.Index(?: (\d+))? ?\}\}/g,
      (_, operator: string | undefined, by: string | undefined) =>
        String(operator === 'Mod' ? index % Number(by) : operator === 'DivideInt' ? Math.trunc(index / Number(by)) : index),
    )
    return load(filled)
  }

  async #createNodes(step: Step): Promise<void> {
    const { labelNodePrepareStrategy: labels, uniqueNodeLabelStrategy: unique, nodeAllocatableStrategy: allocatable } = step
    await this.#each(this.#count(step), async i => {
      const node = this.#object(step.nodeTemplatePath ?? 'node-default.yaml', i)
      const own: Record<string, string> = {}
      if (labels) own[labels.labelKey] = labels.labelValues[i % labels.labelValues.length]
      if (unique) own[unique.labelKey] = String(i)
      node.metadata.labels = { ...node.metadata.labels, ...own }
      Object.assign(node.status.capacity, allocatable?.nodeAllocatable)
      node.status.allocatable ??= node.status.capacity
      const { metadata } = await this.#post(node, '')
      if (allocatable?.csiNodeAllocatable) await this.#post(csiNode(metadata, allocatable), '')
    })
  }

  async #createNamespaces(step: Step): Promise<void> {
    await this.#each(this.#count(step, false), i => {
      const namespace = step.namespaceTemplatePath
        ? this.#object(step.namespaceTemplatePath, i)
        : { apiVersion: 'v1', kind: 'Namespace', metadata: {} }
      return this.#post({ ...namespace, metadata: { ...namespace.metadata, name: `${step.prefix}-${i}` } }, '')
    })
  }

  async #createPods(step: Step, namespace: string): Promise<void> {
    if (step.steadyState) throw new Error('steady states are not played')
    const count = this.#count(step)
    await this.#post({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, '').catch(() => {})
    const template = step.podTemplatePath ?? this.#order.podTemplate
    const target = (this.#bound.get(namespace) ?? 0) + count
    if (step.collectMetrics) report({ type: 'begin' })
    const begun = performance.now()
    await this.#each(count, i => this.#createPod(this.#object(template, i), step, namespace, i))
    if (step.skipWaitToCompletion) return
    await this.#untilBound(namespace, target)
    if (step.collectMetrics) report({ type: 'end', pods: count, seconds: (performance.now() - begun) / 1000 })
  }

  async #createPod(pod: Parts, step: Step, namespace: string, i: number): Promise<void> {
    if (step.persistentVolumeClaimTemplatePath) {
      const name = `${namespace}-${i}`
      const volume = this.#object(step.persistentVolumeTemplatePath, i)
      if (volume.spec.awsElasticBlockStore) volume.spec.awsElasticBlockStore.volumeID = name
      if (volume.spec.csi) volume.spec.csi.volumeHandle = name
      const claim = this.#object(step.persistentVolumeClaimTemplatePath, i)
      volume.spec.claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name }
      const made = await this.#post(
        { ...claim, metadata: { ...claim.metadata, name }, spec: { ...claim.spec, volumeName: name, storageClassName: '' } },
        namespace,
      )
      volume.spec.claimRef.uid = made.metadata.uid
      await this.#post({ ...volume, metadata: { ...volume.metadata, name } }, '')
      await this.#request('PATCH', `/api/v1/persistentvolumes/${name}/status`, { status: { phase: 'Bound' } })
      await this.#request('PATCH', `${COLLECTIONS.PersistentVolumeClaim?.(namespace)}/${name}/status`, {
        status: { phase: 'Bound', accessModes: claim.spec.accessModes },
      })
      pod.spec.volumes = [{ name: 'vol', persistentVolumeClaim: { claimName: name } }]
    }
    await this.#post(pod, namespace)
  }

  async #createAny(step: Step): Promise<void> {
    const namespace = step.namespace ?? ''
    if (namespace) await this.#post({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, '').catch(() => {})
    const count = step.count === undefined && step.countParam === undefined ? 1 : this.#count(step)
    await this.#each(count, i => this.#post(this.#object(step.templatePath, i), namespace))
  }

  /** Offers devices on nodes, as a driver's plugin does. */
  async #createSlices(step: Step): Promise<void> {
    const prefix = String(step.nodes).replace('*', '')
    const most = Number(this.#param(step.maxClaimsPerNodeParam))
    const { items } = await this.#request('GET', '/api/v1/nodes')
    const nodes: string[] = items.map(({ metadata }: Parts) => metadata.name).filter((name: string) => name.startsWith(prefix))
    await this.#each(nodes.length, i => {
      const pool = { name: nodes[i], generation: 1, resourceSliceCount: 1 }
      const devices = Array.from({ length: most }, (_, n) => ({ name: `instance-${n}` }))
      const spec = { driver: step.driverName, nodeName: nodes[i], pool, devices }
      return this.#post({ apiVersion: 'resource.k8s.io/v1', kind: 'ResourceSlice', metadata: { name: nodes[i] }, spec }, '')
    })
  }

  /** Creates objects of each template at an interval until the workload ends. */
  async #churn(step: Step): Promise<void> {
    const { signal } = this.#stop
    const made: string[] = []
    for (let i = 0; !signal.aborted; i++) {
      await sleep(step.intervalMilliseconds, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      if (step.mode === 'recreate') for (const path of made.splice(0)) await this.#request('DELETE', path).catch(() => {})
      for (const template of step.templatePaths) {
        const object = this.#object(template, i)
        const { metadata } = await this.#post(object, 'default')
        made.push(`${COLLECTIONS[object.kind]?.('default')}/${metadata.name}`)
      }
    }
  }

  async #deletePods({ namespace, deletePodsPerSecond = 50 }: Step): Promise<void> {
    const { items } = await this.#request('GET', `/api/v1/namespaces/${namespace}/pods`)
    for (const { metadata } of items) {
      if (this.#stop.signal.aborted) return
      await this.#request('DELETE', `/api/v1/namespaces/${namespace}/pods/${metadata.name}`).catch(() => {})
      await sleep(1000 / deletePodsPerSecond)
    }
  }

  async #each(count: number, run: (i: number) => Promise<unknown>): Promise<void> {
    let next = 0
    const worker = async (): Promise<void> => {
      while (next < count) await run(next++)
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, worker))
  }

  #untilBound(namespace: string, target: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let last = performance.now()
      let count = -1
      const timer = setInterval(() => {
        if (performance.now() - last > 60_000)
          reject(new Error(`${this.#bound.get(namespace) ?? 0} of ${target} pods are bound, and none within a minute`))
      }, 1000)
      this.#onBound = () => {
        const now = this.#bound.get(namespace) ?? 0
        if (now !== count) last = performance.now()
        count = now
        if (now < target) return
        clearInterval(timer)
        resolve()
      }
      this.#onBound()
    })
  }

  /** Counts pods as they are bound. */
  async #watch(): Promise<void> {
    const path = '/api/v1/pods?watch=true&fieldSelector=spec.nodeName!%3D'
    const accept = { Accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }
    await new Promise<void>((resolve, reject) => {
      const request = https.get(`${this.#order.url}${path}`, { agent: this.#agent, headers: accept }, response => {
        resolve()
        let rest = ''
        response.setEncoding('utf8').on('data', (text: string) => {
          const lines = (rest + text).split('\n')
          rest = lines.pop() ?? ''
          for (const line of lines) {
            const { type, object } = JSON.parse(line)
            if (type === 'ADDED') this.#bound.set(object.metadata.namespace, (this.#bound.get(object.metadata.namespace) ?? 0) + 1)
          }
          this.#onBound()
        })
      })
      request.on('error', reject)
      this.#stop.signal.addEventListener('abort', () => request.destroy())
    })
  }

  #post(object: Parts, namespace: string): Promise<Parts> {
    const path = COLLECTIONS[object.kind]?.(namespace)
    if (path === undefined) throw new Error(`objects of kind ${object.kind} are not created`)
    return this.#request('POST', path, object)
  }

  #request(method: string, path: string, body?: object): Promise<Parts> {
    return new Promise((resolve, reject) => {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const text = body && JSON.stringify(body)
      const headers = { ...(text && { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }) }
      const request = https.request(
        `${this.#order.url}${path}`,
        { method, agent: this.#agent, headers },
        (response: http.IncomingMessage) => {
          const parts: Buffer[] = []
          response.on('data', part => parts.push(part))
          response.on('end', () => {
            const value = JSON.parse(Buffer.concat(parts).toString() || '{}')
            if ((response.statusCode ?? 500) < 300) resolve(value)
            else reject(new Error(`${method} ${path}: ${response.statusCode} ${value.message}`))
          })
        },
      )
      request.on('error', reject)
      request.end(text)
    })
  }
}

const csiNode = ({ name, uid }: Parts, { csiNodeAllocatable, migratedPlugins }: Parts): Parts => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: {
    name,
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
    ...(migratedPlugins && { annotations: { 'storage.alpha.kubernetes.io/migrated-plugins': migratedPlugins.join() } }),
  },
  spec: { drivers: Object.entries(csiNodeAllocatable).map(([driver, allocatable]) => ({ name: driver, nodeID: name, allocatable })) },
})

const report = (message: LoadMessage): void => void process.send?.(message)

process.once('message', (order: LoadOrder) => {
  new Load(order).run().then(
    () => process.exit(0),
    (error: unknown) => {
      report({ type: 'failed', reason: error instanceof Error ? error.message : String(error) })
      process.exit(1)
    },
  )
})
