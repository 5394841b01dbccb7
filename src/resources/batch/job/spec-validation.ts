import type { JobSpec } from '../../../api/batch/v1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, notSupported, required, tooLongError } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isDomainPrefixedPath, longerThan } from '../../../meta/names.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import type { PodValidationOptions } from '../../core/pod-spec/options.ts'
import { validatePodTemplateSpec } from '../../core/pod-spec/validation.ts'
import { goValue } from '../../shared/go-values.ts'
import { validateFailurePolicy } from './failure-policy.ts'
import { validateSuccessPolicy } from './success-policy.ts'

/** Numbers that may not be negative, in the order of their errors. */
const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const
const COMPLETION_MODES = enumValues('batch.CompletionMode', 'NonIndexed')
const REPLACEMENT_POLICIES = enumValues('batch.PodReplacementPolicy')
const MAX_MANAGED_BY = 63
const MAX_PARALLELISM = 100_000
const MAX_FAILED_INDEXES = 100_000
/** Number of completions above which, with a backoff limit per index, other limits are lower. */
const MANY_COMPLETIONS = 100_000
const MAX_OF_MANY = 10_000

const atMost = (value: number | undefined, limit: number, when: string, path: FieldPath): FieldError[] =>
  value !== undefined && value > limit ? [invalid(path, value, `must be less than or equal to ${limit}${when}`)] : []

/**
 * Validates an indexed job. Completions are required. If there are more than 100,000 and a backoff limit per index,
 * maxFailedIndexes is required too, and neither it nor parallelism may exceed 10,000.
 */
function validateIndexed({ completions, parallelism, maxFailedIndexes, backoffLimitPerIndex }: JobSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const atParallelism = path.child('parallelism')
  const atFailed = path.child('maxFailedIndexes')
  if (completions === undefined) errors.push(required(path.child('completions'), 'when completion mode is Indexed'))
  errors.push(...atMost(parallelism, MAX_PARALLELISM, ' when completion mode is Indexed', atParallelism))
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions)
    errors.push(invalid(atFailed, maxFailedIndexes, 'must be less than or equal to completions'))
  errors.push(...atMost(maxFailedIndexes, MAX_FAILED_INDEXES, '', atFailed))
  if ((completions ?? 0) <= MANY_COMPLETIONS || backoffLimitPerIndex === undefined) return errors
  const when = ` when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`
  if (maxFailedIndexes === undefined) errors.push(required(atFailed, `must be specified when completions is above ${MANY_COMPLETIONS}`))
  errors.push(...atMost(parallelism, MAX_OF_MANY, when, atParallelism), ...atMost(maxFailedIndexes, MAX_OF_MANY, when, atFailed))
  return errors
}

/** Validates the completion mode. The default is NonIndexed, which has no limits per index. */
function validateCompletionMode(spec: JobSpec, path: FieldPath): FieldError[] {
  const mode = spec.completionMode ?? 'NonIndexed'
  if (mode === 'Indexed') return validateIndexed(spec, path)
  if (mode !== 'NonIndexed') return [notSupported(path.child('completionMode'), mode, COMPLETION_MODES)]
  return (['backoffLimitPerIndex', 'maxFailedIndexes'] as const).flatMap(name =>
    spec[name] === undefined ? [] : [invalid(path.child(name), spec[name], 'requires indexed completion mode')],
  )
}

/** Checks a name with a domain and a path, such as `example.com/controller`. */
function validateManager(managedBy: string | undefined, path: FieldPath): FieldError[] {
  if (managedBy === undefined) return []
  if (managedBy === '') return [required(path)]
  const errors = isDomainPrefixedPath(managedBy).map(({ part, text }) => invalid(path, part, text))
  return longerThan(managedBy, MAX_MANAGED_BY) ? [...errors, tooLongError(path, MAX_MANAGED_BY)] : errors
}

/** Validates the replacement policy. With a failure policy only `Failed` is valid. */
function validateReplacement(spec: JobSpec, path: FieldPath): FieldError[] {
  const policy = spec.podReplacementPolicy
  const supported = spec.podFailurePolicy ? ['Failed'] : REPLACEMENT_POLICIES
  return policy === undefined || supported.includes(policy) ? [] : [notSupported(path, policy, supported)]
}

/** Validates the restart policy. The pods of a job terminate, so it may not be Always, the default of pods. */
function validateRestartPolicy(spec: JobSpec, path: FieldPath): FieldError[] {
  const policy = spec.template.spec.restartPolicy
  if (policy === undefined || policy === 'Always') return [required(path, 'valid values: "OnFailure", "Never"')]
  if (policy !== 'OnFailure' && policy !== 'Never') return [notSupported(path, policy, ['OnFailure', 'Never'])]
  return spec.podFailurePolicy && policy !== 'Never'
    ? [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : []
}

/**
 * Validates every JobSpec, including that of a cron job, except for the selector. Errors come in upstream's order.
 * Source: pkg/apis/batch/validation in k8s.io/kubernetes.
 */
export function validateJobSpecParts(spec: JobSpec, path: FieldPath, options: PodValidationOptions): FieldError[] {
  const errors = COUNTS.flatMap(name => validateNonNegative(spec[name], path.child(name)))
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.push(required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified'))
  }
  errors.push(...validateManager(spec.managedBy, path.child('managedBy')), ...validateCompletionMode(spec, path))
  if (spec.podFailurePolicy)
    errors.push(...validateFailurePolicy(spec, spec.podFailurePolicy, path.child('podFailurePolicy'), options.release))
  if (spec.successPolicy) {
    const at = path.child('successPolicy')
    if (spec.completionMode === 'Indexed') errors.push(...validateSuccessPolicy(spec.successPolicy, spec.completions ?? 0, at))
    else errors.push(invalid(at, goValue('batch.SuccessPolicy', spec.successPolicy), 'requires indexed completion mode'))
  }
  return [
    ...errors,
    ...validateReplacement(spec, path.child('podReplacementPolicy')),
    ...validatePodTemplateSpec(spec.template, path.child('template'), options),
    ...validateRestartPolicy(spec, path.child('template', 'spec', 'restartPolicy')),
  ]
}
