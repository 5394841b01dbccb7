/** What webhooks and policies alike do where they cannot be asked, and where an object has changed after them. */
export const FAILURE_POLICIES = ['Fail', 'Ignore']
export const REINVOCATION_POLICIES = ['IfNeeded', 'Never']
