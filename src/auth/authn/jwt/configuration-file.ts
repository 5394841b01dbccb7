import { join } from 'node:path'
import { decodeConfigFile, type TypeOfConfig } from '../../../codec/config-file.ts'
import { isSince, minorOf, type Release } from '../../../lifecycle/release.ts'
import { DecodeError } from '../../../schema/decode.ts'
import { TypeRegistry } from '../../../schema/idl.ts'
import { type AuthenticationConfiguration, completeConfiguration, type GivenConfiguration } from './configuration.ts'

/** The authentication configuration is invalid. The message is shown to the user. */
export class AuthenticationConfigError extends Error {
  override readonly name = 'AuthenticationConfigError'
  /** A code, as system errors have one, marks an error that the user can fix. */
  readonly code = 'ERR_AUTHENTICATION_CONFIG'
}

const GROUP = 'apiserver.config.k8s.io'
/** Release that introduced each version of the kind. */
const VERSIONS: Readonly<Record<string, Release>> = { [`${GROUP}/v1alpha1`]: '1.29', [`${GROUP}/v1beta1`]: '1.30', [`${GROUP}/v1`]: '1.34' }
/** Maximum size of the file in bytes. */
const MAX_BYTES = 8 << 20

/**
 * Parses the file of `--authentication-config`, strictly, as the release does. Throws AuthenticationConfigError with
 * kube-apiserver's message.
 */
export function parseAuthenticationConfiguration(bytes: Buffer, release: Release): AuthenticationConfiguration {
  if (bytes.length === 0) throw new AuthenticationConfigError('empty config data')
  if (bytes.length > MAX_BYTES) throw new AuthenticationConfigError(`the file has ${bytes.length} bytes, more than ${MAX_BYTES}`)
  try {
    // Decoded by the declarations, so the type is correct.
    return completeConfiguration(decodeConfigFile(bytes, typeIn(release)) as GivenConfiguration)
  } catch (error) {
    throw error instanceof DecodeError ? new AuthenticationConfigError(error.message) : error
  }
}

/** Type of the file in a release. Its declarations are loaded only if a file is configured. */
const typeIn =
  (release: Release): TypeOfConfig =>
  (apiVersion, kind) => {
    const since = Object.hasOwn(VERSIONS, apiVersion) ? VERSIONS[apiVersion] : undefined
    if (kind !== 'AuthenticationConfiguration' || since === undefined || !isSince(release, since)) return undefined
    const types = new TypeRegistry(minorOf(release)).addFile(
      'authenticationconfig',
      join(import.meta.dirname, 'authentication-configuration.types'),
    )
    return types.type('authenticationconfig.AuthenticationConfiguration')
  }
