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

/** Custom resources do not support strategic merge patches. */
const PATCH_TYPES = [JSON_PATCH, MERGE_PATCH, APPLY_PATCH]
const WITH_CBOR = [...PATCH_TYPES, APPLY_CBOR_PATCH]

const VERB_ORDER = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']

/** Kinds of custom resource definitions: untyped, and served outside upstream's router. */
export const CUSTOM: Dialect = {
  /** The error names the object. */
  noSubresource: (served, name) => notFoundError(groupResourceOf(served), name),
  /** Checked against the authorized namespace, which is x for `namespaces/x`, even for a custom resource that is called namespaces. Cluster-scoped resources are not found in a namespace. */
  checkPlace({ definition }, { verb, namespace }) {
    if (definition.scope === 'Namespaced' ? namespace === '' && verb !== 'list' && verb !== 'watch' : namespace !== '') throw pageNotFound()
  },
  notAllowed(served, verb) {
    const { group, resource } = groupResourceOf(served)
    const text = `${verb} is not supported on resources of kind ${JSON.stringify(qualifiedResource({ group, resource }))}`
    return failure(405, 'MethodNotAllowed', text, { group, kind: resource })
  },
  /** Upstream warns of a deprecated version before it checks the request. */
  refusalWarning: ({ deprecation }) => deprecation?.warning,
  /** The whole version is deprecated, with its subresources. */
  deprecatesPart: () => true,

  routeAnswers: () => true,
  routeTakes: () => true,
  hasForm: format => format !== 'protobuf',

  checkClaim(_builtIns, target, claim, _value, body) {
    if (claim.kind === '') throw unrecognized(target.kind, `Object 'Kind' is missing in '${body.toString()}'`, body)
    return claimedVersion(target, claim, body)
  },
  impliedVersion: () => '',
  /** Upstream looks up the type in its scheme of custom resources, which lacks Scale. */
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
  /** An object without an apiVersion is an internal error. */
  checkPatched(_target, patched, { shown }) {
    const { apiVersion, kind } = patchedClaim(patched)
    if (kind === '') throw new DecodeError(`Object 'Kind' is missing in '${shown()}'`)
    checkTypeText(patched, 'apiVersion')
    if (apiVersion === '') throw internalServerError("Object 'apiVersion' is missing in 'object has no apiVersion field'")
    return undefined
  },
  /** The schema validates floats. */
  checkFloats() {},
  /** Upstream decodes views of custom resources with a scheme that has no other types. */
  patchedTypeFault: (_builtIns, _target, claim) => new DecodeError(notRegistered(claim, 'pkg/runtime/scheme.go:110')),
  setPatchedType(target, { kind, apiVersion }, next, ofSubresource) {
    // A write of a subresource ignores everything else.
    if (!ofSubresource) checkType(target, next)
    Object.assign(next, { kind, apiVersion })
  },

  /** Upstream's field manager of a custom resource cannot convert a Scale. An apply reports conflicts, adds a manager of values that do not change, and fails otherwise. */
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
   * Decodes only the metadata, and drops malformed members of it. The rest is not pruned, and its nulls are reported by validation. An unchanged object gets no defaults either, because those of the requested
   * version may differ from those of the stored version.
   */
  *decodeMerged(target, merged, live) {
    yield
    const { schema } = target
    const { metadata = {} } = schema.form.readStored(schema, { metadata: merged.metadata ?? {} })
    const object = decodedObject({ ...clone(merged), metadata: Object.assign(emptyMembers(merged.metadata), metadata) })
    return live && sameJson(merged, untracked(live)) ? object : applyKindDefaults(target, object)
  },
  mergeFault: (_target, _config, _merged, why) => why,

  /** Members in the order of a Go map. */
  listEnvelope: (version, meta) => ({
    start: `{"apiVersion":"${apiVersionOfVersion(version)}","items":[`,
    end: `],"kind":"${listKindOf(version)}","metadata":${goJson({ continue: '', ...meta })}}\n`,
  }),
  bookmark(version, resourceVersion, initialEnd) {
    const annotations = initialEnd ? { annotations: initialEndAnnotations(blueprint(version)) } : {}
    return goJson({ kind: version.kind, apiVersion: apiVersionOfVersion(version), metadata: { resourceVersion, ...annotations } })
  },
  goType: (_version, suffix) => `unstructured.Unstructured${suffix}`,

  /** Empty. Otherwise the document of each group would list all other groups. */
  kindsBeside: [],
  discoveredVerbs: verbs => VERB_ORDER.filter(verb => verbs.includes(verb)),
  /** Status before scale. */
  discoveredSubresources: subresources => [...subresources],
}

/** Returns the maps and lists of applied metadata that are empty or null. */
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

/** Throws 422 if the object claims another kind or apiVersion. The error names that kind. */
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
