import { isJsonObject } from '../../api/meta/object.ts'
import { apiVersionOfVersion, listKindOf } from '../../catalog/catalog.ts'
import type { Version } from '../../catalog/definition.ts'
import { goJson } from '../../codec/json.ts'
import { APPLY_CBOR_PATCH, APPLY_PATCH, JSON_PATCH, MERGE_PATCH } from '../../codec/patch-types.ts'
import { apiVersionOf } from '../../meta/gvk.ts'
import { badRequestError, failure } from '../../meta/status.ts'
import { apiVersionOfTarget, versionFault } from '../../registry/change/body-target.ts'
import { initialEndAnnotations } from '../forms/meta-v1.ts'
import { cannotHandle, claimedVersion, firstType, noListError, unrecognized } from './body-type.ts'
import { customRoute, hasCustomRoute } from './custom-route.ts'
import type { Dialect } from './dialect.ts'

/** Custom resources do not support strategic merge patches. */
const PATCH_TYPES = [JSON_PATCH, MERGE_PATCH, APPLY_PATCH]
const WITH_CBOR = [...PATCH_TYPES, APPLY_CBOR_PATCH]

const VERB_ORDER = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']

/** Kinds of custom resource definitions: untyped, and served outside upstream's router. */
export const CUSTOM: Dialect = {
  route: customRoute,
  hasRoute: hasCustomRoute,
  /** Upstream warns of a deprecated version before it checks the request. */
  refusalWarning: ({ deprecation }) => deprecation?.warning,
  /** The whole version is deprecated, with its subresources. */
  deprecatesPart: () => true,

  routeAnswers: () => true,
  routeTakes: (contentType, types) => types.includes(firstType(contentType)),
  patchRefusal: (_ofRouter, ofHandler) => ofHandler(),
  hasForm: format => format !== 'protobuf',

  /** The kind is read by its exact name. */
  checkClaim(_builtIns, target, claim, { value, body, lenient }) {
    const claimed = claimedVersion(target, claim, body)
    const isTyped = isJsonObject(value) && value.kind !== undefined && value.kind !== null && value.kind !== ''
    if (!isTyped && lenient) throw cannotHandle(target, { ...claim, kind: '' }, `Object 'Kind' is missing in '${lenient()}'`)
    if (!isTyped) throw unrecognized(target.kind, `Object 'Kind' is missing in '${body.toString()}'`, body)
    return claimed
  },
  impliedVersion: () => '',
  /** Upstream looks up the type in its scheme of custom resources, which lacks Scale. */
  viewFault: ({ version, kind }, fault) =>
    fault.code === 400
      ? badRequestError(`no kind is registered for the type ${version}.${kind} in scheme "pkg/runtime/scheme.go:110"`)
      : fault,
  strictKind: (_target, claim) => claim.kind,
  setType() {},
  /** The kind is validated with the object. */
  checkDecoded(target, claimed) {
    const apiVersion = apiVersionOf(claimed)
    if (apiVersion !== apiVersionOfTarget(target)) throw badRequestError(versionFault(target, apiVersion))
  },

  patchTypes: cborIsOffered => ({ taken: cborIsOffered ? WITH_CBOR : PATCH_TYPES, listed: PATCH_TYPES }),
  /** Members in the order of a Go map. */
  listEnvelope: (version, meta) => ({
    start: `{"apiVersion":"${apiVersionOfVersion(version)}","items":[`,
    end: `],"kind":"${listKindOf(version)}","metadata":${goJson({ continue: '', ...meta })}}\n`,
  }),
  bookmark(version, resourceVersion, initialEnd, release) {
    const annotations = initialEnd ? { annotations: initialEndAnnotations(release, () => blueprint(version)) } : {}
    return goJson({ kind: version.kind, apiVersion: apiVersionOfVersion(version), metadata: { resourceVersion, ...annotations } })
  },
  goType: (_version, suffix) => `unstructured.Unstructured${suffix}`,
  /** Any unstructured object may be a list, so upstream looks for its items. */
  noListError: (_version, view) => (view ? noListError(`${view.version}.${view.kind}`) : failure(500, '', 'content is not a list')),

  /** Empty. Otherwise the document of each group would list all other groups. */
  kindsBeside: [],
  discoveredVerbs: verbs => VERB_ORDER.filter(verb => verbs.includes(verb)),
  /** Status before scale. */
  discoveredSubresources: subresources => [...subresources],
}

/** Returns the blueprint of a list, which has no metadata. */
const blueprint = (version: Version): Buffer =>
  Buffer.from(`${goJson({ apiVersion: apiVersionOfVersion(version), items: [], kind: listKindOf(version) })}\n`)
