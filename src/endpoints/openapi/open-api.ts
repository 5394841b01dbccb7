import type { CatalogSnapshot } from '../../catalog/catalog.ts'
import { DEFAULT_RELEASE, isSince, type Release } from '../../lifecycle/release.ts'
import type { GroupVersionKind } from '../../meta/gvk.ts'
import type { JsonObject } from '../../meta/object.ts'
import { Descriptions } from '../../schema/openapi/descriptions.ts'
import { builtInFrame, CUSTOM_FRAME, openApiV3, SWAGGER_PARTS, type SwaggerMember, swaggerHead, swaggerMembers, swaggerTail } from './documents.ts'
import { encodeSwagger } from './gnostic.ts'
import { encodeOpenApi } from './gnostic-v3.ts'
import { kindsByDefinition, TypeResolver } from './kinds.ts'
import { type ForeignSwagger, mergedMembers } from './merge.ts'
import type { Operation } from './operation.ts'
import { documentOperations, isDiscovered } from './operations.ts'

/** A document while it is made: its bytes in pieces, and undefined wherever others may have their turn. */
export type DocumentPieces = Generator<Buffer | undefined, void>

/** Makes the OpenAPI documents of one state of the catalog, each as often as it is asked for. */
export interface OpenApi {
  v2(): DocumentPieces
  /** The same as gnostic's protobuf. */
  v2Proto(): DocumentPieces
  /** Paths of the documents of `/openapi/v3`: `api/v1`, `apis/apps/v1`. */
  paths(): Iterable<string>
  has(path: string): boolean
  /** What the document of a path is made of. It is the same where these are, whatever else is served: definitions may come and go, but for those that are built in. */
  partsOf(path: string): readonly object[]
  /** Of a path that there is. */
  v3(path: string): DocumentPieces
  /** The same as gnostic's protobuf. */
  v3Proto(path: string): DocumentPieces
}

/** The text that describes the types of a group; empty where there is none. */
export type ReadDescriptions = (group: string) => string

/** For servers without descriptions, in tests. */
export const nothingSaid: ReadDescriptions = () => ''

/** Since 1.31 that of the API, before that the server's. */
const documentVersion = (release: Release): string => (isSince(release, '1.31') ? release : `v${release}.0`)

/** `foreign`: what other servers serve, for v2. Nothing is kept but what the next document would need at once; `KeptDocuments` keeps the bytes. */
export function createOpenApi(snapshot: CatalogSnapshot, readDescriptions = nothingSaid, foreign: readonly ForeignSwagger[] = []): OpenApi {
  const version = documentVersion(snapshot.release ?? DEFAULT_RELEASE)
  const descriptions = descriptionsWhileUsed(readDescriptions)
  // Made for the first document that needs them, and kept for the others: operations are made anew by each call.
  let operations: Map<string, () => Operation[]> | undefined
  let kinds: Map<string, GroupVersionKind[]> | undefined
  const documents = (): Map<string, () => Operation[]> => {
    operations ??= documentOperations(snapshot, descriptions)
    return operations
  }
  const resourcesOf = (path: string) => snapshot.resourcesOf(path.replace(/^(?:apis|api)\//, ''))
  const v3 = (path: string): JsonObject => {
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
      yield Buffer.from(JSON.stringify(v3(path)))
    },
    *v3Proto(path) {
      yield encodeOpenApi(v3(path))
    },
  }
}

/** The descriptions, which are read once for the documents that are made together, and again when they have been let go. */
function descriptionsWhileUsed(read: ReadDescriptions): () => Descriptions {
  let current: WeakRef<Descriptions> | undefined
  return () => {
    const known = current?.deref() ?? new Descriptions(read)
    current = new WeakRef(known)
    return known
  }
}

/** A Swagger document in JSON. */
function* swaggerText(head: JsonObject, members: Iterable<SwaggerMember | undefined>, tail: JsonObject): DocumentPieces {
  yield Buffer.from(JSON.stringify(head).slice(0, -1))
  let open = -1
  /** Ends the part that is open, and begins those up to this one. */
  const begin = (part: number): string => {
    let text = ''
    for (; open < part; open++) text += `${open < 0 ? ',' : '},'}"${SWAGGER_PARTS[open + 1]}":{`
    return text
  }
  for (const member of members) {
    if (member === undefined) yield
    else {
      const before = begin(SWAGGER_PARTS.indexOf(member.part)) || ','
      yield Buffer.from(`${before}${JSON.stringify(member.name)}:${JSON.stringify(member.value)}`)
    }
  }
  yield Buffer.from(`${begin(SWAGGER_PARTS.length - 1)}},${JSON.stringify(tail).slice(1)}`)
}
