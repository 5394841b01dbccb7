import { createHmac } from 'node:crypto'
import type { Secret } from '../../../api/core/v1.types.ts'
import { secretText, tokenEnd } from '../../shared/bootstrap-tokens.ts'

const KUBECONFIG = 'kubeconfig'
const SIGNATURE_PREFIX = 'jws-kubeconfig-'
const SECRET_NAME = /^bootstrap-token-([a-z0-9]{6})$/

/** A token that signs the cluster's information. */
export interface SigningToken {
  readonly id: string
  readonly secret: string
}

/**
 * Returns the token of a Secret. Undefined if it is malformed, has expired, or may not sign. @param now milliseconds
 * since the epoch.
 */
export function signingToken(secret: Secret, now: number): SigningToken | undefined {
  const [id, value] = [secretText(secret, 'token-id'), secretText(secret, 'token-secret')]
  const isNamed = id !== '' && SECRET_NAME.exec(secret.metadata.name ?? '')?.[1] === id
  const isOver = (tokenEnd(secret) ?? Number.POSITIVE_INFINITY) <= now
  return isNamed && value !== '' && !isOver && secretText(secret, 'usage-bootstrap-signing') === 'true' ? { id, secret: value } : undefined
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url')

/** Returns the signature of a text with a token: a JWS without its content (RFC 7515, appendix F), by HMAC-SHA256. */
export function detachedSignature(content: string, { id, secret }: SigningToken): string {
  const header = base64url(JSON.stringify({ alg: 'HS256', kid: id }))
  return `${header}..${createHmac('sha256', secret)
    .update(`${header}.${base64url(content)}`)
    .digest('base64url')}`
}

/**
 * Returns the data of the ConfigMap with the signatures of these tokens only. Undefined if it has them already, or
 * there is nothing to sign.
 */
export function signedData(
  data: Readonly<Record<string, string>> = {},
  tokens: readonly SigningToken[],
): Record<string, string> | undefined {
  const content = data[KUBECONFIG]
  if (content === undefined) return undefined
  const signatures = Object.fromEntries(tokens.map(token => [`${SIGNATURE_PREFIX}${token.id}`, detachedSignature(content, token)]))
  const present = Object.entries(data).filter(([key]) => key.startsWith(SIGNATURE_PREFIX))
  const isSame = present.length === Object.keys(signatures).length && present.every(([key, signature]) => signatures[key] === signature)
  return isSame
    ? undefined
    : { ...Object.fromEntries(Object.entries(data).filter(([key]) => !key.startsWith(SIGNATURE_PREFIX))), ...signatures }
}
