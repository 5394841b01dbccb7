import { OFF_BY_DEFAULT } from '../../src/controllers/names.ts'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane, User } from '../../src/testing/types.ts'
import type { AnyObject } from '../support/any-object.ts'
import type { Scenario, Step } from './files.ts'

/** All controllers, with those that are off by default. */
const CONTROLLERS = ['*', ...OFF_BY_DEFAULT, '-scheduler', '-kubelet']

interface KindPath {
  /** Path of the collection in all namespaces, up to the plural name. */
  readonly prefix: string
  readonly plural: string
  readonly namespaced: boolean
  readonly apiVersion: string
}

/** Reference to an object: `Kind/name` or `namespace/Kind/name`. */
export interface ObjectReference {
  readonly namespace: string
  readonly kind: string
  readonly name: string
}

export function parseReference(text: string): ObjectReference {
  const parts = text.split('/')
  const [namespace = '', kind = '', name = ''] = parts.length === 3 ? parts : ['default', ...parts]
  return { namespace, kind, name }
}

/** A control plane for scenarios, with requests by kind. Its clock stands still. */
export class World {
  readonly plane: ControlPlane
  readonly #kinds: ReadonlyMap<string, KindPath>
  readonly #client: User

  /** @param client sends the requests. */
  constructor(plane: ControlPlane, kinds: ReadonlyMap<string, KindPath>, client: User = plane) {
    this.plane = plane
    this.#kinds = kinds
    this.#client = client
  }

  static async start(at: string, flags: Record<string, string> = {}): Promise<World> {
    const plane = await startControlPlane({ clock: new Date(at), flags: { profile: 'cluster', controllers: CONTROLLERS, ...flags } })
    return new World(plane, await kindsOf(plane))
  }

  async fork(): Promise<World> {
    return new World(await this.plane.fork(), this.#kinds)
  }

  /** Returns the same world for another user, who may create objects of a kind. */
  async as(user: string, groups: readonly string[], kind: string): Promise<World> {
    const { plural } = this.#kind(kind)
    const name = `test:create-${plural}`
    const apiVersion = 'rbac.authorization.k8s.io/v1'
    await this.plane.apply(
      { apiVersion, kind: 'ClusterRole', metadata: { name }, rules: [{ apiGroups: ['*'], resources: [plural], verbs: ['create'] }] },
      {
        apiVersion,
        kind: 'ClusterRoleBinding',
        metadata: { name: `${name}-${user.replaceAll(/[^a-z0-9]/g, '-')}` },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      },
    )
    return new World(this.plane, this.#kinds, await this.plane.user(user, [...groups]))
  }

  #path({ namespace, kind, name }: ObjectReference, subresource = ''): string {
    const { prefix, plural, namespaced } = this.#kind(kind)
    return `${prefix}${namespaced ? `/namespaces/${namespace}` : ''}/${plural}${name === '' ? '' : `/${name}`}${subresource === '' ? '' : `/${subresource}`}`
  }

  #kind(kind: string): KindPath {
    const found = this.#kinds.get(kind)
    if (!found) throw new Error(`unknown kind ${kind}`)
    return found
  }

  /** Resolves to the response, whatever its status. */
  send(method: string, reference: ObjectReference, body?: unknown, subresource = ''): ReturnType<ControlPlane['request']> {
    return this.#client.request(method, this.#path(reference, subresource), body === undefined ? {} : { body })
  }

  async mustSend(method: string, reference: ObjectReference, body?: unknown, subresource = ''): Promise<AnyObject> {
    const response = await this.send(method, reference, body, subresource)
    if (response.status >= 300)
      throw new Error(`${method} ${this.#path(reference, subresource)}: ${response.status} ${JSON.stringify(response.body)}`)
    return response.body as AnyObject
  }

  async get(reference: ObjectReference): Promise<AnyObject | undefined> {
    const { status, body } = await this.send('GET', reference)
    return status === 200 ? (body as AnyObject) : undefined
  }

  /** Objects of a kind in all namespaces. */
  async list(kind: string): Promise<AnyObject[]> {
    const { prefix, plural } = this.#kind(kind)
    const { body } = await this.plane.request<{ items?: AnyObject[] }>('GET', `${prefix}/${plural}`)
    return body.items ?? []
  }

  /** Returns an object of a scenario with what it may omit. */
  complete(object: Record<string, unknown>): AnyObject {
    const { namespaced, apiVersion } = this.#kind(String(object.kind))
    const metadata = { ...(namespaced && { namespace: 'default' }), ...(object.metadata as object) }
    return { apiVersion, ...object, kind: String(object.kind), metadata } as AnyObject
  }
}

/** The worlds that scenarios need, by start and flags. Each scenario gets a fork. */
export class Worlds {
  readonly #start: string
  readonly #started = new Map<string, Promise<World>>()

  /** @param start time of scenarios that name none. */
  constructor(start: string) {
    this.#start = start
  }

  async for({ startAt = this.#start, steps }: Pick<Scenario, 'startAt' | 'steps'>): Promise<World> {
    const flags = flagsOf(steps)
    const key = JSON.stringify([startAt, flags])
    const started = this.#started.get(key) ?? World.start(startAt, flags)
    this.#started.set(key, started)
    return (await started).fork()
  }

  async stop(): Promise<void> {
    for (const world of this.#started.values()) await (await world).plane.stop()
  }
}

/**
 * Returns the flags that the steps `config` stand for: those of kube-controller-manager that allocate CIDRs to nodes.
 */
function flagsOf(steps: readonly Step[]): Record<string, string> {
  const configs = steps.flatMap(({ config }) =>
    config === undefined ? [] : [config as { clusterCIDRs?: readonly string[]; nodeMask?: number }],
  )
  return Object.assign(
    {},
    ...configs.map(({ clusterCIDRs, nodeMask }) => ({
      'allocate-node-cidrs': 'true',
      ...(clusterCIDRs && { 'cluster-cidr': clusterCIDRs.join(',') }),
      ...(nodeMask !== undefined && { 'node-cidr-mask-size': String(nodeMask) }),
    })),
  )
}

/**
 * Reads the kinds from discovery. Of several groups with a kind the first one wins, which is the core group for events.
 */
async function kindsOf(plane: ControlPlane): Promise<ReadonlyMap<string, KindPath>> {
  const { body: groups } = await plane.request<{ groups: { preferredVersion: { groupVersion: string } }[] }>('GET', '/apis')
  const kinds = new Map<string, KindPath>()
  for (const version of ['v1', ...groups.groups.map(({ preferredVersion }) => preferredVersion.groupVersion)]) {
    const prefix = version === 'v1' ? '/api/v1' : `/apis/${version}`
    const { body } = await plane.request<{ resources: { name: string; kind: string; namespaced: boolean }[] }>('GET', prefix)
    for (const { name, kind, namespaced } of body.resources)
      if (!name.includes('/') && !kinds.has(kind)) kinds.set(kind, { prefix, plural: name, namespaced, apiVersion: version })
  }
  return kinds
}
