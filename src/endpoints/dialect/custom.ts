import { apiVersionOfVersion, listKindOf } from '../../catalog/catalog.ts'
import type { Version } from '../../catalog/definition.ts'
import { goJson } from '../../codec/json.ts'
import { APPLY_CBOR_PATCH, APPLY_PATCH, JSON_PATCH, MERGE_PATCH } from '../../codec/patch-types.ts'
import { apiVersionOf, qualifiedResource } from '../../meta/gvk.ts'
import { pageNotFound } from '../../meta/plain-text-error.ts'
import { badRequestError, failure, notFoundError } from '../../meta/status.ts'
import { apiVersionOfTarget, versionFault } from '../../registry/change/body-target.ts'
import { checkUnstructuredType } from '../../registry/change/change-form.ts'
import { groupResourceOf } from '../../registry/types.ts'
import { initialEndAnnotations } from '../forms/meta-v1.ts'
import { claimedVersion, unrecognized } from './body-type.ts'
import type { Dialect } from './dialect.ts'

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
    checkUnstructuredType(target, object)
  },

  patchTypes: cborIsOffered => ({ taken: cborIsOffered ? WITH_CBOR : PATCH_TYPES, listed: PATCH_TYPES }),
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

const blueprint = (version: Version): Buffer =>
  Buffer.from(
    `${goJson({ apiVersion: apiVersionOfVersion(version), items: [], kind: listKindOf(version), metadata: { continue: '', resourceVersion: '' } })}\n`,
  )
