import { apiVersionOfVersion, listKindOf } from '../../catalog/catalog.ts'
import { routeAccepts } from '../../codec/negotiate.ts'
import { compareText } from '../../lib/compare-text.ts'
import { lifecycleOf } from '../../lifecycle/lifecycle.ts'
import { apiVersionOf, parseApiVersion } from '../../meta/gvk.ts'
import type { Json, ObjectMeta } from '../../meta/object.ts'
import { badRequestError, methodNotAllowedError, pathNotFoundError } from '../../meta/status.ts'
import { wholeFloats } from '../../meta/whole-floats.ts'
import { decodeObject } from '../../registry/decode-object.ts'
import { conversionText } from '../../schema/conversion-fault.ts'
import { DecodeError, decode } from '../../schema/decode.ts'
import { diagnose } from '../../schema/diagnose.ts'
import type { StructSchema } from '../../schema/schema.ts'
import { initialEndAnnotations, listMetaText, objectMetaText } from '../forms/meta-v1.ts'
import { textBlueprint } from '../forms/text/text-frames.ts'
import { apiVersionOfTarget, type BodyTarget, cannotHandle, claimedVersion, nameOf, notRegistered, patchedClaim, versionFault } from './body-type.ts'
import { decodeConverted } from './decode-converted.ts'
import { APPLY_CBOR_PATCH, APPLY_PATCH, type BuiltIns, type Dialect, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH } from './dialect.ts'

const PATCH_TYPES = [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH]
const WITH_CBOR = [...PATCH_TYPES, APPLY_CBOR_PATCH]

/** Typed, and served by upstream's router. */
export const BUILT_IN: Dialect = {
  noSubresource: () => pathNotFoundError(),
  checkPlace({ definition }, { namespace, inNamespace, namesObject }) {
    const namespaced = definition.scope === 'Namespaced'
    if (namespaced ? namespace === '' && namesObject && !inNamespace : inNamespace) throw pathNotFoundError()
    if (namespaced && namespace === '' && namesObject) throw badRequestError('Namespace parameter required.')
  },
  // The router refuses it before it knows the resource.
  notAllowed: () => methodNotAllowedError(),
  refusalWarning: () => undefined,
  /** One of another kind has a life of its own. */
  deprecatesPart: subresource => subresource?.kind === undefined,

  routeAnswers: routeAccepts,
  routeTakes: (contentType = '', types) => contentType.split(',').some(type => types.includes(type.split(';', 1)[0]?.trim() ?? '')),
  hasForm: () => true,

  checkClaim(builtIns, target, claim, value, body) {
    const claimed = claimedVersion(target, claim, body)
    if (claimed.version === '' && claimed.group !== '') throw cannotHandle(target, claim, `Object 'apiVersion' is missing in '${body.toString()}'`)
    checkType(builtIns, target, apiVersionOf(claimed) || apiVersionOfTarget(target), claim.kind || target.kind, value)
    return claimed
  },
  impliedVersion: apiVersionOfTarget,
  viewFault: (_target, fault) => fault,
  strictKind: target => target.kind,
  setType(target, object) {
    object.apiVersion = apiVersionOfTarget(target)
  },
  checkDecoded() {},

  patchTypes(cborIsOffered) {
    const types = cborIsOffered ? WITH_CBOR : PATCH_TYPES
    return { taken: types, listed: types }
  },
  /** An object that says nothing of its type is taken as one of the target's. */
  checkPatched(target, patched, { builtIns, versions, parent }) {
    const claimed = patchedClaim(patched)
    const apiVersion = claimed.apiVersion || apiVersionOfTarget(target)
    const kind = claimed.kind || target.kind
    if (kind === target.kind && apiVersion === apiVersionOfTarget(target)) return undefined
    const version = versions.get(apiVersion)
    if (version?.kind === kind) return version
    throw parent.patchedTypeFault(builtIns, target, { apiVersion, kind }, patched)
  },
  patchedTypeFault(builtIns, target, { apiVersion, kind }, patched) {
    readAsClaimed(builtIns, apiVersion, kind, patched)
    const fault = otherTypeFault(builtIns, target, apiVersion, kind)
    return new DecodeError(kind === target.kind && fault.isKnown ? versionFault(target, apiVersion) : fault.text)
  },
  checkFloats({ schema }, patched) {
    diagnose(schema, patched, { literals: wholeFloats })
  },
  setPatchedType(target, _current, next) {
    Object.assign(next, { kind: target.kind, apiVersion: apiVersionOfTarget(target) })
  },

  applyView: (_target, _config, _view, merging) => merging,
  decodeMerged: (target, merged) => decodeConverted(target, merged),
  /** In the words of the converter, which comes before the decoder. */
  mergeFault(target, config, merged, why) {
    const kind = `${target.group}/${target.version}, Kind=${target.kind}`
    const fault = conversionText(target.schema, merged, why)
    return `failed to convert new object (${nameOf(config)}; ${kind}) to proper version: unable to convert unstructured object to ${kind}: ${fault}`
  },

  /** As Go writes a struct. */
  listEnvelope: (version, meta) => ({
    start: `{"kind":"${listKindOf(version)}","apiVersion":"${apiVersionOfVersion(version)}","metadata":${listMetaText(meta)},"items":[`,
    end: ']}\n',
  }),
  /** As upstream writes an object that is empty but for its version: the members that its type always writes are there. */
  bookmark(version, resourceVersion, initialEnd) {
    const { kind, schema } = version
    const apiVersion = apiVersionOfVersion(version)
    const annotations = initialEnd ? { annotations: initialEndAnnotations(textBlueprint(kind, apiVersion)) } : {}
    const empty = emptyOf(schema)
    const metadata = objectMetaText({ ...empty.metadata, resourceVersion, ...annotations })
    return `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${metadata}${empty.members}}`
  },
  goType: ({ group, kind }, suffix) => `${goPackage(group)}.${kind}${suffix}`,

  kindsBeside: ['DeleteOptions', 'WatchEvent'],
  discoveredVerbs: verbs => [...verbs].sort(),
  discoveredSubresources: subresources => [...subresources].sort((a, b) => compareText(a.name, b.name)),
}

