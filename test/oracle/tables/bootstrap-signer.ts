import type { Secret } from '../../../src/api/core/v1.types.ts'
import { detachedSignature, signingToken } from '../../../src/cluster/controllers/bootstrapsigner/signatures.ts'
import { formatTime } from '../../../src/meta/time.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')

interface SecretIn {
  readonly name?: string
  readonly id?: string
  readonly secret?: string
  readonly usage?: string
  readonly expiresInSeconds?: number
}

function isValid({ id = '', name = `bootstrap-token-${id}`, secret = '', usage = '', expiresInSeconds }: SecretIn): boolean {
  const texts: Record<string, string> = {
    'token-id': id,
    'token-secret': secret,
    'usage-bootstrap-signing': usage,
    ...(expiresInSeconds !== undefined && { expiration: formatTime(NOW + expiresInSeconds * 1000) }),
  }
  const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]))
  const object: Secret = {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name, namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
    data,
  }
  return signingToken(object, NOW) !== undefined
}

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  signature: ({ content, id, secret }: { content: string; id: string; secret: string }) => detachedSignature(content, { id, secret }),
  'secret-valid': isValid,
}
