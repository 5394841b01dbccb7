import { type AuthorizerValue, requestResource } from '../../cel/functions/authorization.ts'
import type { Activation } from '../../cel/program/frame.ts'
import { jsonValue } from '../../cel/values/json.ts'
import type { Value } from '../../cel/values/value.ts'
import type { User } from '../../meta/context.ts'
import type { GroupVersionKind } from '../../meta/gvk.ts'
import type { JsonObject, KubeObject } from '../../meta/object.ts'
import type { Operation } from '../../registry/types.ts'

export interface GroupVersionResource {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** A request as expressions see it. */
export interface SeenRequest {
  /** What a rule has matched, which may be another version than the request's. */
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  readonly requestKind: GroupVersionKind
  readonly requestResource: GroupVersionResource
  readonly subresource: string
  /** Empty where there is none (yet). */
  readonly name: string
  readonly namespace: string
  readonly operation: Operation
  readonly user: User
  readonly dryRun: boolean
  /** CreateOptions, UpdateOptions, DeleteOptions of meta.k8s.io. */
  readonly options?: JsonObject | undefined
}

/** What expressions speak of, besides variables. */
export interface SeenValues {
  readonly request: SeenRequest
  /** As the matched version writes them; absent where there are none. */
  readonly object?: KubeObject | undefined
  readonly oldObject?: KubeObject | undefined
  readonly namespaceObject?: KubeObject | undefined
  readonly params?: JsonObject | undefined
  /** Absent: the expressions may not ask it. */
  readonly authorizer?: AuthorizerValue
}

const documentOf = (object: JsonObject | undefined): Value => (object ? jsonValue(object) : null)

/** The variables of an expression, made when they are first used, and once for all expressions. */
export function expressionValues(seen: SeenValues): Activation {
  const values = new Map<string, Value>()
  return {
    get: name => {
      const known = values.get(name)
      if (known !== undefined) return known
      const value = variableOf(name, seen)
      if (value !== undefined) values.set(name, value)
      return value
    },
  }
}

/** Undefined where there is no such variable. */
function variableOf(name: string, { request, object, oldObject, namespaceObject, params, authorizer }: SeenValues): Value | undefined {
  switch (name) {
    case 'object':
      return documentOf(object)
    case 'oldObject':
      return documentOf(oldObject)
    case 'params':
      return documentOf(params)
    case 'namespaceObject':
      return namespaceObject ? jsonValue(seenNamespace(namespaceObject)) : null
    case 'request':
      return jsonValue(requestDocument(request))
    case 'authorizer':
      return authorizer
    case 'authorizer.requestResource':
      return authorizer && requestResource(authorizer, resourceOf(request))
    default:
      return undefined
  }
}

const resourceOf = ({ requestResource: { group, resource }, subresource, namespace, name }: SeenRequest): Parameters<typeof requestResource>[1] => ({
  group,
  resource,
  subresource,
  namespace,
  name,
})

/** The same variables with other parameters. */
export function withParams(values: Activation, params: JsonObject): Activation {
  const seen = jsonValue(params)
  return { get: name => (name === 'params' ? seen : values.get(name)) }
}

/** The same variables for expressions that may not ask the authorizer. */
export const withoutAuthorizer = (values: Activation): Activation => ({
  get: name => (name === 'authorizer' || name === 'authorizer.requestResource' ? undefined : values.get(name)),
})

/** admission.k8s.io AdmissionRequest, without what is a variable of its own. What is empty is left out, as Go does. */
function requestDocument(request: SeenRequest): JsonObject {
  const { kind, resource, requestKind, requestResource: requested, subresource, name, namespace, operation, user, dryRun, options } = request
  return {
    kind: { group: kind.group, version: kind.version, kind: kind.kind },
    resource: { ...resource },
    ...(subresource && { subResource: subresource }),
    requestKind: { group: requestKind.group, version: requestKind.version, kind: requestKind.kind },
    requestResource: { ...requested },
    ...(subresource && { requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: userDocument(user),
    dryRun,
    options: options ?? null,
  }
}

/** authentication.k8s.io UserInfo, empty members left out as Go leaves them out. */
function userDocument({ name, uid, groups, extra }: User): JsonObject {
  return {
    ...(name && { username: name }),
    ...(uid && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(extra && Object.keys(extra).length > 0 && { extra: Object.fromEntries(Object.entries(extra).map(([key, texts]) => [key, [...texts]])) }),
  }
}

const SEEN_METADATA = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'finalizers',
] as const

/** The namespace, without what of it is not to be seen. */
function seenNamespace({ metadata, spec, status }: KubeObject): JsonObject {
  const seen = SEEN_METADATA.flatMap(name => {
    const value = metadata[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { metadata: Object.fromEntries(seen), spec: spec ?? {}, status: status ?? {} }
}
