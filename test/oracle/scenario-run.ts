import type { AnyObject } from '../support/any-object.ts'
import { Checks } from './checks.ts'
import type { Scenario, Step } from './files.ts'
import { NodeLeases } from './node-leases.ts'
import { becomes, type PodAction, type PodSelection } from './pod-actions.ts'
import { type DeploymentUse, ServedMetrics } from './pod-metrics.ts'
import { memberAt, References, UnsupportedStep } from './references.ts'
import { type ObjectReference, parseReference, type World } from './world.ts'

const HOLD = 'test/hold'
/** Time without writes after which the loops have settled, in milliseconds. */
const QUIET_MS = 60
/**
 * Interval in which leases are renewed and metrics are measured, and in which autoscalers look at them, in
 * milliseconds.
 */
const BEAT_MS = 15_000

/** Runs one scenario in a world of its own. Rejects with an Error that says which check failed. */
export class ScenarioRun {
  readonly #world: World
  readonly #references: References
  readonly #checks: Checks
  /** Pods that stay although they are being deleted. */
  readonly #terminating = new Set<string>()
  readonly #leases: NodeLeases
  readonly #metrics: ServedMetrics

  constructor(world: World, { note }: Pick<Scenario, 'note'> = {}) {
    this.#world = world
    this.#references = new References(world)
    this.#checks = new Checks(world, this.#references, () => this.#settle())
    this.#leases = new NodeLeases(world, note)
    this.#metrics = new ServedMetrics(world)
  }

  async run({ objects = [], steps }: Scenario): Promise<void> {
    for (const object of objects) {
      const created = await this.#create(object)
      if (created.kind === 'Node') await this.#leases.add(created)
      await this.#settle()
    }
    for (const [i, step] of steps.entries()) await this.#step(step, `step ${i + 1}`)
  }

