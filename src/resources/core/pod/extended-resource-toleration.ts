import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout } from '../../../admission/refuse.ts'
import type { PodSpec, Toleration } from '../../../api/core/v1.types.ts'
import { asKind } from '../../../catalog/define.ts'
import { PODS } from '../../kinds.ts'
import { isExtendedResource } from '../pod-spec/resources.ts'
import { containersAndInit } from '../pod-spec/visit.ts'

/**
 * Adds a toleration for each resource, in sorted order. An existing toleration for it is replaced by one without a time
 * limit.
 */
function tolerate(spec: PodSpec, resources: readonly string[]): void {
  const wanted = new Map(resources.map((key): [string, Toleration] => [key, { key, operator: 'Exists', effect: 'NoSchedule' }]))
  const isWanted = ({ key = '', operator, effect, value = '' }: Toleration): boolean =>
    wanted.has(key) && operator === 'Exists' && effect === 'NoSchedule' && value === ''
  const kept = (spec.tolerations ?? []).map(each => {
    const added = isWanted(each) ? wanted.get(each.key ?? '') : undefined
    return added ?? each
  })
  for (const { key = '' } of kept.filter(isWanted)) wanted.delete(key)
  spec.tolerations = [...kept, ...wanted.values()]
}

/**
 * ExtendedResourceToleration adds tolerations to pods that request extended resources, for the taints of nodes that are
 * dedicated to them.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#extendedresourcetoleration
 */
export const extendedResourceToleration: AdmissionPlugin = {
  name: 'ExtendedResourceToleration',
  handles: request => (request.operation === 'CREATE' || request.operation === 'UPDATE') && isAbout(request, 'pods'),
  mutate: async ({ object }) => {
    if (!object) return object
    const { spec } = asKind(PODS, object)
    const requested = containersAndInit(spec).flatMap(({ resources }) => Object.keys(resources.requests ?? {}))
    const extended = [...new Set(requested)].filter(isExtendedResource).sort()
    if (extended.length > 0) tolerate(spec, extended)
    return object
  },
}
