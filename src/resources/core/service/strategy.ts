import type { Service } from '../../../api/core/v1.types.ts'
import type { Reservation, Strategy } from '../../../catalog/strategy.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { boundedAtOnce } from '../../../meta/error-bound.ts'
import { nameIsDns1035Label, nameIsDnsLabel } from '../../../meta/names.ts'
import { invalidError } from '../../../meta/status.ts'
import { keepSpec } from '../../shared/strategy-parts.ts'
import type { ServiceReservations } from './allocation/reservation.ts'
import { needsClusterIP, serviceTypeOf } from './fields.ts'
import type { AddressFamily } from './ip-families.ts'
import { settleFamilies } from './ip-families.ts'
import { alignClusterIPs, dropUnneeded, keepAllocated } from './reconcile.ts'
import { validateService, validateServiceStatus } from './validation.ts'
import { serviceStatusWarnings, serviceWarnings } from './warnings.ts'

const NOTHING_RESERVED: Reservation = { commit: async () => {}, rollback: async () => {} }

/** Names begin with a letter, or, with relaxed names, with a letter or digit. */
const nameRule = (relaxed: boolean) => (relaxed ? nameIsDnsLabel : nameIsDns1035Label)

/**
 * `families` lists the families that have a range, the default one first. With `relaxedNames`, names may begin with a
 * digit.
 */
export function serviceStrategy(
  reservations: ServiceReservations,
  families: readonly AddressFamily[],
  relaxedNames = false,
): Strategy<Service> {
  /** Idempotent. */
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
      // A service that is no longer a LoadBalancer loses the addresses of its load balancer.
      if (old && serviceTypeOf(next) !== 'LoadBalancer' && next.status.loadBalancer.ingress)
        next.status = { ...next.status, loadBalancer: {} }
      // Early releases set the default for every type, but an ExternalName service has no use for it.
      if (!needsClusterIP(next)) delete next.spec.internalTrafficPolicy
    },
    validate(next, old, { features }) {
      // Errors in families and addresses are reported alone, because upstream allocates before it validates.
      const errors = settleFamilies(next, old, families, features)
      return errors.length > 0 ? errors : validateService(next, old, features)
    },
    warnings: (next, _, { features }) => serviceWarnings(next, features),
    async begin(next, old, ctx, api, dryRun) {
      // A write to a subresource neither allocates nor releases addresses and ports.
      if (ctx.subresource !== '') return NOTHING_RESERVED
      if (next) {
        const errors = settleFamilies(next, old, families, ctx.features)
        if (errors.length > 0) throw invalidError({ group: '', kind: 'Service' }, next.metadata.name ?? '', errors)
      }
      return reservations.begin(next, old, api, dryRun)
    },
  }
}

/** Strategy of `status`: the addresses of the load balancer. Services of other types keep none. */
export const serviceStatusStrategy = (relaxedNames = false): Strategy<Service> => ({
  validateName: nameRule(relaxedNames),
  resetFields: [['spec']],
  prepare: keepSpec,
  validate: (next, old, { features }) => validateServiceStatus(next, old, features),
  warnings: (next, _, { features }) => serviceStatusWarnings(next, features),
})
