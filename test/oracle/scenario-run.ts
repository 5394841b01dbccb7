import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyObject } from '../support/any-object.ts'
import type { Scenario, Step } from './files.ts'
import { mismatch } from './match.ts'
import { becomes, type PodAction, type PodSelection } from './pod-actions.ts'
import { type ObjectReference, parseReference, type World } from './world.ts'

const HOLD = 'test/hold'
/** Time for a check to hold, and time without writes after which the loops have settled, in milliseconds. */
const [CHECK_MS, QUIET_MS] = [6000, 60]

/** A scenario needs what the runner lacks. */
export class UnsupportedStep extends Error {}

/** Runs one scenario in a world of its own. Rejects with an Error that says which check failed. */
export class ScenarioRun {
  readonly #world: World
  readonly #bound = new Map<string, string>()
  /** Pods that stay although they are being deleted. */
  readonly #terminating = new Set<string>()

  constructor(world: World) {
    this.#world = world
  }

  async run({ objects = [], steps }: Scenario): Promise<void> {
    for (const object of objects) {
      await this.#create(object)
      await this.#settle()
    }
    for (const [i, step] of steps.entries()) await this.#step(step, `step ${i + 1}`)
  }

  async #step(step: Step, at: string): Promise<void> {
    const [name = ''] = Object.keys(step)
    const text = async (): Promise<ObjectReference> => parseReference(await this.#fill(String(step[name])))
    switch (name) {
      case 'create':
        await this.#createStep(step, at)
        break
      case 'patch':
        await this.#world.mustSend('PATCH', await text(), await this.#fillAll(step.with))
        break
      case 'status':
        await this.#patchStatus(await text(), (await this.#fillAll(step.with)) as AnyObject)
        break
      case 'delete':
        await this.#world.mustSend('DELETE', await text(), {
          ...(step.propagation !== undefined && { propagationPolicy: step.propagation }),
          ...(step.grace !== undefined && { gracePeriodSeconds: step.grace }),
        })
        break
      case 'force-delete':
        await this.#world.send('DELETE', await text(), { gracePeriodSeconds: 0 })
        await this.#world.send('PATCH', await text(), { metadata: { finalizers: null } })
        break
      case 'pods':
        await this.#pods(step.pods as PodSelection)
        break
      case 'bindPods':
        await this.#bindPods(step)
        break
      case 'clock':
        await this.#settle()
        await this.#world.plane.advance(Number(step.clock) * 1000)
        break
      case 'repeat':
        await this.#repeat(step.repeat as readonly Step[], at)
        break
      case 'hold':
        await this.#settle()
        for (const pod of await this.#world.list('Pod')) await this.#setHold(pod, [...(pod.metadata.finalizers ?? []), HOLD])
        break
      case 'release':
        for (const pod of await this.#world.list('Pod')) {
          const { finalizers = [] } = pod.metadata
          if (finalizers.includes(HOLD))
            await this.#setHold(
              pod,
              finalizers.filter(finalizer => finalizer !== HOLD),
            )
        }
        break
      case 'bind':
        await this.#settle()
        await this.#bind(String(step.bind), await this.#fill(String(step.to)), step.field as string | undefined)
        break
      case 'bindOne': {
        const [pod] = await this.#podsOf({ owner: String(step.owner) } as PodSelection)
        this.#bound.set(String(step.bindOne), `${pod?.metadata.namespace}/Pod/${pod?.metadata.name}`)
        break
      }
      case 'bindVersion': {
        await this.#settle()
        const object = await this.#world.get(parseReference(await this.#fill(String(step.of))))
        this.#bound.set(String(step.bindVersion), object?.metadata.resourceVersion ?? '')
        break
      }
      case 'wait':
        break
      case 'then':
        await this.#check(step.then as readonly Step[], at)
        return
      default:
        throw new UnsupportedStep(`step ${name}`)
    }
    await this.#settle()
  }

  /** Waits until nothing is written, and removes bound pods that are deleted, as a kubelet does. */
  async #settle(): Promise<void> {
    for (;;) {
      await this.#world.plane.settled(QUIET_MS)
      const ending = (await this.#world.list('Pod')).filter(
        ({ metadata, spec }) =>
          metadata.deletionTimestamp && spec.nodeName && (metadata.deletionGracePeriodSeconds ?? 0) > 0 && !this.#terminating.has(metadata.uid ?? ''),
      )
      if (ending.length === 0) return
      for (const { metadata } of ending)
        await this.#world.send('DELETE', { kind: 'Pod', namespace: metadata.namespace ?? '', name: metadata.name ?? '' }, { gracePeriodSeconds: 0 })
    }
  }

  async #create(object: Record<string, unknown>): Promise<void> {
    const complete = this.#world.complete((await this.#fillAll(object)) as Record<string, unknown>)
    const { kind, metadata, status } = complete
    const collection = { kind, namespace: metadata.namespace ?? '', name: '' }
    const created = await this.#world.mustSend('POST', collection, complete)
    const isStored = kind !== 'Namespace' && status !== undefined
    if (isStored) await this.#patchStatus({ ...collection, name: created.metadata.name ?? '' }, status)
  }

  async #createStep(step: Step, at: string): Promise<void> {
    if (step.as !== undefined) throw new UnsupportedStep('create as another user')
    if (step.refused === undefined) return this.#create(step.create as Record<string, unknown>)
    const complete = this.#world.complete((await this.#fillAll(step.create)) as Record<string, unknown>)
    const { status } = await this.#world.send('POST', { kind: complete.kind, namespace: complete.metadata.namespace ?? '', name: '' }, complete)
    const { code } = step.refused as { code: number }
    if (status !== code) throw new Error(`${at}: create is answered with ${status}, not ${code}`)
  }

  /** Merges a status. Conditions are merged by type. */
  async #patchStatus(reference: ObjectReference, status: AnyObject): Promise<void> {
    const present = await this.#world.get(reference)
    const { conditions, ...rest } = status as { conditions?: { type: string }[] }
    const others = ((present?.status?.conditions ?? []) as { type: string }[]).filter(({ type }) => !conditions?.some(each => each.type === type))
    await this.#world.mustSend('PATCH', reference, { status: { ...rest, ...(conditions && { conditions: [...others, ...conditions] }) } }, 'status')
  }

  async #podsOf({ owner, name, index }: PodSelection): Promise<AnyObject[]> {
    const pods = await this.#world.list('Pod')
    if (name !== undefined) return pods.filter(({ metadata }) => metadata.name === name)
    const reference = parseReference(await this.#fill(String(owner)))
    const uid = (await this.#world.get(reference))?.metadata.uid
    const owners = [uid]
    if (reference.kind === 'Deployment')
      for (const set of await this.#world.list('ReplicaSet')) if (set.metadata.ownerReferences?.[0]?.uid === uid) owners.push(set.metadata.uid)
    const owned = pods.filter(({ metadata }) => metadata.ownerReferences?.some(each => owners.includes(each.uid)))
    return index === undefined ? owned : owned.filter(({ metadata }) => metadata.annotations?.['batch.kubernetes.io/job-completion-index'] === String(index))
  }

  async #pods(selection: PodSelection): Promise<void> {
    await this.#settle()
    const pods = (await this.#podsOf(selection)).filter(
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
    for (const pod of await this.#podsOf(bindPods as PodSelection)) {
      if (pod.spec.nodeName) continue
      const { namespace = '', name = '' } = pod.metadata
      const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms?.[0]?.matchFields?.[0]?.values?.[0]
      const target = { apiVersion: 'v1', kind: 'Node', name: to ?? required }
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

  async #setHold({ metadata: { namespace = '', name = '' } }: AnyObject, finalizers: readonly string[]): Promise<void> {
    await this.#world.mustSend('PATCH', { kind: 'Pod', namespace, name }, { metadata: { finalizers } })
  }

  async #bind(name: string, reference: string, field: string | undefined): Promise<void> {
    if (field === undefined) return void this.#bound.set(name, reference)
    let value: unknown = await this.#world.get(parseReference(reference))
    for (const part of field.split('.')) value = (value as Record<string, unknown> | undefined)?.[part]
    this.#bound.set(name, String(value))
  }

  /** Lets the loops settle, then checks until everything holds or the time is over. */
  async #check(checks: readonly Step[], at: string): Promise<void> {
    const until = performance.now() + CHECK_MS
    await this.#settle()
    for (const check of checks)
      for (;;) {
        const failure = await this.#failure(check).catch((error: unknown) => {
          if (error instanceof UnsupportedStep) throw error
          return String(error)
        })
        if (failure === undefined) break
        if (performance.now() > until) throw new Error(`${at}: ${JSON.stringify(check)}: ${failure}`)
        await sleep(50)
        await this.#settle()
      }
  }

  /** Returns why a check does not hold. Undefined if it does. */
  async #failure(raw: Step): Promise<string | undefined> {
    const check = (await this.#fillAll(raw)) as Record<string, string> & {
      is?: unknown
      n?: number
      owner?: string
      selector?: unknown
      event?: EventCheck
      noevent?: EventCheck
    }
    const object = (reference: string): Promise<AnyObject | undefined> => this.#world.get(parseReference(reference))
    if (check.obj !== undefined) {
      const found = await object(check.obj)
      return found ? mismatch(check.is ?? {}, found) : 'does not exist'
    }
    if (check.gone !== undefined) return (await object(check.gone)) ? 'exists' : undefined
    if (check.terminating !== undefined) return (await object(check.terminating))?.metadata.deletionTimestamp ? undefined : 'is not terminating'
    if (check['not-terminating'] !== undefined) {
      const found = await object(check['not-terminating'])
      return found && !found.metadata.deletionTimestamp ? undefined : 'is gone or terminating'
    }
    if (check.count !== undefined) {
      const found = await this.#selected(check.count, check)
      const live = found.filter(each => !each.metadata.deletionTimestamp && mismatch(check.is ?? {}, each) === undefined)
      return live.length === check.n ? undefined : `there are ${live.length} of ${found.length}: ${JSON.stringify(found[0])}`
    }
    if (check.list !== undefined) {
      const values = (await this.#selected(check.list, check)).map(each => fieldOf(each, String(check.field))).toSorted()
      return mismatch({ $exact: check.is }, values)
    }
    if (check.sameVersion !== undefined)
      return (await object(String(check.of)))?.metadata.resourceVersion === this.#bound.get(check.sameVersion) ? undefined : 'was written'
    if (check.event !== undefined) return this.#eventFailure(check.event)
    if (check.noevent !== undefined) return (await this.#eventFailure(check.noevent)) === undefined ? 'there is such an event' : undefined
    throw new UnsupportedStep(`check ${Object.keys(check)[0]}`)
  }

  async #selected(kind: string, { owner, selector }: { readonly owner?: string; readonly selector?: unknown }): Promise<AnyObject[]> {
    const all = await this.#world.list(kind)
    const labels = typeof selector === 'string' ? Object.fromEntries(selector.split(',').map(each => each.split('='))) : (selector ?? {})
    const uid = owner === undefined ? undefined : (await this.#world.get(parseReference(owner)))?.metadata.uid
    return all.filter(
      ({ metadata }) =>
        mismatch(labels, metadata.labels ?? {}) === undefined &&
        (owner === undefined || metadata.ownerReferences?.some(reference => reference.controller === true && reference.uid === uid)),
    )
  }

  async #eventFailure({ on, ...expected }: EventCheck): Promise<string | undefined> {
    const { namespace, kind, name } = parseReference(on)
    const involvedObject = { kind, name, ...(namespace !== 'default' && { namespace }) }
    const events = await this.#world.list('Event')
    const found = events.some(event => mismatch({ ...expected, involvedObject }, event) === undefined)
    return found
      ? undefined
      : `there are ${JSON.stringify(events.map(event => [event.involvedObject.kind, event.involvedObject.name, event.type, event.reason, event.message]))}`
  }

  /** Replaces the placeholders in all texts of a value. */
  async #fillAll(value: unknown): Promise<unknown> {
    if (typeof value === 'string') return this.#fill(value)
    if (Array.isArray(value)) return Promise.all(value.map(each => this.#fillAll(each)))
    if (typeof value !== 'object' || value === null) return value
    if ('$csr' in value) throw new UnsupportedStep('certificate requests')
    return Object.fromEntries(await Promise.all(Object.entries(value).map(async ([name, each]) => [await this.#fill(name), await this.#fillAll(each)])))
  }

  async #fill(text: string): Promise<string> {
    let filled = text
    for (const [placeholder, inside = ''] of text.matchAll(/\{\{([^{}]*)\}\}/g))
      if (inside !== 'hash') filled = filled.replace(placeholder, await this.#placeholder(inside))
    return filled
  }

  async #placeholder(inside: string): Promise<string> {
    const [name = '', argument = ''] = inside.split(/:(.*)/s)
    const [of = '', number = ''] = argument.split('@')
    const { now } = this.#world.plane
    switch (name) {
      case 'bound':
        return this.#bound.get(argument) ?? `(unbound ${argument})`
      case 'rs':
        return this.#ownedName('ReplicaSet', `Deployment/${of}`, ({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'] === number)
      case 'rev':
        return this.#revisionName(of, Number(number))
      case 'revhash':
        return (await this.#revisionName(of, Number(number))).slice(of.length + 1)
      case 'uid':
        return (await this.#world.get(parseReference(argument)))?.metadata.uid ?? '(none)'
      case 'pod': {
        const [pod] = await this.#podsOf({ owner: argument } as PodSelection)
        return `Pod/${pod?.metadata.name}`
      }
      case 'slice': {
        const slices = await this.#world.list('EndpointSlice')
        return slices.find(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === argument)?.metadata.name ?? '(none)'
      }
      case 'now':
        return now.toISOString().replace('.000Z', 'Z')
      default: {
        const [, sign, seconds] = /^now([+-])(\d+)$/.exec(name) ?? []
        if (seconds === undefined) throw new UnsupportedStep(`placeholder ${inside}`)
        return new Date(now.getTime() + (sign === '-' ? -1000 : 1000) * Number(seconds)).toISOString().replace('.000Z', 'Z')
      }
    }
  }

  async #ownedName(kind: string, owner: string, is: (object: AnyObject) => boolean): Promise<string> {
    return (await this.#selected(kind, { owner })).find(is)?.metadata.name ?? '(none)'
  }

  async #revisionName(owner: string, revision: number): Promise<string> {
    const revisions = await this.#world.list('ControllerRevision')
    return revisions.find(({ metadata, revision: has }) => metadata.ownerReferences?.[0]?.name === owner && Number(has) === revision)?.metadata.name ?? '(none)'
  }
}

interface EventCheck {
  readonly on: string
  readonly [field: string]: unknown
}

function fieldOf(object: unknown, field: string): unknown {
  let value = object
  for (const part of field.split('.')) value = (value as Record<string, unknown> | undefined)?.[part]
  return value
}
