import { enumValues } from '../../catalog/types.ts'

/** Failure and reinvocation policies of webhooks and admission policies, sorted as errors list them. */
export const FAILURE_POLICIES = enumValues('admissionregistration.FailurePolicyType')
export const REINVOCATION_POLICIES = enumValues('admissionregistration.ReinvocationPolicyType')
