import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout } from '../../../admission/refuse.ts'
import type { Taint } from '../../../api/core/v1.types.ts'
import { asKind } from '../../../catalog/define.ts'
import { NODES } from '../../kinds.ts'

const NOT_READY: Readonly<Taint> = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

/**
 * TaintNodesByCondition taints new nodes as not ready. The node lifecycle controller removes the taint once the node is
 * ready. https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#taintnodesbycondition
 */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  handles: request => request.operation === 'CREATE' && isAbout(request, 'nodes'),
  mutate: async ({ object }) => {
    if (!object) return object
    const node = asKind(NODES, object)
    const { taints = [] } = node.spec
    if (taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)) return object
    node.spec = { ...node.spec, taints: [...taints, { ...NOT_READY }] }
    return object
  },
}
