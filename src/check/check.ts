import { checkInput } from './check-input.ts'
import type { CheckOptions, CheckResult } from './types.ts'

/**
 * Checks manifests like a server of a release would that they are applied to, without a server. Rejects with an Error
 * that names the invalid option, or the path that does not exist. Several checks can run beside each other.
 */
export const check = async (options: CheckOptions): Promise<CheckResult> => (await checkInput(options)).result
