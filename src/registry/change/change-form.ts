import { checkConfigurationType } from '../../apply/apply.ts'
import { ApplyError } from '../../apply/apply-error.ts'
import { untracked } from '../../apply/ownership.ts'
import type { Version } from '../../catalog/definition.ts'
import type { Steps } from '../../lib/steps.ts'
import { clone } from '../../meta/equal.ts'
import { invalid } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { parseApiVersion } from '../../meta/gvk.ts'
import { decodedObject, isJsonObject, type Json, type JsonObject, type KubeObject } from '../../meta/object.ts'
import { sameJson } from '../../meta/same-json.ts'
import { failure, internalServerError, invalidError } from '../../meta/status.ts'
import { wholeFloats } from '../../meta/whole-floats.ts'
import { conversionText } from '../../schema/conversion-fault.ts'
import { DecodeError } from '../../schema/decode.ts'
import { diagnose } from '../../schema/diagnose.ts'
import { checkTypeText } from '../../schema/json-schema/unstructured-form.ts'
import type { FormName, StructSchema } from '../../schema/schema.ts'
import { applyKindDefaults } from '../decode-object.ts'
import { type BuiltIns, notRegistered, otherTypeFault, patchedClaim, readAsClaimed, type TypeClaim } from '../other-type.ts'
import { apiVersionOfTarget, type BodyTarget, nameOf, versionFault } from './body-target.ts'
import { decodeConverted } from './decode-converted.ts'

/** Context of a patched object. */
interface PatchedKind {
  readonly builtIns: BuiltIns
  /** Versions in which the object can be decoded, by apiVersion. */
  readonly versions: ReadonlyMap<string, Version>
  /** Form of the resource. For a view, that of its parent. */
  readonly parent: ChangeForm
  /** Returns the object's JSON, for an error. */
  shown(): string
}

/** Steps of patches and applies that differ between typed (built-in) and unstructured (custom) objects. */
export interface ChangeForm {
  /**
   * Checks the type of an object after a JSON or merge patch, as upstream's decoder does. Returns the version to decode it in if that is another one of `versions`. Throws a DecodeError, or a
   * StatusError with 500.
   */
  checkPatched(target: BodyTarget, patched: Json, about: PatchedKind): Version | undefined
  /** Throws a DecodeError if a JSON or merge patch has put a float (`1.0`) into an integer field. */
  checkFloats(target: Pick<Version, 'schema'>, patched: Json): void
  /** Returns the error of a patch that changes the type of an object of the form, or of a view of one, to `claim`. Throws a failure that upstream reports differently. */
  patchedTypeFault(builtIns: BuiltIns, target: BodyTarget, claim: TypeClaim, patched: Json): DecodeError
  /** Restores the type of a patched object, which a patch cannot change. Throws if upstream checks it. */
  setPatchedType(target: BodyTarget, current: KubeObject, next: KubeObject, ofSubresource: boolean): void
  /** Applies a configuration to a view (scale) of an object of this kind: returns the result of `merging`, or fails as upstream does. Throws ApplyErrors as well. */
  applyView<T extends { readonly wanted: KubeObject }>(target: BodyTarget, config: JsonObject, view: KubeObject, merging: Steps<T>): Steps<T>
  /** Decodes the live object merged with a configuration. Throws a DecodeError. */
  decodeMerged(target: BodyTarget, merged: JsonObject, live: KubeObject | undefined): Steps<KubeObject>
  /** Returns upstream's message of such a DecodeError. */
  mergeFault(target: BodyTarget, config: JsonObject, merged: JsonObject, why: string): string
}

const FORMS: Readonly<Record<FormName, ChangeForm>> = {
  typed: {
    /** An object without a type is treated as one of the target's. */
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
    /** The converter runs before the decoder, so its messages are used. */
    mergeFault(target, config, merged, why) {
      const kind = `${target.group}/${target.version}, Kind=${target.kind}`
      const fault = conversionText(target.schema, merged, why)
      return `failed to convert new object (${nameOf(config)}; ${kind}) to proper version: unable to convert unstructured object to ${kind}: ${fault}`
    },
  },
  unstructured: {
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
      if (!ofSubresource) checkUnstructuredType(target, next)
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
  },
}

/** Returns the behaviour for the form of a schema. */
export const changeFormOf = ({ form }: StructSchema): ChangeForm => FORMS[form.name]

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

/** Throws 422 if the object claims another kind or apiVersion. The error names that kind. */
export function checkUnstructuredType(target: BodyTarget, { kind, apiVersion, metadata }: KubeObject): void {
  const expected = apiVersionOfTarget(target)
  const errors = [
    ...(kind === target.kind ? [] : [invalid(fieldPath('kind'), kind, `must be ${target.kind}`)]),
    ...(apiVersion === expected ? [] : [invalid(fieldPath('apiVersion'), apiVersion, `must be ${expected}`)]),
  ]
  if (errors.length > 0) throw invalidError({ group: parseApiVersion(apiVersion)?.group ?? '', kind }, metadata.name ?? '', errors)
}

const scaleFailure = (what: string) =>
  failure(500, '', `failed to ${what} autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`)
