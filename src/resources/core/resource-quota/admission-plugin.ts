import type { AdmissionPlugin } from '../../../admission/chain.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { QuotaBatches, type QuotaEnvironment } from './admission/batches.ts'
import type { Evaluator } from './usage/evaluator.ts'
import type { Evaluators } from './usage/evaluators.ts'

export interface ResourceQuotaOptions extends QuotaEnvironment {
  readonly evaluators: Evaluators
  readonly clock: Clock
}

/**
 * ResourceQuota rejects requests that would exceed a quota of their namespace. The usage of a request is added to the
 * status of the quotas before its object is stored.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#resourcequota
 */
export function resourceQuotaAdmission({ evaluators, clock, ...env }: ResourceQuotaOptions): AdmissionPlugin {
  const batches = new QuotaBatches(env)
  const evaluatorOf = ({ served: { version } }: AdmissionRequest): Evaluator | undefined =>
    evaluators.of({ group: version.group, resource: version.names.plural })
  return {
    name: 'ResourceQuota',
    handles: request => {
      if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return false
      if (request.namespace === '' || !(env.index.concerns(request.namespace) || env.limitedResources.length > 0)) return false
      return evaluatorOf(request)?.handles(request) === true
    },
    validate: async request => {
      const { object, held } = request
      const evaluator = evaluatorOf(request)
      if (!object || !evaluator) return
      for (const reservation of await batches.admit({ request, object, evaluator, now: clock.now() })) {
        if (held) held.hold(reservation)
        else await reservation.commit()
      }
    },
  }
}
