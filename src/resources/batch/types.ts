import type { TypePackage } from '../../schema/idl.ts'

/** The types of batch/v1. */
export const batchTypes: TypePackage = {
  id: 'batch',
  definition: 'io.k8s.api.batch.v1',
  source: `
enum CompletionMode Indexed NonIndexed
enum ConcurrencyPolicy Allow Forbid Replace
enum PodFailurePolicyAction Count FailIndex FailJob Ignore
enum PodFailurePolicyOnExitCodesOperator In NotIn
enum PodReplacementPolicy Failed TerminatingOrFailed

type CronJob typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 CronJobSpec?
  status 3 CronJobStatus?

type CronJobList typemeta
  metadata 1 meta.ListMeta?
  items 2 []CronJob

type CronJobSpec
  schedule 1 string
  timeZone 8 *string?
  startingDeadlineSeconds 2 *int64?
  concurrencyPolicy 3 ConcurrencyPolicy?
  suspend 4 *bool?
  jobTemplate 5 JobTemplateSpec
  successfulJobsHistoryLimit 6 *int32?
  failedJobsHistoryLimit 7 *int32?

type CronJobStatus
  active 1 []core.ObjectReference? atomic
  lastScheduleTime 4 *Time?
  lastSuccessfulTime 5 *Time?

type Job typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 JobSpec?
  status 3 JobStatus?

type JobCondition
  type 1 string
  status 2 string
  lastProbeTime 3 Time?
  lastTransitionTime 4 Time?
  reason 5 string?
  message 6 string?

type JobList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Job

type JobSpec
  parallelism 1 *int32?
  completions 2 *int32?
  activeDeadlineSeconds 3 *int64?
  podFailurePolicy 11 *PodFailurePolicy?
  successPolicy 16 *SuccessPolicy?
  backoffLimit 7 *int32?
  backoffLimitPerIndex 12 *int32?
  maxFailedIndexes 13 *int32?
  selector 4 *meta.LabelSelector?
  manualSelector 5 *bool?
  template 6 core.PodTemplateSpec
  ttlSecondsAfterFinished 8 *int32?
  completionMode 9 *CompletionMode?
  suspend 10 *bool?
  podReplacementPolicy 14 *PodReplacementPolicy?
  managedBy 15 *string?

type JobStatus
  conditions 1 []JobCondition? atomic merge(type)
  startTime 2 *Time?
  completionTime 3 *Time?
  active 4 int32?
  succeeded 5 int32?
  failed 6 int32?
  terminating 11 *int32?
  completedIndexes 7 string?
  failedIndexes 10 *string?
  uncountedTerminatedPods 8 *UncountedTerminatedPods?
  ready 9 *int32?

type JobTemplateSpec
  metadata 1 meta.ObjectMeta?
  spec 2 JobSpec?

type PodFailurePolicy
  rules 1 []PodFailurePolicyRule atomic

type PodFailurePolicyOnExitCodesRequirement
  containerName 1 *string?
  operator 2 PodFailurePolicyOnExitCodesOperator
  values 3 []int32 set

type PodFailurePolicyOnPodConditionsPattern
  type 1 string
  status 2 string

type PodFailurePolicyRule
  action 1 PodFailurePolicyAction
  onExitCodes 2 *PodFailurePolicyOnExitCodesRequirement?
  onPodConditions 3 []PodFailurePolicyOnPodConditionsPattern? atomic

type SuccessPolicy
  rules 1 []SuccessPolicyRule atomic

type SuccessPolicyRule
  succeededIndexes 1 *string?
  succeededCount 2 *int32?

type UncountedTerminatedPods
  succeeded 1 []string? set
  failed 2 []string? set
`,
}
