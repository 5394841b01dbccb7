import { decodedObject, isJsonObject, type Json, type JsonObject, type KubeObject } from '../../api/meta/object.ts'
import { checkConfigurationType } from '../../apply/apply.ts'
import { ApplyError } from '../../apply/apply-error.ts'
import { untracked } from '../../apply/ownership.ts'
import type { Version } from '../../catalog/definition.ts'
import { runAtOnce, type Steps } from '../../lib/steps.ts'
import { sameJson, sameJsonInSteps } from '../../meta/same-json.ts'
import { failure } from '../../meta/status.ts'
import { cloneInSteps, wholeFloats } from '../../meta/whole-floats.ts'
import { conversionText } from '../../schema/conversion-fault.ts'
import { DecodeError } from '../../schema/decode.ts'
import { diagnose } from '../../schema/diagnose.ts'
import { checkTypeText } from '../../schema/json-schema/unstructured-form.ts'
import type { FormName, StructSchema } from '../../schema/schema.ts'
import { applyDefaultsInSteps } from '../decode-object.ts'
import {
  type BuiltIns,
  internalTypeFault,
  notRegistered,
  otherTypeFault,
  patchedClaim,
  readAsClaimed,
  type TypeClaim,
} from '../other-type.ts'
import { apiVersionOfTarget, type BodyTarget, namespacedName, versionFault } from './body-target.ts'
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
   * Checks the type of an object after a JSON or merge patch, as upstream's decoder does. Returns the version to decode
   * it in if that is another one of `versions`. Throws a DecodeError, or a StatusError with 500.
   */
  checkPatched(target: BodyTarget, patched: Json, about: PatchedKind): Version | undefined
  /** Throws a DecodeError if a JSON or merge patch has put a float (`1.0`) into an integer field. */
  checkFloats(target: Pick<Version, 'schema'>, patched: Json): void
  /**
   * Returns the error of a patch that changes the type of an object of the form, or of a view of one, to `claim`.
   * Throws a failure that upstream reports differently.
   */
  patchedTypeFault(builtIns: BuiltIns, target: BodyTarget, claim: TypeClaim, patched: Json): DecodeError
  /** Restores the type of a patched object, unless the strategy does. */
  setPatchedType(target: BodyTarget, next: KubeObject): void
  /**
   * Applies a configuration to a view (scale) of an object of this kind: returns the result of `merging`, or fails as
   * upstream does. Throws ApplyErrors as well.
   */
  applyView<T extends { readonly wanted: KubeObject }>(
    target: BodyTarget,
    config: JsonObject,
    view: KubeObject,
    merging: Steps<T>,
  ): Steps<T>
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
      throw parent.patchedTypeFault(builtIns, target, { apiVersion: claimed.apiVersion, kind }, patched)
    },
    /** A kind without an apiVersion is looked up among the internal types of the target's group. */
    patchedTypeFault(builtIns, target, { apiVersion, kind }, patched) {
      readAsClaimed(builtIns, apiVersion || apiVersionOfTarget(target), kind, patched)
      const fault = apiVersion === '' ? internalTypeFault(builtIns, target, kind) : otherTypeFault(builtIns, target, apiVersion, kind)
      return new DecodeError(kind === target.kind && fault.isKnown ? versionFault(target, apiVersion) : fault.text)
    },
    checkFloats({ schema }, patched) {
      diagnose(schema, patched, { literals: wholeFloats })
    },
    setPatchedType(target, next) {
      Object.assign(next, { kind: target.kind, apiVersion: apiVersionOfTarget(target) })
    },

    applyView: (_target, _config, _view, merging) => merging,
    decodeMerged: (target, merged) => decodeConverted(target, merged),
    /** The converter runs before the decoder, so its messages are used. */
    mergeFault(target, config, merged, why) {
      const kind = `${target.group}/${target.version}, Kind=${target.kind}`
      const fault = conversionText(target.schema, merged, why)
      return `failed to convert new object (${namespacedName(config)}; ${kind}) to proper version: unable to convert unstructured object to ${kind}: ${fault}`
    },
  },
  unstructured: {
    checkPatched(_target, patched, { shown }) {
      const { kind } = patchedClaim(patched)
      if (kind === '') throw new DecodeError(`Object 'Kind' is missing in '${shown()}'`)
      checkTypeText(patched, 'apiVersion')
      return undefined
    },
    /** The schema validates floats. */
    checkFloats() {},
    /** Upstream decodes views of custom resources with a scheme that has no other types. */
    patchedTypeFault: (_builtIns, _target, claim) => new DecodeError(notRegistered(claim, 'pkg/runtime/scheme.go:110')),
    /** The type is validated with the object. The strategy of a subresource restores it. */
    setPatchedType(_target, next) {
      next.apiVersion ??= ''
    },

    /**
     * Upstream's field manager of a custom resource cannot convert a Scale. An apply reports conflicts, adds a manager
     * of values that do not change, and fails otherwise.
     */
    *applyView(target, config, view, merging) {
      checkConfigurationType(config, apiVersionOfTarget(target), target.kind)
      if (view.metadata.managedFields === undefined)
        throw scaleFailure('create manager for existing fields: failed to convert live object (/;')
      try {
        const merged = yield* merging
        if (sameJson(untracked(merged.wanted), untracked(view))) return merged
      } catch (error) {
        if (!(error instanceof ApplyError && error.code === 'undecodable')) throw error
      }
      throw scaleFailure(`convert new object (${namespacedName(config)};`)
    },
    /**
     * Decodes only the metadata, and drops malformed members of it. The rest is not pruned, and its nulls are reported
     * by validation. An unchanged object gets no defaults either, because those of the requested version may differ
     * from those of the stored version.
     */
    *decodeMerged(target, merged, live) {
      yield
      const { schema } = target
      const { metadata = {} } = runAtOnce(schema.form.readStored(schema, { metadata: merged.metadata ?? {} }))
      const object = decodedObject({ ...(yield* cloneInSteps(merged)), metadata: Object.assign(emptyMembers(merged.metadata), metadata) })
      return live && (yield* sameJsonInSteps(merged, untracked(live))) ? object : yield* applyDefaultsInSteps(target, object)
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

const scaleFailure = (what: string) =>
  failure(
    500,
    '',
    `failed to ${what} autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
  )
