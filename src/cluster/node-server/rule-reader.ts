import type { Json, TypedObject } from '../../api/meta/object.ts'
import { type ApiClient, objectKey, type ResourceKind } from '../../clients/api-client.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { undefinedIfNotFound } from '../../meta/status.ts'
import { KWOK_GROUP, KWOK_VERSION } from '../kwok/definitions/definitions.ts'
import { KwokObjectError } from '../kwok/field-reader.ts'
import { type PodRules, ruleFor } from '../kwok/rules/pod-rules.ts'

/** Both kinds of a rule, and their decoder. */
export interface RuleKind<R> {
  /** Kind whose objects apply to the pod of their name. */
  readonly own: ResourceKind<TypedObject>
  /** Kind whose objects select pods. */
  readonly cluster: ResourceKind<TypedObject>
  readonly decode: (object: Json) => PodRules<R>
}

/** Returns the kinds of a rule by the name of the kind for one pod: `Exec`, `execs`. */
export function ruleKind<R>(kind: string, plural: string, decode: (object: Json) => PodRules<R>): RuleKind<R> {
  const of = (name: string, resource: string, namespaced: boolean): ResourceKind<TypedObject> => ({
    group: KWOK_GROUP,
    version: KWOK_VERSION,
    resource,
    kind: name,
    namespaced,
  })
  return { own: of(kind, plural, true), cluster: of(`Cluster${kind}`, `cluster${plural}`, false), decode }
}

/** Most decoded objects that are kept. A list of more is decoded at each request. */
const MOST_KEPT = 10_000

/** A decoded object, or the reason why it is invalid. */
type Decoded<R> = PodRules<R> | KwokObjectError

/** Reads the rules of one kind from the API on demand. Decoded objects are kept until they change. */
export class RuleReader<R> {
  readonly #client: ApiClient
  readonly #kind: RuleKind<R>
  /** Decoded objects by kind and key, with their versions. */
  readonly #decoded = new Map<string, { readonly version: string | undefined; readonly value: Decoded<R> }>()

  constructor(client: ApiClient, kind: RuleKind<R>) {
    this.#client = client
    this.#kind = kind
  }

  /**
   * Returns the rule of a pod. Undefined if there is none. Throws KwokObjectError if there is none but an object of the
   * rule's kind is invalid.
   */
  async find(namespace: string, name: string, choose: (rules: readonly R[]) => R | undefined): Promise<R | undefined> {
    const own = await this.#client.get(this.#kind.own, namespace, name).catch(undefinedIfNotFound)
    return new RuleSet(await this.#decodeAll(this.#kind.own, own ? [own] : []), await this.#ofCluster()).find(namespace, name, choose)
  }

  /** Returns the rules of all pods of a namespace, or of all namespaces if it is empty. */
  async all(namespace: string): Promise<RuleSet<R>> {
    const own = await this.#client
      .list(this.#kind.own, { ...(namespace !== '' && { namespace }), resourceVersion: '0' })
      .catch(undefinedIfNotFound)
    return new RuleSet(await this.#decodeAll(this.#kind.own, own?.items ?? []), await this.#ofCluster())
  }

  async #ofCluster(): Promise<Decoded<R>[]> {
    const { cluster } = this.#kind
    const objects = await this.#client.list(cluster, { resourceVersion: '0' }).catch(undefinedIfNotFound)
    return await this.#decodeAll(
      cluster,
      [...(objects?.items ?? [])].sort((a, b) => (objectKey(a) < objectKey(b) ? -1 : 1)),
    )
  }

  /** Decodes objects in turns: each may have expressions to compile. */
  async #decodeAll(kind: ResourceKind<TypedObject>, objects: readonly TypedObject[]): Promise<Decoded<R>[]> {
    const decoded: Decoded<R>[] = []
    for (const object of objects) {
      if (turnIsSpent()) await nextTurn()
      decoded.push(this.#decode(kind, object))
    }
    return decoded
  }

  #decode(kind: ResourceKind<TypedObject>, object: TypedObject): Decoded<R> {
    const key = `${kind.kind}/${objectKey(object)}`
    const version = object.metadata.resourceVersion
    const before = this.#decoded.get(key)
    if (before !== undefined && before.version === version) return before.value
    if (this.#decoded.size >= MOST_KEPT) this.#decoded.clear()
    const value = this.#decodeNew({ ...object, apiVersion: `${KWOK_GROUP}/${KWOK_VERSION}`, kind: kind.kind })
    this.#decoded.set(key, { version, value })
    return value
  }

  #decodeNew(object: TypedObject): Decoded<R> {
    try {
      return this.#kind.decode(object as unknown as Json)
    } catch (error) {
      if (error instanceof KwokObjectError) return error
      throw error
    }
  }
}

/** Rules of several pods, as they were when they were read. */
export class RuleSet<R> {
  readonly #own = new Map<string, PodRules<R>>()
  readonly #cluster: readonly PodRules<R>[]
  readonly #fault: KwokObjectError | undefined

  constructor(own: readonly Decoded<R>[], cluster: readonly Decoded<R>[]) {
    const valid = (each: Decoded<R>): each is PodRules<R> => !(each instanceof KwokObjectError)
    for (const rules of own.filter(valid)) this.#own.set(`${rules.pod?.namespace}/${rules.pod?.name}`, rules)
    this.#cluster = cluster.filter(valid)
    this.#fault = [...own, ...cluster].find(each => each instanceof KwokObjectError)
  }

  /**
   * Returns the rule of a pod. Undefined if there is none. Throws KwokObjectError if there is none but an object is
   * invalid.
   */
  find(namespace: string, name: string, choose: (rules: readonly R[]) => R | undefined): R | undefined {
    const own = this.#own.get(`${namespace}/${name}`)
    const rule = ruleFor(own ? [own] : this.#cluster, namespace, name, choose)
    if (rule === undefined && this.#fault) throw this.#fault
    return rule
  }
}
