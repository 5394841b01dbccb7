import type { Json, TypedObject } from '../../api/meta/object.ts'
import { type ApiClient, objectKey, type ResourceKind } from '../../clients/api-client.ts'
import type { Steps } from '../../lib/steps.ts'
import { undefinedIfNotFound } from '../../meta/status.ts'
import { KWOK_GROUP, KWOK_VERSION } from '../kwok/definitions/definitions.ts'
import { KwokObjectError } from '../kwok/field-reader.ts'
import { type PodRules, ruleFor } from '../kwok/rules/pod-rules.ts'
import { type Decoded, DecodedObjects, isValid } from './decoded-objects.ts'

/** Both kinds of a rule, and their decoder. */
export interface RuleKind<R> {
  /** Kind whose objects apply to the pod of their name. */
  readonly own: ResourceKind<TypedObject>
  /** Kind whose objects select pods. */
  readonly cluster: ResourceKind<TypedObject>
  readonly decode: (object: Json) => Steps<PodRules<R>>
}

/** Returns the kinds of a rule by the name of the kind for one pod: `Exec`, `execs`. */
export function ruleKind<R>(kind: string, plural: string, decode: (object: Json) => Steps<PodRules<R>>): RuleKind<R> {
  const of = (name: string, resource: string, namespaced: boolean): ResourceKind<TypedObject> => ({
    group: KWOK_GROUP,
    version: KWOK_VERSION,
    resource,
    kind: name,
    namespaced,
  })
  return { own: of(kind, plural, true), cluster: of(`Cluster${kind}`, `cluster${plural}`, false), decode }
}

/** Reads the rules of one kind from the API on demand. */
export class RuleReader<R> {
  readonly #client: ApiClient
  readonly #kind: RuleKind<R>
  readonly #own: DecodedObjects<PodRules<R>>
  readonly #cluster: DecodedObjects<PodRules<R>>

  constructor(client: ApiClient, kind: RuleKind<R>) {
    this.#client = client
    this.#kind = kind
    this.#own = new DecodedObjects(kind.own.kind, kind.decode)
    this.#cluster = new DecodedObjects(kind.cluster.kind, kind.decode)
  }

  /**
   * Returns the rule of a pod. Undefined if there is none. Throws KwokObjectError if there is none but an object of the
   * rule's kind is invalid.
   */
  async find(namespace: string, name: string, choose: (rules: readonly R[]) => R | undefined): Promise<R | undefined> {
    const own = await this.#client.get(this.#kind.own, namespace, name).catch(undefinedIfNotFound)
    return new RuleSet(await this.#own.ofSome(own ? [own] : []), await this.#ofCluster()).find(namespace, name, choose)
  }

  /** Returns the rules of all pods of a namespace, or of all namespaces if it is empty. */
  async all(namespace: string): Promise<RuleSet<R>> {
    const list = await this.#client
      .list(this.#kind.own, { ...(namespace !== '' && { namespace }), resourceVersion: '0' })
      .catch(undefinedIfNotFound)
    const objects = list?.items ?? []
    const own = namespace === '' ? this.#own.ofAll(objects) : this.#own.ofSome(objects)
    return new RuleSet(await own, await this.#ofCluster())
  }

  async #ofCluster(): Promise<Decoded<PodRules<R>>[]> {
    const objects = await this.#client.list(this.#kind.cluster, { resourceVersion: '0' }).catch(undefinedIfNotFound)
    return await this.#cluster.ofAll([...(objects?.items ?? [])].sort((a, b) => (objectKey(a) < objectKey(b) ? -1 : 1)))
  }
}

/** Rules of several pods, as they were when they were read. */
export class RuleSet<R> {
  readonly #own = new Map<string, PodRules<R>>()
  readonly #cluster: readonly PodRules<R>[]
  readonly #fault: KwokObjectError | undefined

  constructor(own: readonly Decoded<PodRules<R>>[], cluster: readonly Decoded<PodRules<R>>[]) {
    for (const rules of own.filter(isValid)) this.#own.set(`${rules.pod?.namespace}/${rules.pod?.name}`, rules)
    this.#cluster = cluster.filter(isValid)
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
