import { parseDeclarations, type StructDeclaration } from './declarations.ts'
import { type Environment, extend, structWith } from './environment.ts'
import { DYN, listTypeOf, parseType, structOf, type Type, withParts } from './type.ts'
import { USER_INFO, userInfoStruct } from './user-info.ts'
import { PatchObject, PatchOperation } from './values/patch.ts'

/**
 * Variables and types that an admission expression has besides `object`, `oldObject`, `namespaceObject` and `request`.
 */
export interface AdmissionParts {
  readonly params?: boolean
  readonly authorizer?: boolean
  /** Whether the types that a mutation builds are declared: `Object`, its nested `Object.…` types, and `JSONPatch`. */
  readonly patches?: boolean
  /** Types of the policy's variables that precede the expression, by name. */
  readonly variables?: ReadonlyMap<string, Type>
}

/** Result type of an `applyConfiguration` expression. */
export const APPLY_CONFIGURATION = structOf('Object')
/** Result type of a `jsonPatch` expression. */
export const JSON_PATCH = listTypeOf(structOf('JSONPatch'))

/** metav1.GroupVersionKind and GroupVersionResource. */
const KIND = { group: 'string', version: 'string', kind: 'string' }
const RESOURCE = { group: 'string', version: 'string', resource: 'string' }

/**
 * Types of `request` and `namespaceObject`, with the fields that the API server declares. `request` is an
 * admission.k8s.io AdmissionRequest without `object` and `oldObject`, which are variables.
 */
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
  'kubernetes.NamespaceCondition': structWith({
    status: 'string',
    type: 'string',
    lastTransitionTime: 'timestamp',
    message: 'string',
    reason: 'string',
  }),
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
  'kubernetes.Namespace': structWith({
    metadata: 'kubernetes.NamespaceMetadata',
    spec: 'kubernetes.NamespaceSpec',
    status: 'kubernetes.NamespaceStatus',
  }),
}

/** Escapes a key for a JSON pointer. Declared only in expressions that build patches. */
const ESCAPE = parseDeclarations('string_jsonpatch_escapeKey_string: jsonpatch.escapeKey(string) -> string')

/**
 * Fields of a JSON patch operation (RFC 6902). An unknown field gets a type that no value fits, so the checker rejects
 * it.
 */
const PATCH_MEMBERS = structWith({ op: 'string', path: 'string', from: 'string', value: 'dyn' })
const PATCH: StructDeclaration = {
  fieldType: name => PATCH_MEMBERS.fieldType(name) ?? structOf(''),
  make: fields => new PatchOperation(fields),
}

/** Returns the type of `Object…` or `JSONPatch`. Undefined for any other name. */
function patchStruct(name: string): StructDeclaration | undefined {
  if (name === 'JSONPatch') return PATCH
  if (name !== 'Object' && !name.startsWith('Object.')) return undefined
  // The structure of the object is not checked: every field has type dyn.
  return { fieldType: () => DYN, make: fields => new PatchObject(name, fields) }
}

/** Types that are preserved when a variable is used by a later expression. */
const KEPT = new Set(['any', 'bool', 'bytes', 'double', 'duration', 'int', 'null', 'string', 'timestamp', 'uint'])

/**
 * Returns the type that later expressions see for a variable. Scalars, and lists and maps of them, keep their type;
 * everything else is dyn, as in the API server.
 */
export function seenType(type: Type): Type {
  if (type.kind === 'list' || type.kind === 'map') return withParts(type, seenType)
  return KEPT.has(type.kind) ? type : DYN
}

/** Extends the base environment with the variables and types of webhook match conditions and admission policies. */
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
