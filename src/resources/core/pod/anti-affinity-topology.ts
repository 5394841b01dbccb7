import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout, refuse } from '../../../admission/refuse.ts'
import { asKind } from '../../../catalog/define.ts'
import { PODS } from '../../kinds.ts'

const HOSTNAME = 'kubernetes.io/hostname'

/**
 * LimitPodHardAntiAffinityTopology restricts required anti-affinity to the topology key of the node, so that a pod
 * cannot block a whole zone.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#limitpodhardantiaffinitytopology
 */
export const limitPodHardAntiAffinityTopology: AdmissionPlugin = {
  name: 'LimitPodHardAntiAffinityTopology',
  handles: request => (request.operation === 'CREATE' || request.operation === 'UPDATE') && isAbout(request, 'pods'),
  validate: async request => {
    const { podAntiAffinity } = (request.object && asKind(PODS, request.object).spec.affinity) ?? {}
    const wide = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.find(({ topologyKey }) => topologyKey !== HOSTNAME)
    if (wide === undefined) return
    const why = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wide.topologyKey} but only key ${HOSTNAME} is allowed`
    throw refuse(request, why)
  },
}
