import { checkConfigurationType } from '../../apply/apply.ts'
import { ApplyError } from '../../apply/apply-error.ts'
import { untracked } from '../../apply/ownership.ts'
import { apiVersionOfVersion, listKindOf } from '../../catalog/catalog.ts'
import type { Version } from '../../catalog/definition.ts'
import { goJson } from '../../codec/json.ts'
import { clone } from '../../meta/equal.ts'
import { invalid } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { apiVersionOf, parseApiVersion, qualifiedResource } from '../../meta/gvk.ts'
import { decodedObject, isJsonObject, type Json, type JsonObject, type KubeObject } from '../../meta/object.ts'
import { pageNotFound } from '../../meta/plain-text-error.ts'
import { sameJson } from '../../meta/same-json.ts'
import { badRequestError, failure, internalServerError, invalidError, notFoundError } from '../../meta/status.ts'
import { applyKindDefaults } from '../../registry/decode-object.ts'
import { notRegistered, patchedClaim } from '../../registry/other-type.ts'
import { groupResourceOf } from '../../registry/types.ts'
import { DecodeError } from '../../schema/decode.ts'
import { checkTypeText } from '../../schema/json-schema/unstructured-form.ts'
import { initialEndAnnotations } from '../forms/meta-v1.ts'
import { apiVersionOfTarget, type BodyTarget, claimedVersion, nameOf, unrecognized, versionFault } from './body-type.ts'
import { APPLY_CBOR_PATCH, APPLY_PATCH, type Dialect, JSON_PATCH, MERGE_PATCH } from './dialect.ts'

/** Objects of custom kinds cannot be merged strategically. */
const PATCH_TYPES = [JSON_PATCH, MERGE_PATCH, APPLY_PATCH]
const WITH_CBOR = [...PATCH_TYPES, APPLY_CBOR_PATCH]

const VERB_ORDER = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']

