import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout, refuse } from '../../../admission/refuse.ts'
import type { PodSpec } from '../../../api/core/v1.types.ts'
import { asKind } from '../../../catalog/define.ts'
import { aggregate } from '../../../lib/aggregate.ts'
import { fieldErrorText, notSupported } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { failure } from '../../../meta/status.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { PODS } from '../../kinds.ts'
import { allContainers, containersWithPath } from '../pod-spec/visit.ts'

const ALWAYS = 'Always'
const SPEC = fieldPath('spec')

/** Reports whether a container has an image that no container of the old pod has. */
function hasNewImages({ object, old }: AdmissionRequest): boolean {
  if (!object || !old) return true
  const before = new Set(allContainers(asKind(PODS, old).spec).map(({ image }) => image))
  return allContainers(asKind(PODS, object).spec).some(({ image }) => !before.has(image))
}

/** Returns the pull policies of containers and image volumes, with their paths. */
function* pullPolicies(spec: PodSpec): Iterable<readonly [policy: string | undefined, path: FieldPath]> {
  for (const [{ imagePullPolicy }, at] of containersWithPath(spec, SPEC)) yield [imagePullPolicy, at.child('imagePullPolicy')]
  for (const [i, { image }] of (spec.volumes ?? []).entries())
    if (image) yield [image.pullPolicy, SPEC.child('volumes').index(i).child('image', 'pullPolicy')]
}

/**
 * AlwaysPullImages sets the pull policy of new pods to Always, so that an image that is cached on the node is used only
 * by pods with credentials for it.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#alwayspullimages
 */
export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  handles: request =>
    isAbout(request, 'pods') && (request.operation === 'CREATE' || (request.operation === 'UPDATE' && hasNewImages(request))),
  mutate: async ({ object }) => {
    if (!object) return object
    const { spec } = asKind(PODS, object)
    for (const container of allContainers(spec)) container.imagePullPolicy = ALWAYS
    for (const { image } of spec.volumes ?? []) if (image) image.pullPolicy = ALWAYS
    return object
  },
  validate: async request => {
    if (!request.object) return
    const others = [...pullPolicies(asKind(PODS, request.object).spec)].filter(([policy]) => policy !== ALWAYS)
    const refusals = others.map(([policy, path]) => refuse(request, fieldErrorText(notSupported(path, policy ?? '', [ALWAYS]))).message)
    // Upstream wraps the errors in one that is no Status, which becomes a 500.
    if (refusals.length > 0) throw failure(500, '', aggregate(refusals))
  },
}
