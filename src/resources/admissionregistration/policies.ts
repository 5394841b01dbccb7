/** Failure and reinvocation policies of webhooks and admission policies, sorted as errors list them. */
export const FAILURE_POLICIES = ['Fail', 'Ignore']
export const REINVOCATION_POLICIES = ['IfNeeded', 'Never']
