import type { Json, ObjectMeta } from '../../api/meta/object.ts'
import { apiVersionOfVersion, listKindOf } from '../../catalog/catalog.ts'
import type { Version } from '../../catalog/definition.ts'
import { routeAccepts } from '../../codec/accept-header.ts'
import { APPLY_CBOR_PATCH, APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH } from '../../codec/patch-types.ts'
import { compareText } from '../../lib/compare-text.ts'
import { apiVersionOf } from '../../meta/gvk.ts'
import { badRequestError } from '../../meta/status.ts'
import { apiVersionOfTarget, type BodyTarget, versionFault } from '../../registry/change/body-target.ts'
import { type BuiltIns, goPackage, otherTypeFault, readAsClaimed } from '../../registry/other-type.ts'
import { DecodeError, decode } from '../../schema/decode.ts'
import type { StructSchema } from '../../schema/schema.ts'
import { initialEndAnnotations, listMetaText, objectMetaText } from '../forms/meta-v1.ts'
import { textBlueprint } from '../forms/text/text-frames.ts'
import { cannotHandle, claimedVersion, noListError } from './body-type.ts'
import { builtInRoute, hasBuiltInRoute } from './built-in-route.ts'
import type { Dialect } from './dialect.ts'

const PATCH_TYPES = [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH]
const WITH_CBOR = [...PATCH_TYPES, APPLY_CBOR_PATCH]

/** Kinds with Go types, which upstream's router serves. */
export const BUILT_IN: Dialect = {
  route: builtInRoute,
  hasRoute: hasBuiltInRoute,
  refusalWarning: () => undefined,
  /** A subresource of another kind, such as Scale, is versioned independently. */
  deprecatesPart: subresource => subresource?.kind === undefined,

  routeAnswers: routeAccepts,
  routeTakes: (contentType = '', types) => contentType.split(',').some(type => types.includes(type.split(';', 1)[0]?.trim() ?? '')),
  patchRefusal: ofRouter => ofRouter(),
  hasForm: () => true,

  checkClaim(builtIns, target, claim, { value, body }) {
    const claimed = claimedVersion(target, claim, body)
    if (claimed.version === '' && claimed.group !== '')
      throw cannotHandle(target, claim, `Object 'apiVersion' is missing in '${body.toString()}'`)
    checkBodyType(builtIns, target, apiVersionOf(claimed) || apiVersionOfTarget(target), claim.kind || target.kind, value)
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
  /** Members in the order of Go's structs. */
  listEnvelope: (version, meta) => ({
    start: `{"kind":"${listKindOf(version)}","apiVersion":"${apiVersionOfVersion(version)}","metadata":${listMetaText(meta)},"items":[`,
    end: ']}\n',
  }),
  /** Members that the type does not omit are present, as in an empty object that upstream encodes. */
  bookmark(version, resourceVersion, initialEnd, release) {
    const { kind, schema } = version
    const apiVersion = apiVersionOfVersion(version)
    const annotations = initialEnd ? { annotations: initialEndAnnotations(release, () => textBlueprint(kind, apiVersion)) } : {}
    const empty = emptyOf(schema)
    const metadata = objectMetaText({ ...empty.metadata, resourceVersion, ...annotations })
    return `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${metadata}${empty.members}}`
  },
  goType,
  noListError: (version, view) => noListError(goType(view ?? version, '')),

  kindsBeside: ['DeleteOptions', 'WatchEvent'],
  discoveredVerbs: verbs => [...verbs].sort(),
  discoveredSubresources: subresources => [...subresources].sort((a, b) => compareText(a.name, b.name)),
}

function goType({ group, kind }: Pick<Version, 'group' | 'kind'>, suffix: string): string {
  return `${goPackage(group)}.${kind}${suffix}`
}

/** An empty object. */
interface Empty {
  readonly metadata: ObjectMeta
  /** JSON of the members other than metadata, with a comma before each. */
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

/**
 * Checks that a body has the target's type. Throws 400 with upstream's message, which depends on whether the claimed
 * type exists.
 */
function checkBodyType(builtIns: BuiltIns, target: BodyTarget, apiVersion: string, kind: string, value: Json): void {
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
