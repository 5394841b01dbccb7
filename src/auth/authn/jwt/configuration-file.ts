import { join } from 'node:path'
import { decodeConfigFile, type TypeOfConfig } from '../../../codec/config-file.ts'
import { isSince, minorOf, type Release } from '../../../lifecycle/release.ts'
import { DecodeError } from '../../../schema/decode.ts'
import { TypeRegistry } from '../../../schema/idl.ts'
import { type AuthenticationConfiguration, completeConfiguration, type GivenConfiguration } from './configuration.ts'

/** The configuration of authentication can't be used; the message is for the user. */
export class AuthenticationConfigError extends Error {
  override readonly name = 'AuthenticationConfigError'
  /** As errors of the system have one: the user's to mend. */
  readonly code = 'ERR_AUTHENTICATION_CONFIG'
}

const GROUP = 'apiserver.config.k8s.io'
/** The first releases that have the kind in a version. */
const VERSIONS: Readonly<Record<string, Release>> = { [`${GROUP}/v1alpha1`]: '1.29', [`${GROUP}/v1beta1`]: '1.30', [`${GROUP}/v1`]: '1.34' }
/** Of a file, in bytes: what is larger was not meant. */
const MAX_BYTES = 8 << 20

/** Reads the bytes of a file of `--authentication-config`, strictly, as the release does. Throws AuthenticationConfigError in kube-apiserver's words. */
export function parseAuthenticationConfiguration(bytes: Buffer, release: Release): AuthenticationConfiguration {
  if (bytes.length === 0) throw new AuthenticationConfigError('empty config data')
  if (bytes.length > MAX_BYTES) throw new AuthenticationConfigError(`the file has ${bytes.length} bytes, more than ${MAX_BYTES}`)
  try {
    // The declarations admit nothing else.
    return completeConfiguration(decodeConfigFile(bytes, typeIn(release)) as GivenConfiguration)
  } catch (error) {
    throw error instanceof DecodeError ? new AuthenticationConfigError(error.message) : error
  }
}

/** Declarations are read when there is a file. */
const typeIn =
  (release: Release): TypeOfConfig =>
  (apiVersion, kind) => {
    const since = Object.hasOwn(VERSIONS, apiVersion) ? VERSIONS[apiVersion] : undefined
    if (kind !== 'AuthenticationConfiguration' || since === undefined || !isSince(release, since)) return undefined
    const types = new TypeRegistry(minorOf(release)).addFile('authenticationconfig', join(import.meta.dirname, 'authentication-configuration.types'))
    return types.type('authenticationconfig.AuthenticationConfiguration')
  }
