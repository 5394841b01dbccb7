import { updateKind } from '../catalog/define.ts'
import { RevisionTimes } from '../faults/revision-times.ts'
import type { FaultRules } from '../faults/rules.ts'
import { undefinedIfNotFound } from '../meta/status.ts'
import { formatMicroTime } from '../meta/time.ts'
import { LEASES } from '../resources/kinds.ts'
import type { Faults } from '../server/filters/faults.ts'
import type { OpenServices } from './open-services.ts'

/** `holderIdentity` of a Lease that a fault has taken over. */
const HOLDER = 'binnacle-faults'

/** Connects fault rules to a server: to the revisions of its store, which stale reads use, and to its Leases. */
export function faultsOf(rules: FaultRules, { plane }: OpenServices): Faults {
  const access = plane.registry.access()
  const times = new RevisionTimes(
    rules.clock,
    () => plane.revision(),
    () => rules.looksBack,
  )
  rules.onAdded = () => void times.begin()
  return {
    rules,
    times,
    async takeLease(namespace, name) {
      const time = formatMicroTime(rules.clock.now())
      await updateKind(access, LEASES, { namespace, name }, lease => ({
        ...lease,
        spec: { ...lease.spec, holderIdentity: HOLDER, acquireTime: time, renewTime: time, leaseTransitions: (lease.spec.leaseTransitions ?? 0) + 1 },
      })).catch(undefinedIfNotFound)
    },
  }
}
