import type { Secret } from '../../api/core/v1.types.ts'
import { timeMillis } from '../../meta/time.ts'

/** Namespace of the Secrets with bootstrap tokens. */
export const TOKEN_NAMESPACE = 'kube-system'
const TYPE = 'bootstrap.kubernetes.io/token'

/** Whether a Secret holds a bootstrap token, with which nodes join a cluster. */
export const isBootstrapToken = ({ metadata, type }: Secret): boolean => type === TYPE && metadata.namespace === TOKEN_NAMESPACE

/** Returns a value of a Secret as text. Empty if it is absent. */
export const secretText = ({ data }: Secret, key: string): string => {
  const value = data && Object.hasOwn(data, key) ? data[key] : undefined
  return Buffer.from(value ?? '', 'base64').toString('utf8')
}

/**
 * Returns the end of a token in milliseconds since the epoch. Undefined if it has none. A malformed time has passed.
 */
export function tokenEnd(secret: Secret): number | undefined {
  const text = secretText(secret, 'expiration')
  return text === '' ? undefined : (timeMillis(text) ?? 0)
}
