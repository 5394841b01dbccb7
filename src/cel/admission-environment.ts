import { declare, type StructDeclaration } from './declarations.ts'
import { type Environment, extend, structWith } from './environment.ts'
import { DYN, listOf, parseType, structOf, type Type, withParts } from './type.ts'
import { USER_INFO, userInfoStruct } from './user-info.ts'
import { PatchObject, PatchOperation } from './values/patch.ts'

/** What an expression of admission may speak of besides object, oldObject, namespaceObject and request. */
export interface AdmissionParts {
  readonly params?: boolean
  readonly authorizer?: boolean
  /** Types to build patches of: Object, what is below it, and JSONPatch. */
  readonly patches?: boolean
  /** The variables of a policy that come before, by their names. */
  readonly variables?: ReadonlyMap<string, Type>
}

/** The result of an expression that gives an apply configuration. */
export const APPLY_CONFIGURATION = structOf('Object')
/** The result of an expression that gives a JSON patch. */
export const JSON_PATCH = listOf(structOf('JSONPatch'))

/** metav1.GroupVersionKind and GroupVersionResource. */
const KIND = { group: 'string', version: 'string', kind: 'string' }
const RESOURCE = { group: 'string', version: 'string', resource: 'string' }

/** The request (admission.k8s.io AdmissionRequest, without what is a variable of its own) and the namespace, with what may be seen of them. */
const STRUCTS: Readonly<Record<string, StructDeclaration>> = {
  'kubernetes.GroupVersionKind': structWith(KIND),
  'kubernetes.GroupVersionResource': structWith(RESOURCE),
  [USER_INFO]: userInfoStruct,
  'kubernetes.AdmissionRequest': structWith({
    kind: 'kubernetes.GroupVersionKind',
    resource: 'kubernetes.GroupVersionResource',
    subResource: 'string',
    requestKind: 'kubernetes.GroupVersionKind',
    requestResource: 'kubernetes.GroupVersionResource',
    requestSubResource: 'string',
    name: 'string',
    namespace: 'string',
    operation: 'string',
    userInfo: 'kubernetes.UserInfo',
    dryRun: 'bool',
    options: 'dyn',
  }),
  'kubernetes.NamespaceSpec': structWith({ finalizers: 'list(string)' }),
  'kubernetes.NamespaceCondition': structWith({ status: 'string', type: 'string', lastTransitionTime: 'timestamp', message: 'string', reason: 'string' }),
  'kubernetes.NamespaceStatus': structWith({ conditions: 'list(kubernetes.NamespaceCondition)', phase: 'string' }),
  'kubernetes.NamespaceMetadata': structWith({
    name: 'string',
    generateName: 'string',
    namespace: 'string',
    labels: 'map(string, string)',
    annotations: 'map(string, string)',
    UID: 'string',
    creationTimestamp: 'timestamp',
    deletionGracePeriodSeconds: 'int',
    deletionTimestamp: 'timestamp',
    generation: 'int',
    resourceVersion: 'string',
    finalizers: 'list(string)',
  }),
  'kubernetes.Namespace': structWith({ metadata: 'kubernetes.NamespaceMetadata', spec: 'kubernetes.NamespaceSpec', status: 'kubernetes.NamespaceStatus' }),
}

/** Only expressions that make patches have it. */
const ESCAPE = declare('string_jsonpatch_escapeKey_string: jsonpatch.escapeKey(string) -> string')

/** An operation of RFC 6902. A member that there is not has no type, and so takes no value. */
const PATCH_MEMBERS = structWith({ op: 'string', path: 'string', from: 'string', value: 'dyn' })
const PATCH: StructDeclaration = {
  fieldType: name => PATCH_MEMBERS.fieldType(name) ?? structOf(''),
  make: fields => new PatchOperation(fields),
}

/** Undefined for any other name. */
function patchStruct(name: string): StructDeclaration | undefined {
  if (name === 'JSONPatch') return PATCH
  if (name !== 'Object' && !name.startsWith('Object.')) return undefined
  // Without a schema any field may be written.
  return { fieldType: () => DYN, make: fields => new PatchObject(name, fields) }
}

/** Types that the API server does not forget between two variables of a policy. */
const KEPT = new Set(['any', 'bool', 'bytes', 'double', 'duration', 'int', 'null', 'string', 'timestamp', 'uint'])

/** The type that later expressions see of a variable: scalars, and lists and maps of them; anything else is dyn. */
export function seenType(type: Type): Type {
  if (type.kind === 'list' || type.kind === 'map') return withParts(type, seenType)
  return KEPT.has(type.kind) ? type : DYN
}

/** The base environment with what expressions of webhooks and policies may speak of. */
export function admissionEnvironment(base: Environment, { params, authorizer, patches, variables }: AdmissionParts): Environment {
  const declared: Record<string, Type> = {
    object: DYN,
    oldObject: DYN,
    namespaceObject: structOf('kubernetes.Namespace'),
    request: structOf('kubernetes.AdmissionRequest'),
    ...(params ? { params: DYN } : {}),
    ...(authorizer
      ? {
          authorizer: parseType('kubernetes.authorization.Authorizer'),
          'authorizer.requestResource': parseType('kubernetes.authorization.ResourceCheck'),
        }
      : {}),
    ...(variables ? { variables: structOf('kubernetes.variables') } : {}),
  }
  const composed: StructDeclaration = { fieldType: name => variables?.get(name) }
  const environment = extend(base, declared, name => {
    if (variables && name === 'kubernetes.variables') return composed
    return (Object.hasOwn(STRUCTS, name) ? STRUCTS[name] : undefined) ?? (patches ? patchStruct(name) : undefined)
  })
  if (!patches) return environment
  return { ...environment, functions: new Map([...environment.functions, ...ESCAPE.map(fn => [fn.name, fn] as const)]) }
}
