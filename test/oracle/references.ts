import type { AnyObject } from '../support/any-object.ts'
import { certificateRequest, type RequestNames } from './certificates.ts'
import { mismatch } from './match.ts'
import type { PodSelection } from './pod-actions.ts'
import { parseReference, type World } from './world.ts'

/** A scenario needs what the runner lacks. */
export class UnsupportedStep extends Error {}

/** The objects that the texts of a scenario refer to, and the names that it gave to some. */
export class References {
  readonly #world: World
  readonly #bound = new Map<string, string>()

  constructor(world: World) {
    this.#world = world
  }

  /** Value of a name. Undefined if the scenario has not given it. */
  bound(name: string): string | undefined {
    return this.#bound.get(name)
  }

  /** Gives a name to a reference, or to a field of its object. */
  async bind(name: string, reference: string, field?: string): Promise<void> {
    this.#bound.set(name, field === undefined ? reference : String(memberAt(await this.#world.get(parseReference(reference)), field)))
  }

  /** Pods of an owner, of a name, or with a completion index. The pods of a Deployment are those of its sets. */
  async podsOf({ owner, name, index }: Omit<PodSelection, 'become'>): Promise<AnyObject[]> {
    const pods = await this.#world.list('Pod')
    if (name !== undefined) return pods.filter(({ metadata }) => metadata.name === name)
    const hasIndex = ({ metadata }: AnyObject): boolean =>
      index === undefined || metadata.annotations?.['batch.kubernetes.io/job-completion-index'] === String(index)
    if (owner === undefined) return pods.filter(hasIndex)
    const reference = parseReference(await this.fill(owner))
    const uid = (await this.#world.get(reference))?.metadata.uid
    const owners = [uid]
    if (reference.kind === 'Deployment')
      for (const set of await this.#world.list('ReplicaSet'))
        if (set.metadata.ownerReferences?.[0]?.uid === uid) owners.push(set.metadata.uid)
    return pods.filter(pod => hasIndex(pod) && pod.metadata.ownerReferences?.some(each => owners.includes(each.uid)))
  }

  /** Objects of a kind with an owner and labels. */
  async selected(kind: string, { owner, selector }: { readonly owner?: string; readonly selector?: unknown }): Promise<AnyObject[]> {
    const all = await this.#world.list(kind)
    const labels = typeof selector === 'string' ? Object.fromEntries(selector.split(',').map(each => each.split('='))) : (selector ?? {})
    const uid = owner === undefined ? undefined : (await this.#world.get(parseReference(owner)))?.metadata.uid
    return all.filter(
      ({ metadata }) =>
        mismatch(labels, metadata.labels ?? {}) === undefined &&
        (owner === undefined || metadata.ownerReferences?.some(reference => reference.controller === true && reference.uid === uid)),
    )
  }

  /** Replaces the placeholders in all texts of a value. */
  async fillAll(value: unknown): Promise<unknown> {
    if (typeof value === 'string') return this.fill(value)
    if (Array.isArray(value)) return Promise.all(value.map(each => this.fillAll(each)))
    if (typeof value !== 'object' || value === null) return value
    if ('$csr' in value) return certificateRequest(value.$csr as RequestNames)
    return Object.fromEntries(
      await Promise.all(Object.entries(value).map(async ([name, each]) => [await this.fill(name), await this.fillAll(each)])),
    )
  }

  async fill(text: string): Promise<string> {
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
        return this.#ownedName(
          'ReplicaSet',
          `Deployment/${of}`,
          ({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'] === number,
        )
      case 'rev':
        return this.#revisionName(of, Number(number))
      case 'revhash':
        return (await this.#revisionName(of, Number(number))).slice(of.length + 1)
      case 'uid':
        return (await this.#world.get(parseReference(argument)))?.metadata.uid ?? '(none)'
      case 'pod': {
        const [pod] = await this.podsOf({ owner: argument })
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
    return (await this.selected(kind, { owner })).find(is)?.metadata.name ?? '(none)'
  }

  async #revisionName(owner: string, revision: number): Promise<string> {
    const revisions = await this.#world.list('ControllerRevision')
    return (
      revisions.find(({ metadata, revision: has }) => metadata.ownerReferences?.[0]?.name === owner && Number(has) === revision)?.metadata
        .name ?? '(none)'
    )
  }
}

/** Returns the member of an object at a path with dots. */
export function memberAt(object: unknown, path: string): unknown {
  let value = object
  for (const part of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[part]
  return value
}