/** Of a kind that a definition has added: untyped, and served past upstream's router. */
export const CUSTOM: Dialect = {
  /** Upstream names the object. */
  noSubresource: (served, name) => notFoundError(groupResourceOf(served), name),
  /** By the namespace that was authorized: that of `namespaces/x` is x, also where a custom kind is called namespaces. Nothing of the cluster is found in one. */
  checkPlace({ definition }, { verb, namespace }) {
    if (definition.scope === 'Namespaced' ? namespace === '' && verb !== 'list' && verb !== 'watch' : namespace !== '') throw pageNotFound()
  },
  notAllowed(served, verb) {
    const { group, resource } = groupResourceOf(served)
    const text = `${verb} is not supported on resources of kind ${JSON.stringify(qualifiedResource({ group, resource }))}`
    return failure(405, 'MethodNotAllowed', text, { group, kind: resource })
  },
  /** Upstream warns of a deprecated version before it looks what is asked of it. */
  refusalWarning: ({ deprecation }) => deprecation?.warning,
  /** It is the version that is deprecated, with all that it has. */
  deprecatesPart: () => true,

  routeAnswers: () => true,
  routeTakes: () => true,
  hasForm: format => format !== 'protobuf',

  checkClaim(_builtIns, target, claim, _value, body) {
    if (claim.kind === '') throw unrecognized(target.kind, `Object 'Kind' is missing in '${body.toString()}'`, body)
    return claimedVersion(target, claim, body)
  },
  impliedVersion: () => '',
  /** Upstream looks for words among its types of custom kinds, which know no Scale. */
  viewFault: ({ version, kind }, fault) =>
    fault.code === 400 ? badRequestError(`no kind is registered for the type ${version}.${kind} in scheme "pkg/runtime/scheme.go:110"`) : fault,
  strictKind: (_target, claim) => claim.kind,
  setType() {},
  checkDecoded(target, claimed, object) {
    const apiVersion = apiVersionOf(claimed)
    if (apiVersion !== apiVersionOfTarget(target)) throw badRequestError(versionFault(target, apiVersion))
    checkType(target, object)
  },

  patchTypes: cborIsOffered => ({ taken: cborIsOffered ? WITH_CBOR : PATCH_TYPES, listed: PATCH_TYPES }),
  /** An object that has no apiVersion fails with 500. */
  checkPatched(_target, patched, { shown }) {
    const { apiVersion, kind } = patchedClaim(patched)
    if (kind === '') throw new DecodeError(`Object 'Kind' is missing in '${shown()}'`)
    checkTypeText(patched, 'apiVersion')
    if (apiVersion === '') throw internalServerError("Object 'apiVersion' is missing in 'object has no apiVersion field'")
    return undefined
  },
  /** The schema judges them. */
  checkFloats() {},
  /** Upstream reads views of custom objects by types that have nothing else. */
  patchedTypeFault: (_builtIns, _target, claim) => new DecodeError(notRegistered(claim, 'pkg/runtime/scheme.go:110')),
  setPatchedType(target, { kind, apiVersion }, next, ofSubresource) {
    // A subresource keeps all but its own part.
    if (!ofSubresource) checkType(target, next)
    Object.assign(next, { kind, apiVersion })
  },

  /** Upstream's field manager of a custom kind cannot convert a Scale: an apply reports conflicts, adds a manager of values that stay as they are, and fails otherwise. */
  *applyView(target, config, view, merging) {
    checkConfigurationType(config, apiVersionOfTarget(target), target.kind)
    if (view.metadata.managedFields === undefined) throw scaleFailure('create manager for existing fields: failed to convert live object (/;')
    try {
      const merged = yield* merging
      if (sameJson(untracked(merged.wanted), untracked(view))) return merged
    } catch (error) {
      if (!(error instanceof ApplyError && error.code === 'undecodable')) throw error
    }
    throw scaleFailure(`convert new object (${nameOf(config)};`)
  },
  /**
   * The metadata alone is read, without what is malformed there: what else has come together is not pruned, and nulls are found by its validation. Where nothing changes, it gets no defaults
   * either: they may be those of another version than the stored one.
   */
  *decodeMerged(target, merged, live) {
    yield
    const { schema } = target
    const { metadata = {} } = schema.form.readStored(schema, { metadata: merged.metadata ?? {} })
    const object = decodedObject({ ...clone(merged), metadata: Object.assign(emptyMembers(merged.metadata), metadata) })
    return live && sameJson(merged, untracked(live)) ? object : applyKindDefaults(target, object)
  },
  mergeFault: (_target, _config, _merged, why) => why,

  /** As Go writes a map. */
  listEnvelope: (version, meta) => ({
    start: `{"apiVersion":"${apiVersionOfVersion(version)}","items":[`,
    end: `],"kind":"${listKindOf(version)}","metadata":${goJson({ continue: '', ...meta })}}\n`,
  }),
  bookmark(version, resourceVersion, initialEnd) {
    const annotations = initialEnd ? { annotations: initialEndAnnotations(blueprint(version)) } : {}
    return goJson({ kind: version.kind, apiVersion: apiVersionOfVersion(version), metadata: { resourceVersion, ...annotations } })
  },
  goType: (_version, suffix) => `unstructured.Unstructured${suffix}`,

  /** Each document of a group would list all others. */
  kindsBeside: [],
  discoveredVerbs: verbs => VERB_ORDER.filter(verb => verbs.includes(verb)),
  /** Status comes before scale. */
  discoveredSubresources: subresources => [...subresources],
}

/** Maps and lists of applied metadata that are empty. Null is as good as empty. */
function emptyMembers(metadata: Json | undefined): JsonObject {
  if (!isJsonObject(metadata)) return {}
  const empty: JsonObject = {}
  for (const [name, none] of Object.entries(EMPTY)) {
    const value = metadata[name]
    if (value !== undefined && (value === null || Object.keys(value).length === 0)) empty[name] = structuredClone(none)
  }
  return empty
}

const EMPTY = { annotations: {}, finalizers: [], generateName: '', labels: {}, ownerReferences: [] }

const blueprint = (version: Version): Buffer =>
  Buffer.from(
    `${goJson({ apiVersion: apiVersionOfVersion(version), items: [], kind: listKindOf(version), metadata: { continue: '', resourceVersion: '' } })}\n`,
  )

/** An object of a custom kind may have been read as one of another: throws 422 then, under the name of that kind. */
function checkType(target: BodyTarget, { kind, apiVersion, metadata }: KubeObject): void {
  const expected = apiVersionOfTarget(target)
  const errors = [
    ...(kind === target.kind ? [] : [invalid(fieldPath('kind'), kind, `must be ${target.kind}`)]),
    ...(apiVersion === expected ? [] : [invalid(fieldPath('apiVersion'), apiVersion, `must be ${expected}`)]),
  ]
  if (errors.length > 0) throw invalidError({ group: parseApiVersion(apiVersion)?.group ?? '', kind }, metadata.name ?? '', errors)
}

const scaleFailure = (what: string) =>
  failure(500, '', `failed to ${what} autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`)
