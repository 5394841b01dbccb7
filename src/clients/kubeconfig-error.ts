import { aggregate } from '../lib/aggregate.ts'

/** The kubeconfig is invalid. The message is client-go's, for the user, and contains no credentials. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError'
  /** A code, as system errors have one, marks an error that the user can fix. */
  readonly code = 'ERR_KUBECONFIG'
}

/** Error with all faults of a context. */
export const invalidConfiguration = (errors: readonly string[]): KubeconfigError =>
  new KubeconfigError(`invalid configuration: ${aggregate(errors)}`)
