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

type CronJob typemeta # Starts a job whenever its schedule says so.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 CronJobSpec? # What is wanted.
  status 3 CronJobStatus? # What is, as last reported; not set by those who want something.

type CronJobList typemeta
  metadata 1 meta.ListMeta?
  items 2 []CronJob

type CronJobSpec # When which job is started, and how many are kept.
  schedule 1 string # When jobs are made, in cron's five fields.
  timeZone 8 *string? # The time zone of the schedule; that of the controller unless given.
  startingDeadlineSeconds 2 *int64? # How late a job may still be started.
  concurrencyPolicy 3 ConcurrencyPolicy? # What happens when a job is due while another runs: Allow, Forbid or Replace.
  suspend 4 *bool? # Whether no more jobs are made.
  jobTemplate 5 JobTemplateSpec # The jobs that are made.
  successfulJobsHistoryLimit 6 *int32? # How many jobs that succeeded are kept.
  failedJobsHistoryLimit 7 *int32? # How many jobs that failed are kept.

type CronJobStatus # What the controller last did for the cron job.
  active 1 []core.ObjectReference? atomic # Jobs that run.
  lastScheduleTime 4 *Time? # When a job was made last.
  lastSuccessfulTime 5 *Time? # When a job succeeded last.

type Job typemeta # Runs pods until enough of them have succeeded.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 JobSpec? # What is wanted.
  status 3 JobStatus? # What is, as last reported; not set by those who want something.

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

type JobSpec # Which pods are run, how often, and when the job has succeeded or failed.
  parallelism 1 *int32? # How many pods may run at once.
  completions 2 *int32? # How many pods have to succeed.
  activeDeadlineSeconds 3 *int64? # How long it may run before it is failed.
  podFailurePolicy 11 *PodFailurePolicy? # Which failures count, and which end the job.
  successPolicy 16 *SuccessPolicy? # When it has succeeded, though not every index has.
  backoffLimit 7 *int32? # How many failures there may be; 6 unless given.
  backoffLimitPerIndex 12 *int32? # How many failures each index may have.
  maxFailedIndexes 13 *int32? # How many indexes may fail.
  selector 4 *meta.LabelSelector? # Labels of its pods; set by the server unless manualSelector is true.
  manualSelector 5 *bool? # Whether the selector is the client's own.
  template 6 core.PodTemplateSpec # The pods that it makes.
  ttlSecondsAfterFinished 8 *int32? # How long it is kept after its end.
  completionMode 9 *CompletionMode? # Whether each pod has an index: Indexed or NonIndexed.
  suspend 10 *bool? # Whether no pods are made, and those that run are deleted.
  podReplacementPolicy 14 *PodReplacementPolicy? # When a pod is replaced: once it ends (TerminatingOrFailed) or has ended (Failed).
  managedBy 15 *string? # The controller that looks after it, if that is not the usual one.

type JobStatus # What the controller last saw of the job.
  conditions 1 []JobCondition? atomic merge(type) # Whether it is complete, has failed or is suspended.
  startTime 2 *Time? # When it was started.
  completionTime 3 *Time? # When it was completed.
  active 4 int32? # How many pods run or wait.
  succeeded 5 int32? # How many pods have succeeded.
  failed 6 int32? # How many pods have failed.
  terminating 11 *int32? # How many pods are on their way out.
  completedIndexes 7 string? # Indexes that have succeeded, such as 1,3-5.
  failedIndexes 10 *string? # Indexes that have failed.
  uncountedTerminatedPods 8 *UncountedTerminatedPods? # Pods that have ended and are not in the numbers yet.
  ready 9 *int32? # How many pods are ready.

type JobTemplateSpec
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 JobSpec? # What is wanted.

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
