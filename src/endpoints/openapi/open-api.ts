import type { JsonObject } from '../../api/meta/object.ts'
import type { GroupVersionKind } from '../../api/meta/v1.types.ts'
import type { CatalogSnapshot } from '../../catalog/catalog.ts'
import { rawJsonInSteps } from '../../codec/json-in-steps.ts'
import type { Steps } from '../../lib/steps.ts'
import { MANY_MEMBERS } from '../../lib/wide-objects.ts'
import { DEFAULT_RELEASE, isSince, type Release } from '../../lifecycle/release.ts'
import { hasFewValues } from '../../meta/few-values.ts'
import { Descriptions } from '../../schema/openapi/descriptions.ts'
import {
  builtInFrame,
  CUSTOM_FRAME,
  openApiV3,
  SWAGGER_PARTS,
  type SwaggerMember,
  swaggerHead,
  swaggerMembers,
  swaggerTail,
} from './documents.ts'
import { encodeSwagger } from './gnostic.ts'
import { encodeOpenApi } from './gnostic-v3.ts'
import { kindsByDefinition, TypeResolver } from './kinds.ts'
import { type ForeignSwagger, mergedMembers } from './merge.ts'
import type { Operation } from './operation.ts'
import { documentOperations, isDiscovered } from './operations.ts'

/** A document while it is made: pieces of its bytes, and undefined where other work may run. */
export type DocumentPieces = Generator<Buffer | undefined, void>

/** Makes the OpenAPI documents of one state of the catalog. Each call makes its document anew. */
export interface OpenApi {
  v2(): DocumentPieces
  /** Returns the document in gnostic's protobuf form. */
  v2Proto(): DocumentPieces
  /** Paths of the documents of `/openapi/v3`: `api/v1`, `apis/apps/v1`. */
  paths(): Iterable<string>
  has(path: string): boolean
  /**
   * Returns the definitions that the document of a path depends on. If they are the same, the document is the same,
   * whatever else is served. Built-in types are not among them.
   */
  partsOf(path: string): readonly object[]
  /** Returns the document of an existing path. */
  v3(path: string): DocumentPieces
  /** Returns the document in gnostic's protobuf form. */
  v3Proto(path: string): DocumentPieces
}

/** Returns the descriptions of a group's types. Empty if there are none. */
export type ReadDescriptions = (group: string) => string

/** Reads no descriptions. Tests use it. */
export const nothingSaid: ReadDescriptions = () => ''

/** Returns the version in the documents: since 1.31 the release, before that the server's version. */
const documentVersion = (release: Release): string => (isSince(release, '1.31') ? release : `v${release}.0`)

/**
 * `foreign`: documents of aggregated servers, which are merged into v2. Only intermediate results for the next document
 * are cached; `DocumentCache` caches the documents.
 */
export function createOpenApi(snapshot: CatalogSnapshot, readDescriptions = nothingSaid, foreign: readonly ForeignSwagger[] = []): OpenApi {
  const version = documentVersion(snapshot.release ?? DEFAULT_RELEASE)
  const descriptions = descriptionsWhileUsed(readDescriptions)
  // Cached for further documents. The operations themselves are made by each call.
  let operations: Map<string, () => Operation[]> | undefined
  let kinds: Map<string, GroupVersionKind[]> | undefined
  const documents = (): Map<string, () => Operation[]> => {
    operations ??= documentOperations(snapshot, descriptions)
    return operations
  }
  const resourcesOf = (path: string) => snapshot.resourcesOf(path.replace(/^(?:apis|api)\//, ''))
  const v3 = (path: string): Steps<JsonObject> => {
    kinds ??= kindsByDefinition(snapshot)
    const resources = resourcesOf(path)
    const frame = resources.length === 0 || isDiscovered(resources) ? builtInFrame(version) : CUSTOM_FRAME
    return openApiV3(documents().get(path)?.() ?? [], new TypeResolver(3, kinds, snapshot.release, descriptions()), frame)
  }
  const members = () => mergedMembers(() => swaggerMembers(snapshot, descriptions()), foreign)
  return {
    v2: () => swaggerText(swaggerHead(version), members(), swaggerTail),
    v2Proto: () => encodeSwagger(swaggerHead(version), members(), swaggerTail),
    paths: () => documents().keys(),
    has: path => documents().has(path),
    partsOf: path => resourcesOf(path).map(({ definition }) => definition),
    *v3(path) {
      const document = yield* v3(path)
      yield
      for (const part of yield* jsonParts(document)) yield Buffer.from(part)
    },
    *v3Proto(path) {
      const document = yield* v3(path)
      yield
      yield* yield* encodeOpenApi(document)
    },
  }
}

/**
 * Returns the descriptions. They are parsed once for documents that are made together, and again after they have been
 * collected.
 */
function descriptionsWhileUsed(read: ReadDescriptions): () => Descriptions {
  let current: WeakRef<Descriptions> | undefined
  return () => {
    const known = current?.deref() ?? new Descriptions(read)
    current = new WeakRef(known)
    return known
  }
}

/** Writes a value as JSON: at once if it has few values, which takes a quarter of the time. */
function* jsonParts(value: JsonObject): Steps<string[]> {
  return hasFewValues(value, MANY_MEMBERS - 1) ? [JSON.stringify(value)] : yield* rawJsonInSteps(value)
}

/** Returns a Swagger document in JSON. */
function* swaggerText(head: JsonObject, members: Iterable<SwaggerMember | undefined>, tail: JsonObject): DocumentPieces {
  yield Buffer.from(JSON.stringify(head).slice(0, -1))
  let open = -1
  /** Ends the current part, and begins the parts up to this one. */
  const begin = (part: number): string => {
    let text = ''
    for (; open < part; open++) text += `${open < 0 ? ',' : '},'}"${SWAGGER_PARTS[open + 1]}":{`
    return text
  }
  for (const member of members) {
    if (member === undefined) yield
    else {
      const before = begin(SWAGGER_PARTS.indexOf(member.part)) || ','
      yield Buffer.from(`${before}${JSON.stringify(member.name)}:`)
      for (const part of yield* jsonParts(member.value)) yield Buffer.from(part)
    }
  }
  yield Buffer.from(`${begin(SWAGGER_PARTS.length - 1)}},${JSON.stringify(tail).slice(1)}`)
}
