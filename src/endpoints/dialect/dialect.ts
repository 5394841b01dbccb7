import type { Json, KubeObject, ListMeta } from '../../api/meta/object.ts'
import type { GroupVersion } from '../../api/meta/v1.types.ts'
import type { ServedResource } from '../../catalog/catalog.ts'
import type { Subresource, Version } from '../../catalog/definition.ts'
import type { Format } from '../../codec/accept-header.ts'
import type { Release } from '../../lifecycle/release.ts'
import type { ResourceRequestInfo } from '../../meta/context.ts'
import type { StatusError } from '../../meta/status.ts'
import type { BodyTarget } from '../../registry/change/body-target.ts'
import type { BuiltIns, TypeClaim } from '../../registry/other-type.ts'

/**
 * How upstream serves a kind: built-in kinds through its router and with Go types (`BUILT_IN`), custom resources
 * outside the router and as untyped JSON (`CUSTOM`). Both accept the same requests, but check them in a different order
 * and with different messages.
 */
export interface Dialect extends PathDialect, MediaDialect, BodyDialect, PatchDialect, ResponseDialect, DiscoveryDialect {}

/** Routing by path. Upstream's router knows built-in kinds only. */
interface PathDialect {
  /**
   * Returns the subresource of a path, undefined for the resource itself. Throws 404, 405 and 400 if the path has no
   * route for the verb, and a PlainTextError if upstream passes the request on to a handler that does not respond with
   * a Status.
   */
  route(served: ServedResource, info: ResourceRequestInfo): Subresource | undefined
  /** Whether the resource or subresource supports the verb of the request. */
  hasRoute(served: ServedResource, info: ResourceRequestInfo): boolean
  /** Returns the warning that is sent with a refusal by path. */
  refusalWarning(served: ServedResource): string | undefined
  /**
   * Whether the deprecation of a version applies to a subresource as well. `subresource` is undefined for the resource
   * itself.
   */
  deprecatesPart(subresource: Subresource | undefined): boolean
}

/** Routing by media type. Upstream's router does so before anything else, and does not know custom resources. */
interface MediaDialect {
  /** Whether a route produces one of the types. */
  routeAnswers(accept: string | undefined, types: readonly string[]): boolean
  /** Whether a route consumes one of the types that Content-Type lists. */
  routeTakes(contentType: string | undefined, types: readonly string[]): boolean
  /** Returns the error of a patch of another type: that of the router or that of the handler. */
  patchRefusal(ofRouter: () => StatusError, ofHandler: () => StatusError): StatusError
  /** Whether objects can be encoded in the format. */
  hasForm(format: Format): boolean
}

/** A body as text and as the parsed value. */
interface ParsedText {
  readonly body: Buffer
  /** Parsed body. Large integers are bigints. */
  readonly value: Json
  /** Returns the body as JSON. Omitted if fields are validated. */
  readonly lenient?: () => string
}

/** Checks of bodies, and the types that errors name. */
interface BodyDialect {
  /** Checks the type that a body claims, before it is decoded. Returns the version. Throws 400. */
  checkClaim(builtIns: BuiltIns, target: BodyTarget, claim: TypeClaim, body: ParsedText): GroupVersion
  /** The apiVersion of a body without one. */
  impliedVersion(target: BodyTarget): string
  /** Converts the error of a body that cannot be decoded as a view (scale) of the kind. */
  viewFault(target: BodyTarget, fault: StatusError): StatusError
  /** Returns the kind that a strict decoding error names. */
  strictKind(target: BodyTarget, claim: TypeClaim): string
  /** Sets the type of a decoded body if it may differ from the claimed one. */
  setType(target: BodyTarget, object: KubeObject): void
  /** Checks the decoded object. Throws 400 and 422. */
  checkDecoded(target: BodyTarget, claimed: GroupVersion, object: KubeObject): void
}

/** Patch types of a kind. */
export interface PatchTypes {
  readonly taken: readonly string[]
  /** Types that a 415 lists. */
  readonly listed: readonly string[]
}

interface PatchDialect {
  /** Media types of patches. `cborIsOffered`: whether the server accepts CBOR. */
  patchTypes(cborIsOffered: boolean): PatchTypes
}

/** JSON before and after the items of a list. */
export interface ListEnvelope {
  /** JSON up to the opening bracket of the items. */
  readonly start: string
  /** JSON after the last item. */
  readonly end: string
}

/** Forms of responses and errors. */
interface ResponseDialect {
  /** Returns the envelope of a list in JSON. */
  listEnvelope(version: Version, meta: ListMeta): ListEnvelope
  /** Returns the JSON of a bookmark's object. `initialEnd`: it ends the initial events. */
  bookmark(version: Version, resourceVersion: string, initialEnd: boolean, release: Release | undefined): string
  /** Returns Go's name of the type, for errors. */
  goType(version: Version, suffix: '' | 'List'): string
  /**
   * Returns the error of a single object that is requested as the metadata of a list. `view`: its type if it is that of
   * a subresource.
   */
  noListError(version: Version, view: BodyTarget | undefined): StatusError
}

/** Contents of discovery and OpenAPI, in upstream's order. */
interface DiscoveryDialect {
  /** Kinds of meta/v1 that OpenAPI lists in the group version of a kind. */
  readonly kindsBeside: readonly string[]
  /** Returns the verbs in the order of discovery. */
  discoveredVerbs(verbs: readonly string[]): string[]
  /** Returns the subresources in the order of discovery. */
  discoveredSubresources<T extends { readonly name: string }>(subresources: readonly T[]): T[]
}