/** The package of a group's internal types. Events by their newer name are those of the core group. */
const goPackage = (group: string): string => (group === '' || group === 'events.k8s.io' ? 'core' : (group.split('.', 1)[0] ?? ''))

/** An object of which nothing is said. */
interface Empty {
  readonly metadata: ObjectMeta
  /** The JSON of the members beside its metadata, with a comma before each. */
  readonly members: string
}

const empties = new WeakMap<StructSchema, Empty>()

function emptyOf(schema: StructSchema): Empty {
  let empty = empties.get(schema)
  if (empty === undefined) {
    const { metadata, ...rest } = decode(schema, {})
    empty = { metadata: metadata as ObjectMeta, members: Object.keys(rest).length === 0 ? '' : `,${JSON.stringify(rest).slice(1, -1)}` }
    empties.set(schema, empty)
  }
  return empty
}

/** Upstream reads an object as what it says it is before it looks whether that is wanted. Throws a DecodeError. */
function readAsClaimed(builtIns: BuiltIns, apiVersion: string, kind: string, value: Json): void {
  const claimed = builtIns(apiVersion).find(version => version.kind === kind)
  if (claimed) decodeObject(claimed, value)
}

function checkType(builtIns: BuiltIns, target: BodyTarget, apiVersion: string, kind: string, value: Json): void {
  const expected = apiVersionOfTarget(target)
  if (kind === target.kind && (apiVersion === expected || target.alsoTakes?.includes(apiVersion))) return
  const cannot = (why: string) => cannotHandle(target, { apiVersion, kind }, why)
  try {
    readAsClaimed(builtIns, apiVersion, kind, value)
  } catch (error) {
    throw error instanceof DecodeError ? cannot(error.message) : error
  }
  const fault = otherTypeFault(builtIns, target, apiVersion, kind)
  if (kind === target.kind && fault.isKnown) throw badRequestError(versionFault(target, apiVersion))
  throw cannot(fault.text)
}

/** Kinds that every group version has, and those of `v1` alone that are no resources. */
const META_KINDS = new Set(['WatchEvent', 'ListOptions', 'GetOptions', 'DeleteOptions', 'CreateOptions', 'UpdateOptions', 'PatchOptions'])
const CORE_META_KINDS = new Set(['List', 'Status', 'APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions'])

/** These two are served by servers of their own, which know no other groups. */
const SEPARATE_GROUPS = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/** Why an object that says it is of another type can't be read as one of this, in upstream's words. `apiVersion` is well formed. */
interface TypeFault {
  /** It is a type that upstream knows, so that it is the conversion that fails. */
  readonly isKnown: boolean
  readonly text: string
}

function otherTypeFault(builtIns: BuiltIns, target: BodyTarget, apiVersion: string, kind: string): TypeFault {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' }
  const reachable = !SEPARATE_GROUPS.has(target.group) || group === target.group || (group === '' && CORE_META_KINDS.has(kind))
  if (!reachable || !isRegistered(builtIns, apiVersion, kind))
    return { isKnown: false, text: notRegistered({ apiVersion, kind }, 'pkg/api/legacyscheme/scheme.go:30') }
  return { isKnown: true, text: `converting (${version}.${kind}) to (${goPackage(target.group)}.${target.kind}): unknown conversion` }
}

/** Whether upstream's types have such a kind. What was served by some release is known by name, even if it can't be had; kinds that definitions have added are not. */
function isRegistered(builtIns: BuiltIns, apiVersion: string, kind: string): boolean {
  if (lifecycleOf(apiVersion, kind) !== undefined) return true
  const builtIn = builtIns(apiVersion)
  if (builtIn.some(version => version.kind === kind || listKindOf(version) === kind)) return true
  return (META_KINDS.has(kind) && builtIn.length > 0) || (apiVersion === 'v1' && CORE_META_KINDS.has(kind))
}
