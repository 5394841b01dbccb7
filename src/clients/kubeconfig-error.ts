import { aggregate } from '../lib/aggregate.ts'

/** A kubeconfig that can't be used; the message is for the user, in client-go's words, and holds no credentials. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError'
  /** As errors of the system have one: the user's to mend. */
  readonly code = 'ERR_KUBECONFIG'
}

/** All that is wrong with what a context names. */
export const invalidConfiguration = (errors: readonly string[]): KubeconfigError => new KubeconfigError(`invalid configuration: ${aggregate(errors)}`)
