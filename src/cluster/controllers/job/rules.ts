import type { Job } from '../../../api/batch/v1.types.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'

/** Name of this controller in `spec.managedBy`. */
const CONTROLLER_NAME = 'kubernetes.io/job-controller'

/** Behaviour of the controller that depends on the release and its gates. */
export interface JobRules {
  /** Gate JobPodReplacementPolicy: `spec.podReplacementPolicy` and `status.terminating`. */
  readonly podReplacementPolicy: boolean
  /** Gate JobManagedBy: `spec.managedBy`. */
  readonly managedBy: boolean
  /** Gate JobBackoffLimitPerIndex: `spec.backoffLimitPerIndex` and `maxFailedIndexes`. */
  readonly backoffLimitPerIndex: boolean
  /** Gate JobSuccessPolicy: `spec.successPolicy`. */
  readonly successPolicy: boolean
  /** Whether pods of Indexed jobs have their index as a label. Since 1.28. */
  readonly podIndexLabel: boolean
  /** Gate SidecarContainers. */
  readonly sidecarContainers: boolean
  /** Whether a condition of type Complete has a reason. */
  readonly explainsSuccess: boolean
  /** Whether terminal conditions wait until no pod is terminating, after FailureTarget or SuccessCriteriaMet. */
  readonly delaysTerminalCondition: boolean
  /** Whether `status.startTime` is cleared when a job is suspended. */
  readonly clearsStartTime: boolean
}

/** Returns the behaviour of a release with its gates. */
export function jobRulesOf(features: Features): JobRules {
  const podReplacementPolicy = features.enabled('JobPodReplacementPolicy')
  const managedBy = features.enabled('JobManagedBy')
  return {
    podReplacementPolicy,
    managedBy,
    backoffLimitPerIndex: features.enabled('JobBackoffLimitPerIndex'),
    successPolicy: features.enabled('JobSuccessPolicy'),
    podIndexLabel: isSince(features.release, '1.28'),
    sidecarContainers: features.enabled('SidecarContainers'),
    explainsSuccess: isSince(features.release, '1.31'),
    delaysTerminalCondition: isSince(features.release, '1.31') && (podReplacementPolicy || managedBy),
    clearsStartTime: isSince(features.release, '1.35') && features.enabled('MutableSchedulingDirectivesForSuspendedJobs'),
  }
}

/** Whether another controller manages the job. */
export const isManagedElsewhere = ({ spec: { managedBy } }: Job, rules: JobRules): boolean =>
  rules.managedBy && managedBy !== undefined && managedBy !== CONTROLLER_NAME

/** Whether each pod of a job has an index of its own. */
export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === 'Indexed'

export const isSuspended = ({ spec }: Job): boolean => spec.suspend === true

/** Whether failures are limited for each index, and not only for the whole job. */
export const hasLimitPerIndex = ({ spec }: Job, rules: JobRules): boolean =>
  rules.backoffLimitPerIndex && spec.backoffLimitPerIndex !== undefined

/** Whether a pod is replaced only once it has failed, not when it begins to be deleted. */
export const onlyReplacesFailed = ({ spec }: Job, rules: JobRules): boolean =>
  (rules.podReplacementPolicy && spec.podReplacementPolicy === 'Failed') || spec.podFailurePolicy !== undefined
