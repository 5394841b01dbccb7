import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout } from '../../../admission/refuse.ts'

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

interface Taint {
  readonly key?: string
  readonly effect?: string
}

/**
 * TaintNodesByCondition: a new node takes no pods until the node lifecycle controller has seen it ready and removes the taint.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#taintnodesbycondition
 */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  handles: request => request.operation === 'CREATE' && isAbout(request, 'nodes'),
  mutate: async ({ object }) => {
    if (!object) return object
    const taints: readonly Taint[] = object.spec?.taints ?? []
    if (taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)) return object
    object.spec = { ...object.spec, taints: [...taints, { ...NOT_READY }] }
    return object
  },
}
