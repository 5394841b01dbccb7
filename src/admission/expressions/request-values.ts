import type { JsonObject, KubeObject } from '../../api/meta/object.ts'
import type { GroupVersionKind, GroupVersionResource } from '../../api/meta/v1.types.ts'
import { type AuthorizerValue, requestResource } from '../../cel/functions/authorization.ts'
import type { Activation } from '../../cel/program/frame.ts'
import { jsonValue } from '../../cel/values/json.ts'
import type { Value } from '../../cel/values/value.ts'
import type { User } from '../../meta/context.ts'
import type { Operation } from '../../registry/types.ts'

/** The `request` variable of expressions, before it is encoded. */
export interface SeenRequest {
  /** Kind in the version that a rule matched, which may differ from `requestKind`. */
  readonly kind: GroupVersionKind
  /** Resource in the version that a rule matched. */
  readonly resource: GroupVersionResource
  /** Kind in the version of the request. */
  readonly requestKind: GroupVersionKind
  /** Resource in the version of the request. */
  readonly requestResource: GroupVersionResource
  /** Empty for the object itself. */
  readonly subresource: string
  /** Empty for collections, and for creates with generateName. */
  readonly name: string
  /** Empty for cluster-scoped resources. */
  readonly namespace: string
  readonly operation: Operation
  readonly user: User
  readonly dryRun: boolean
  /** CreateOptions, UpdateOptions or DeleteOptions of meta.k8s.io/v1. */
  readonly options?: JsonObject | undefined
}

/** Variables of an expression, except `variables`. */
export interface SeenValues {
  /** The variable `request`. */
  readonly request: SeenRequest
  /** New object in the matched version. Omitted for deletions. */
  readonly object?: KubeObject | undefined
  /** Existing object in the matched version. Omitted for creations. */
  readonly oldObject?: KubeObject | undefined
  /** Optional. Namespace of the object. Omitted for cluster-scoped resources. */
  readonly namespaceObject?: KubeObject | undefined
  /** Optional. Parameters of the binding. Omitted if the policy has none. */
  readonly params?: JsonObject | undefined
  /** Optional. Omitted if the expressions may not use the authorizer. */
  readonly authorizer?: AuthorizerValue
}

const documentOf = (object: JsonObject | undefined): Value => (object ? jsonValue(object) : null)

/** Returns an activation for expressions. Each variable is encoded on first use and shared by all expressions. */
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

/** Returns the value of a variable. Undefined if the name is unknown. */
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
      return authorizer && requestResource(authorizer, requestResourceOf(request))
    default:
      return undefined
  }
}

/** Attributes of `authorizer.requestResource`: the resource of the request, in the version of its path. */
const requestResourceOf = ({
  requestResource: { group, resource },
  subresource,
  namespace,
  name,
}: SeenRequest): Parameters<typeof requestResource>[1] => ({
  group,
  resource,
  subresource,
  namespace,
  name,
})

/** Returns an activation with other `params`. */
export function withParams(values: Activation, params: JsonObject): Activation {
  const seen = jsonValue(params)
  return { get: name => (name === 'params' ? seen : values.get(name)) }
}

/** Returns an activation without the authorizer, for expressions that may not use it. */
export const withoutAuthorizer = (values: Activation): Activation => ({
  get: name => (name === 'authorizer' || name === 'authorizer.requestResource' ? undefined : values.get(name)),
})

/**
 * Encodes the request as admission.k8s.io AdmissionRequest, without members that are variables of their own. Empty
 * members are omitted, as `omitempty` does.
 */
function requestDocument(request: SeenRequest): JsonObject {
  const {
    kind,
    resource,
    requestKind,
    requestResource: requested,
    subresource,
    name,
    namespace,
    operation,
    user,
    dryRun,
    options,
  } = request
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

/** Encodes a user as authentication.k8s.io UserInfo. Empty members are omitted, as `omitempty` does. */
function userDocument({ name, uid, groups, extra }: User): JsonObject {
  return {
    ...(name && { username: name }),
    ...(uid && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(extra &&
      Object.keys(extra).length > 0 && { extra: Object.fromEntries(Object.entries(extra).map(([key, texts]) => [key, [...texts]])) }),
  }
}

/** Metadata members of `namespaceObject`, as in upstream. */
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

/** Encodes `namespaceObject`. Upstream exposes only part of the metadata. */
function seenNamespace({ metadata, spec, status }: KubeObject): JsonObject {
  const seen = SEEN_METADATA.flatMap(name => {
    const value = metadata[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { metadata: Object.fromEntries(seen), spec: spec ?? {}, status: status ?? {} }
}
