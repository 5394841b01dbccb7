import type { KubeObject } from '../../api/meta/object.ts'
import { encodeJsonInSteps } from '../../codec/json.ts'
import type { Steps } from '../../lib/steps.ts'
import type { User } from '../../meta/context.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import { namespaceOf, operationOptions, requestedResource, type VersionedResource } from '../attributes.ts'
import { encodeObject, schemaOfBody } from './bodies.ts'

/** Versions of admission.k8s.io AdmissionReview. */
export type ReviewVersion = 'v1' | 'v1beta1'

/** Returns the first version that the server supports. Undefined if it supports none. */
export const reviewVersionOf = (versions: readonly string[]): ReviewVersion | undefined =>
  versions.find((version): version is ReviewVersion => version === 'v1' || version === 'v1beta1')

/**
 * Encodes the AdmissionReview of a request as JSON, in steps. `about` is the version that a rule matched; the objects are in that
 * version. https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#request
 */
export function* reviewText(version: ReviewVersion, uid: string, request: AdmissionRequest, about: VersionedResource): Steps<string> {
  const { kind, resource } = about
  const asked = requestedResource(request)
  const { subresource, name, operation, dryRun, ctx, object, old } = request
  const namespace = namespaceOf(request)
  const schema = schemaOfBody(request, about)
  function* part(each: KubeObject | undefined): Steps<string> {
    return each ? (yield* encodeJsonInSteps(schema, yield* encodeObject(request, about, each))).toString() : 'null'
  }
  const head = JSON.stringify({
    uid,
    kind: { group: kind.group, version: kind.version, kind: kind.kind },
    resource,
    ...(subresource && { subResource: subresource }),
    requestKind: { group: asked.kind.group, version: asked.kind.version, kind: asked.kind.kind },
    requestResource: asked.resource,
    ...(subresource && { requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: userInfo(ctx.user),
  })
  const options = JSON.stringify(operationOptions(request) ?? null)
  const body = `${head.slice(0, -1)},"object":${yield* part(object)},"oldObject":${yield* part(old)},"dryRun":${dryRun},"options":${options}}`
  return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/${version}","request":${body}}`
}

const userInfo = ({ name, uid, groups, extra }: User): object => ({
  ...(name && { username: name }),
  ...(uid && { uid }),
  ...(groups.length > 0 && { groups }),
  ...(extra && Object.keys(extra).length > 0 && { extra }),
})
