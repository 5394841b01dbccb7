import type { ServedResource } from '../../catalog/catalog.ts'
import type { Subresource, Version } from '../../catalog/definition.ts'
import type { Format } from '../../codec/negotiate.ts'
import type { Steps } from '../../lib/steps.ts'
import type { ResourceRequestInfo } from '../../meta/context.ts'
import type { GroupVersion } from '../../meta/gvk.ts'
import type { Json, JsonObject, KubeObject, ListMeta } from '../../meta/object.ts'
import type { StatusError } from '../../meta/status.ts'
import type { BuiltIns } from '../../registry/other-type.ts'
import type { DecodeError } from '../../schema/decode.ts'
import type { BodyTarget, Claim } from './body-type.ts'

/**
 * How upstream serves a kind: built-in kinds by its router and typed (`BUILT_IN`), custom ones past the router and as untyped JSON (`CUSTOM`). The two take and refuse the same requests in
 * other places, and in other words.
 */
export interface Dialect extends PathDialect, MediaDialect, BodyDialect, PatchDialect, ApplyDialect, AnswerDialect, DiscoveryDialect {}

interface PathDialect {
  /** Why there is no such subresource. */
  noSubresource(served: ServedResource, name: string): StatusError
  /** Throws where the path does not fit the scope of the kind. */
  checkPlace(served: ServedResource, info: ResourceRequestInfo): void
  /** Why the verb can't be done. */
  notAllowed(served: ServedResource, verb: string): StatusError
  /** What a request is warned of that is refused by its path. */
  refusalWarning(served: ServedResource): string | undefined
  /** Whether the deprecation of a version is that of the part, too; undefined: of the resource itself. */
  deprecatesPart(subresource: Subresource | undefined): boolean
}

/** Upstream's router looks for a route by media types before anything else, and knows no custom kinds. */
interface MediaDialect {
  /** Whether a route answers in one of the types. */
  routeAnswers(accept: string | undefined, types: readonly string[]): boolean
  /** Whether a route takes a body of one of the types that Content-Type lists. */
  routeTakes(contentType: string | undefined, types: readonly string[]): boolean
  /** Whether objects have a form in the format. */
  hasForm(format: Format): boolean
}

interface BodyDialect {
  /** Checks the type that a body claims before the body is decoded; returns the version. Throws 400. */
  checkClaim(builtIns: BuiltIns, target: BodyTarget, claim: Claim, value: Json, body: Buffer): GroupVersion
  /** The apiVersion of a body that names none. */
  impliedVersion(target: BodyTarget): string
  /** What upstream makes of a body that can't be read as a view (scale) of the kind. */
  viewFault(target: BodyTarget, fault: StatusError): StatusError
  /** The kind that strict decoding names. */
  strictKind(target: BodyTarget, claim: Claim): string
  /** Gives a decoded body its type, where it is not the one that it claims. */
  setType(target: BodyTarget, object: KubeObject): void
  /** Checks what was decoded. Throws 400 and 422. */
  checkDecoded(target: BodyTarget, claimed: GroupVersion, object: KubeObject): void
}

export interface PatchTypes {
  readonly taken: readonly string[]
  /** What a 415 lists. */
  readonly listed: readonly string[]
}

/** What there is to know of an object that was patched. */
interface PatchedKind {
  readonly builtIns: BuiltIns
  /** Those in which it could be read, by their apiVersions. */
  readonly versions: ReadonlyMap<string, Version>
  /** The dialect of the resource: of a view, that of its parent. */
  readonly parent: PatchDialect
  /** Its JSON, for an error. */
  shown(): string
}

interface PatchDialect {
  /** Media types of patches. `cborIsOffered`: the server reads CBOR. */
  patchTypes(cborIsOffered: boolean): PatchTypes
  /**
   * Checks the type that a JSON or merge patch has left in an object, as upstream's decoder does, and returns the version to read it in where that is another one of `versions`. Throws a
   * DecodeError, and 500.
   */
  checkPatched(target: BodyTarget, patched: Json, about: PatchedKind): Version | undefined
  /** Throws a DecodeError where a JSON or merge patch has left a float (`1.0`) in a field that holds integers. */
  checkFloats(target: Pick<Version, 'schema'>, patched: Json): void
  /** Why a patch may not leave another type in an object of the dialect, or in a view of one. `patched` says that it is a `claim`. Throws what it fails with as such. */
  patchedTypeFault(builtIns: BuiltIns, target: BodyTarget, claim: Claim, patched: Json): DecodeError
  /** Gives a patched object the type that it is to have: a patch says nothing of it, but where upstream looks. */
  setPatchedType(target: BodyTarget, current: KubeObject, next: KubeObject, ofSubresource: boolean): void
}

interface ApplyDialect {
  /** Applies a configuration to a view (scale) of an object of this kind: what `merging` returns, or what upstream fails with. Throws ApplyErrors, too. */
  applyView<T extends { readonly wanted: KubeObject }>(target: BodyTarget, config: JsonObject, view: KubeObject, merging: Steps<T>): Steps<T>
  /** Decodes the live object with a configuration laid over it. Throws a DecodeError. */
  decodeMerged(target: BodyTarget, merged: JsonObject, live: KubeObject | undefined): Steps<KubeObject>
  /** How upstream says why that fails. */
  mergeFault(target: BodyTarget, config: JsonObject, merged: JsonObject, why: string): string
}

/** What stands around the items of a list. */
export interface ListEnvelope {
  readonly start: string
  readonly end: string
}

interface AnswerDialect {
  /** Of a list as JSON. */
  listEnvelope(version: Version, meta: ListMeta): ListEnvelope
  /** The JSON of a bookmark's object. `initialEnd`: it ends the initial events, and shows what a list would have looked like. */
  bookmark(version: Version, resourceVersion: string, initialEnd: boolean): string
  /** Go's name of the type, as errors print it. */
  goType(version: Version, suffix: '' | 'List'): string
}

/** What discovery lists, in upstream's order, and OpenAPI. */
interface DiscoveryDialect {
  /** Kinds of meta/v1 that OpenAPI lists beside one of these, in its group version. */
  readonly kindsBeside: readonly string[]
  discoveredVerbs(verbs: readonly string[]): string[]
  discoveredSubresources<T extends { readonly name: string }>(subresources: readonly T[]): T[]
}

export const JSON_PATCH = 'application/json-patch+json'
export const MERGE_PATCH = 'application/merge-patch+json'
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json'
export const APPLY_PATCH = 'application/apply-patch+yaml'
/** Served where CBOR is. */
export const APPLY_CBOR_PATCH = 'application/apply-patch+cbor'
