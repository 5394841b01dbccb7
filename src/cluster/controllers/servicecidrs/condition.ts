import type { ServiceCIDR } from '../../../api/networking/v1.types.ts'
import { formatTime } from '../../../meta/time.ts'

/** Type of the only condition. */
const READY = 'Ready'

/** Condition of a ServiceCIDR without its time. */
export interface RangeCondition {
  readonly status: 'True' | 'False'
  readonly reason?: string
  readonly message: string
}

/** Condition of a range from which addresses are allocated. */
export const RANGE_READY: RangeCondition = { status: 'True', message: 'Kubernetes Service CIDR is ready' }

/** Condition of a deleted range while addresses of it are in use. */
export const RANGE_TERMINATING: RangeCondition = {
  status: 'False',
  reason: 'Terminating',
  message: 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
}

/** Reports whether a ServiceCIDR has the condition, whatever its time is. */
export const hasCondition = ({ status: { conditions = [] } }: ServiceCIDR, { status, reason = '', message }: RangeCondition): boolean =>
  conditions.some(each => each.type === READY && each.status === status && (each.reason ?? '') === reason && each.message === message)

/** Returns the configuration that applies the condition. */
export const appliedCondition = (condition: RangeCondition, now: number): { status: { conditions: [{ [field: string]: string }] } } => ({
  status: { conditions: [{ type: READY, ...condition, lastTransitionTime: formatTime(now) }] },
})
