import { isJsonObject, type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { lifecycleOf } from '../../lifecycle/lifecycle.ts'
import type { InputObject } from '../input/input-object.ts'
import { listItems, type ObjectReference, objectAt } from './reference.ts'

/** An object of the input with its namespace. Its kind may be unknown. */
export interface GivenObject {
  readonly object: InputObject
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
}

/** Annotations of an Ingress for whose hosts a controller creates Secrets. */
const ISSUERS = ['cert-manager.io/issuer', 'cert-manager.io/cluster-issuer', 'kubernetes.io/tls-acme']
/** Annotations that name a Secret which a controller creates. */
const NAMING = ['service.beta.openshift.io/serving-cert-secret-name', 'service.alpha.openshift.io/serving-cert-secret-name']

/** Kinds whose objects controllers create for applications, with their resources. */
const CREATED: Readonly<Record<string, string>> = { Secret: 'secrets', ConfigMap: 'configmaps' }

/**
 * Objects that a controller or a job of the input creates: a custom object names them (a Certificate its Secret), an
 * annotation asks for them, or a role of the input allows its pods to create them.
 */
export class CreatedLater {
  readonly #given: readonly GivenObject[]
  /** Texts of the custom objects of each namespace, with the object that has them. */
  #named: ReadonlyMap<string, ReadonlyMap<string, GivenObject>> | undefined

  constructor(given: readonly GivenObject[]) {
    this.#given = given
  }

  /** Returns what creates the target of a reference, such as `Certificate web`. Undefined if nothing is known to. */
  creatorOf({ kind, namespace, name }: ObjectReference, referrer: JsonObject): string | undefined {
    const resource = Object.hasOwn(CREATED, kind) ? CREATED[kind] : undefined
    if (resource === undefined) return undefined
    const named = this.#names().get(namespace)?.get(name)
    if (named) return label(named)
    const annotations = objectAt(referrer, 'metadata', 'annotations')
    const issuer = kind === 'Secret' && referrer.kind === 'Ingress' ? ISSUERS.find(each => Object.hasOwn(annotations, each)) : undefined
    if (issuer !== undefined) return `the annotation ${issuer}`
    const role = this.#given.find(each => mayCreate(each, resource, namespace) && this.#isBound(each))
    return role && `a pod with ${label(role)}`
  }

  /** Reports whether a binding of the input gives a role to a service account. */
  #isBound({ object: role }: GivenObject): boolean {
    return this.#given.some(({ object: { kind, value } }) => {
      const { kind: roleKind, name } = objectAt(value, 'roleRef')
      const isBinding = (kind === 'RoleBinding' || kind === 'ClusterRoleBinding') && roleKind === role.kind && name === role.name
      return isBinding && listItems(value.subjects, 'subjects').some(({ item }) => item.kind === 'ServiceAccount')
    })
  }

  #names(): ReadonlyMap<string, ReadonlyMap<string, GivenObject>> {
    this.#named ??= namedTexts(this.#given)
    return this.#named
  }
}

const label = ({ object }: GivenObject): string => `${object.kind} ${object.name}`

function namedTexts(given: readonly GivenObject[]): Map<string, Map<string, GivenObject>> {
  const byNamespace = new Map<string, Map<string, GivenObject>>()
  for (const each of given) {
    const { object, namespace } = each
    const isCustom = lifecycleOf(object.apiVersion, object.kind) === undefined
    const annotations = objectAt(object.value, 'metadata', 'annotations')
    const texts = isCustom ? textsIn(object.value) : NAMING.flatMap(key => annotations[key] ?? [])
    const known = byNamespace.get(namespace) ?? new Map<string, GivenObject>()
    byNamespace.set(namespace, known)
    for (const text of texts) if (typeof text === 'string' && !known.has(text)) known.set(text, each)
  }
  return byNamespace
}

/** Texts of a value that may be names. */
function textsIn(value: Json): string[] {
  if (typeof value === 'string') return value.length <= 253 ? [value] : []
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : []
}

/** Reports whether a role of the namespace, or of all, has the permission to create a resource. */
function mayCreate({ object, namespace: within }: GivenObject, resource: string, namespace: string): boolean {
  if (!object.apiVersion.startsWith('rbac.authorization.k8s.io/')) return false
  if (!(object.kind === 'ClusterRole' || (object.kind === 'Role' && within === namespace))) return false
  return listItems(object.value.rules, 'rules').some(({ item }) => {
    const has = (member: string, ...texts: readonly string[]): boolean => {
      const list = objectIn(item)[member]
      return Array.isArray(list) && texts.some(text => list.includes(text))
    }
    return has('apiGroups', '', '*') && has('resources', resource, '*') && has('verbs', 'create', '*')
  })
}
