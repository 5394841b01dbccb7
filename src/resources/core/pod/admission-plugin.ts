import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout } from '../../../admission/refuse.ts'
import type { Node } from '../../../api/core/v1.types.ts'
import { asKind } from '../../../catalog/define.ts'
import { type Awaitable, use } from '../../../lib/awaitable.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { BINDINGS, PODS } from '../../kinds.ts'
import { addDefaultTolerations, type TolerationSeconds } from './admission.ts'

/**
 * DefaultTolerationSeconds adds tolerations that limit how long pods stay on nodes that are not ready or unreachable.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#defaulttolerationseconds
 */
export const defaultTolerationSeconds = (seconds: TolerationSeconds): AdmissionPlugin => ({
  name: 'DefaultTolerationSeconds',
  handles: request => (request.operation === 'CREATE' || request.operation === 'UPDATE') && isAbout(request, 'pods'),
  mutate: ({ object }) => {
    if (object) addDefaultTolerations(asKind(PODS, object).spec, seconds)
    return undefined
  },
})

/** Release 1.33 copies labels of a domain that nodes do not use. */
const topologyLabels = (features: Features): readonly string[] => {
  const domain = isSince(features.release, '1.34') ? 'topology.kubernetes.io' : 'topology.k8s.io'
  return [`${domain}/zone`, `${domain}/region`]
}

/**
 * PodTopologyLabels copies the zone and region labels of the node to a pod that is bound to it or created with a
 * nodeName. It does nothing while the gate PodTopologyLabelsAdmission is off (KEP-4742). A node that does not exist has
 * no labels.
 */
export const podTopologyLabels = (features: Features, find: (node: string) => Awaitable<Node | undefined>): AdmissionPlugin => ({
  name: 'PodTopologyLabels',
  handles: request =>
    request.operation === 'CREATE' &&
    features.enabled('PodTopologyLabelsAdmission') &&
    (isAbout(request, 'pods') || isAbout(request, 'pods', 'binding')),
  mutate: request => {
    const { object } = request
    const name = assignedNode(request)
    if (!object || !name) return undefined
    return use(find(name), node => {
      const copied = Object.entries(node?.metadata.labels ?? {}).filter(([key]) => topologyLabels(features).includes(key))
      if (copied.length > 0) object.metadata.labels = { ...object.metadata.labels, ...Object.fromEntries(copied) }
    })
  },
})

/** Returns the node that the request assigns the pod to, or undefined. */
function assignedNode({ object, subresource }: AdmissionRequest): string | undefined {
  if (!object) return undefined
  if (subresource === '') return asKind(PODS, object).spec.nodeName
  const { kind, name } = asKind(BINDINGS, object).target
  return kind === 'Node' ? name : undefined
}
