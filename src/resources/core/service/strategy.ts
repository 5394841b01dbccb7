import type { Reservation, Strategy } from '../../../catalog/definition.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { boundedAtOnce } from '../../../meta/error-bound.ts'
import { nameIsDns1035Label, nameIsDnsLabel } from '../../../meta/names.ts'
import { invalidError } from '../../../meta/status.ts'
import { keepSpec } from '../../shared/strategy-parts.ts'
import type { Service } from '../v1.types.ts'
import type { ServiceReservations } from './allocation/reservation.ts'
import { needsClusterIP, typeOf } from './fields.ts'
import type { IPFamily } from './ip-families.ts'
import { settleFamilies } from './ip-families.ts'
import { alignClusterIPs, dropUnneeded, keepAllocated } from './reconcile.ts'
import { validateService, validateServiceStatus } from './validation.ts'
import { serviceStatusWarnings, serviceWarnings } from './warnings.ts'

const NOTHING_RESERVED: Reservation = { commit: async () => {}, rollback: async () => {} }

/** A name that begins with a letter, or in a service that may be named as anything else a digit, too. */
const nameRule = (relaxed: boolean) => (relaxed ? nameIsDnsLabel : nameIsDns1035Label)

/** `families`: those that have a range, the default one first. `relaxedNames`: names may begin with a digit. */
export function serviceStrategy(reservations: ServiceReservations, families: readonly IPFamily[], relaxedNames = false): Strategy<Service> {
  /** Changes nothing when it runs again. */
  const settle = (next: Service, old: Service | undefined, features: Features): void => {
    if (old) keepAllocated(next, old)
    alignClusterIPs(next, old)
    boundedAtOnce(() => settleFamilies(next, old, families, features))
  }
  return {
    allowCreateOnUpdate: true,
    returnsDeleted: true,
    metaRounds: ['change', 'whole'],
    validateName: nameRule(relaxedNames),
    resetFields: [['status']],
    prepare(next, old, { features }) {
      settle(next, old, features)
      next.status = old ? old.status : { loadBalancer: {} }
      if (old) dropUnneeded(next, old, features)
      // A service that is no LoadBalancer any more loses the addresses of its load balancer.
      if (old && typeOf(next) !== 'LoadBalancer' && next.status.loadBalancer.ingress) next.status = { ...next.status, loadBalancer: {} }
      // Once defaulted for every type; a name elsewhere has no use for it.
      if (!needsClusterIP(next)) delete next.spec.internalTrafficPolicy
    },
    validate(next, old, { features }) {
      // Errors of the families and addresses are reported alone, as upstream allocates before it validates.
      const errors = settleFamilies(next, old, families, features)
      return errors.length > 0 ? errors : validateService(next, old, features)
    },
    warnings: (next, _, { features }) => serviceWarnings(next, features),
    async begin(next, old, ctx, api, dryRun) {
      // A write through a subresource neither takes nor frees addresses and ports.
      if (ctx.subresource !== '') return NOTHING_RESERVED
      if (next) {
        const errors = settleFamilies(next, old, families, ctx.features)
        if (errors.length > 0) throw invalidError({ group: '', kind: 'Service' }, next.metadata.name ?? '', errors)
      }
      return reservations.begin(next, old, api, dryRun)
    },
  }
}

/** The load balancer’s addresses. A service that has no load balancer keeps none. */
export const serviceStatusStrategy = (relaxedNames = false): Strategy<Service> => ({
  validateName: nameRule(relaxedNames),
  resetFields: [['spec']],
  prepare: keepSpec,
  validate: (next, old, { features }) => validateServiceStatus(next, old, features),
  warnings: (next, _, { features }) => serviceStatusWarnings(next, features),
})