  async #step(step: Step, at: string): Promise<void> {
    const [name = ''] = Object.keys(step)
    if (name === 'then') return this.#checks.check(step.then as readonly Step[], at)
    const carryOut = this.#steps[name]
    if (!carryOut) throw new UnsupportedStep(`step ${name}`)
    await carryOut(step, at)
    await this.#settle()
  }

  /** The steps by their names. */
  readonly #steps: Readonly<Record<string, (step: Step, at: string) => Promise<unknown>>> = {
    create: (step, at) => this.#createStep(step, at),
    patch: async step => this.#world.mustSend('PATCH', await this.#named(step.patch), await this.#references.fillAll(step.with)),
    status: async step => this.#patchStatus(await this.#named(step.status), (await this.#references.fillAll(step.with)) as AnyObject),
    delete: async step =>
      this.#world.mustSend('DELETE', await this.#named(step.delete), {
        ...(step.propagation !== undefined && { propagationPolicy: step.propagation }),
        ...(step.grace !== undefined && { gracePeriodSeconds: step.grace }),
      }),
    'force-delete': async step => {
      const reference = await this.#named(step['force-delete'])
      await this.#world.send('DELETE', reference, { gracePeriodSeconds: 0 })
      await this.#world.send('PATCH', reference, { metadata: { finalizers: null } })
    },
    pods: step => this.#pods(step.pods as PodSelection),
    bindPods: step => this.#bindPods(step),
    clock: step => this.#advance(Number(step.clock) * 1000),
    setClock: step => this.#advance(Date.parse(String(step.setClock)) - this.#world.plane.now.getTime()),
    metrics: step => this.#metrics.set(step.metrics as DeploymentUse),
    hpaSync: step => this.#advance(Number(step.hpaSync) * BEAT_MS),
    // The world of the scenario was started with it.
    config: async () => {},
    approve: async step => this.#approve(await this.#named(step.approve), step.condition as { type: string }),
    repeat: (step, at) => this.#repeat(step.repeat as readonly Step[], at),
    hold: async () => {
      await this.#settle()
      for (const pod of await this.#world.list('Pod')) await this.#setFinalizers(pod, [...(pod.metadata.finalizers ?? []), HOLD])
    },
    release: async () => {
      for (const pod of await this.#world.list('Pod')) {
        const others = (pod.metadata.finalizers ?? []).filter(finalizer => finalizer !== HOLD)
        if (others.length < (pod.metadata.finalizers ?? []).length) await this.#setFinalizers(pod, others)
      }
    },
    bind: async step => {
      await this.#settle()
      await this.#references.bind(String(step.bind), await this.#references.fill(String(step.to)), step.field as string | undefined)
    },
    bindOne: async step => {
      const [pod] = await this.#references.podsOf({ owner: String(step.owner) })
      await this.#references.bind(String(step.bindOne), `${pod?.metadata.namespace}/Pod/${pod?.metadata.name}`)
    },
    bindVersion: async step => {
      await this.#settle()
      await this.#references.bind(String(step.bindVersion), await this.#references.fill(String(step.of)), 'metadata.resourceVersion')
    },
    wait: async step => this.#wait(await this.#references.fill(String(step.wait))),
  }

  async #named(reference: unknown): Promise<ObjectReference> {
    return parseReference(await this.#references.fill(String(reference)))
  }

  /** Waits until nothing is written. */
  async #settle(): Promise<void> {
    do await this.#world.plane.settled(QUIET_MS)
    while (await this.#endPods())
  }

  /** Removes bound pods that are deleted, as a kubelet does. Returns whether there were any. */
  async #endPods(): Promise<boolean> {
    const ending = (await this.#world.list('Pod')).filter(
      ({ metadata, spec }) =>
        metadata.deletionTimestamp &&
        spec.nodeName &&
        (metadata.deletionGracePeriodSeconds ?? 0) > 0 &&
        !this.#terminating.has(metadata.uid ?? ''),
    )
    for (const { metadata } of ending)
      await this.#world.send(
        'DELETE',
        { kind: 'Pod', namespace: metadata.namespace ?? '', name: metadata.name ?? '' },
        { gracePeriodSeconds: 0 },
      )
    return ending.length > 0
  }

  /** Moves the clock. Nodes, kubelets and metrics go on meanwhile. */
  async #advance(milliseconds: number): Promise<void> {
    await this.#settle()
    for (let left = milliseconds; left > 0; ) {
      const isBeating = this.#leases.areRenewed || this.#metrics.areServed
      const part = isBeating ? Math.min(left, BEAT_MS) : left
      await this.#metrics.refresh(owner => this.#references.podsOf({ owner }))
      await this.#world.plane.advance(part)
      await this.#leases.renew()
      if (await this.#endPods()) await this.#settle()
      left -= part
    }
  }

  async #approve(reference: ObjectReference, condition: { readonly type: string }): Promise<void> {
    const present = await this.#world.get(reference)
    const conditions = [
      ...((present?.status?.conditions ?? []) as { type: string }[]).filter(({ type }) => type !== condition.type),
      condition,
    ]
    await this.#world.mustSend('PUT', reference, { ...present, status: { ...present?.status, conditions } }, 'approval')
  }

  /** Waits for a state such as `ResourceQuota/q status.hard set`. Any other text means that the loops settle. */
  async #wait(text: string): Promise<void> {
    const [reference = '', field = '', is] = text.split(' ')
    if (is === 'set')
      await this.#world.plane.until(async () => memberAt(await this.#world.get(parseReference(reference)), field) !== undefined)
  }

  async #create(object: Record<string, unknown>): Promise<AnyObject> {
    const complete = this.#world.complete((await this.#references.fillAll(object)) as Record<string, unknown>)
    const { kind, metadata, status } = complete
    const collection = { kind, namespace: metadata.namespace ?? '', name: '' }
    const created = await this.#world.mustSend('POST', collection, complete)
    const isStored = kind !== 'Namespace' && status !== undefined
    if (isStored) await this.#patchStatus({ ...collection, name: created.metadata.name ?? '' }, status)
    return { ...created, kind }
  }

  async #createStep(step: Step, at: string): Promise<unknown> {
    const { as, refused } = step as { as?: UserOfStep; refused?: { code: number; cause?: string } }
    if (as === undefined && refused === undefined) return this.#create(step.create as Record<string, unknown>)
    const complete = this.#world.complete((await this.#references.fillAll(step.create)) as Record<string, unknown>)
    const collection = { kind: complete.kind, namespace: complete.metadata.namespace ?? '', name: '' }
    const world = as === undefined ? this.#world : await this.#world.as(as.user, as.groups ?? [], complete.kind)
    if (refused === undefined) return world.mustSend('POST', collection, complete)
    const { status, body } = await world.send('POST', collection, complete)
    if (status !== refused.code) throw new Error(`${at}: create is answered with ${status}, not ${refused.code}`)
    const causes = (body as { details?: { causes?: { reason?: string }[] } }).details?.causes ?? []
    if (refused.cause !== undefined && !causes.some(({ reason }) => reason === refused.cause))
      throw new Error(`${at}: create is refused with the causes ${JSON.stringify(causes)}, not ${refused.cause}`)
    return undefined
  }

  /** Merges a status. Conditions are merged by type. */
  async #patchStatus(reference: ObjectReference, status: AnyObject): Promise<void> {
    const present = await this.#world.get(reference)
    const { conditions, ...rest } = status as { conditions?: { type: string }[] }
    const others = ((present?.status?.conditions ?? []) as { type: string }[]).filter(
      ({ type }) => !conditions?.some(each => each.type === type),
    )
    await this.#world.mustSend(
      'PATCH',
      reference,
      { status: { ...rest, ...(conditions && { conditions: [...others, ...conditions] }) } },
      'status',
    )
  }

  async #pods(selection: PodSelection): Promise<void> {
    await this.#settle()
    const pods = (await this.#references.podsOf(selection)).filter(
      ({ status, metadata }) => !['Succeeded', 'Failed'].includes(status.phase) && !metadata.deletionTimestamp,
    )
    for (const pod of pods.slice(0, selection.n ?? pods.length)) await this.#act(pod, selection)
  }

  async #act(pod: AnyObject, action: PodAction): Promise<void> {
    const { namespace = '', name = '', uid = '' } = pod.metadata
    const reference = { kind: 'Pod', namespace, name }
    if (action.become === 'deleted') return void (await this.#world.mustSend('DELETE', reference, { gracePeriodSeconds: 0 }))
    if (action.become === 'terminating') {
      this.#terminating.add(uid)
      return void (await this.#world.mustSend('DELETE', reference))
    }
    await this.#patchStatus(reference, becomes(pod, action, this.#world.plane.now))
  }

  async #bindPods({ bindPods, to }: Step): Promise<void> {
    await this.#settle()
    for (const pod of await this.#references.podsOf(bindPods as PodSelection)) {
      if (pod.spec.nodeName) continue
      const { namespace = '', name = '' } = pod.metadata
      const required =
        pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms?.[0]?.matchFields?.[0]
          ?.values?.[0]
      // Other than a name it is a text: the node of the affinity.
      const isNamed = typeof to === 'string' && !to.includes(' ')
      const target = { apiVersion: 'v1', kind: 'Node', name: isNamed ? to : required }
      await this.#world.mustSend(
        'POST',
        { kind: 'Pod', namespace, name },
        { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace }, target },
        'binding',
      )
    }
  }

  async #repeat(steps: readonly Step[], at: string): Promise<void> {
    let before = ''
    for (let round = 0; round < 50; round++) {
      for (const step of steps) await this.#step(step, at)
      const now = JSON.stringify((await this.#world.list('Pod')).map(({ metadata }) => [metadata.name, metadata.resourceVersion]))
      if (now === before) return
      before = now
    }
    throw new Error(`${at}: still changing after 50 rounds`)
  }

  async #setFinalizers({ metadata: { namespace = '', name = '' } }: AnyObject, finalizers: readonly string[]): Promise<void> {
    await this.#world.mustSend('PATCH', { kind: 'Pod', namespace, name }, { metadata: { finalizers } })
  }
}

/** User of a create. */
interface UserOfStep {
  readonly user: string
  readonly groups?: readonly string[]
}
