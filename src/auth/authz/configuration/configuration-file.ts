import { join } from 'node:path'
import { decodeConfigFile, type TypeOfConfig } from '../../../codec/config-file.ts'
import { aggregate } from '../../../lib/aggregate.ts'
import { isSince, minorOf, type Release } from '../../../lifecycle/release.ts'
import { fieldErrorText } from '../../../meta/field-error.ts'
import { DecodeError } from '../../../schema/decode.ts'
import { decodeAs } from '../../../schema/decode-as.ts'
import { TypeRegistry } from '../../../schema/idl.ts'
import type { AuthorizationConfiguration } from './authorization-configuration.types.ts'
import { type AuthorizerEntry, nameOfMode } from './configuration.ts'
import type { ConditionRules } from './match-conditions.ts'
import { validateConfiguration } from './validation.ts'

/** The authorization configuration is invalid. The message is kube-apiserver's, for the user. */
export class AuthorizationConfigError extends Error {
  override readonly name = 'AuthorizationConfigError'
  /** A code, as system errors have one, marks an error that the user can fix. */
  readonly code = 'ERR_AUTHORIZATION_CONFIG'
}

export interface ConfigurationRules extends ConditionRules {
  readonly release: Release
}

const GROUP = 'apiserver.config.k8s.io'
/** Release that introduced each version of the kind. */
const VERSIONS: Readonly<Record<string, Release>> = { [`${GROUP}/v1alpha1`]: '1.29', [`${GROUP}/v1beta1`]: '1.30', [`${GROUP}/v1`]: '1.32' }
const KIND = 'AuthorizationConfiguration'
/** Maximum size of the file in bytes. */
const MAX_BYTES = 8 << 20

/**
 * Parses the file of `--authorization-config`, strictly, as the release does. Throws AuthorizationConfigError. @param
 * requiredTypes modes that the file must contain.
 * https://kubernetes.io/docs/reference/access-authn-authz/authorization/#using-configuration-file-for-authorization
 */
export function parseAuthorizationConfiguration(
  bytes: Buffer,
  rules: ConfigurationRules,
  requiredTypes: readonly string[] = [],
): readonly AuthorizerEntry[] {
  if (bytes.length > MAX_BYTES) throw new AuthorizationConfigError(`the file has ${bytes.length} bytes, more than ${MAX_BYTES}`)
  const { entries, errors } = validateConfiguration(bytes.length === 0 ? {} : decodeConfiguration(bytes, rules.release), rules)
  if (errors.length > 0) throw new AuthorizationConfigError(aggregate(errors.map(fieldErrorText)))
  const faults = entries.flatMap(({ type, name }) =>
    type === 'Webhook' || name === nameOfMode(type) ? [] : [`expected name ${nameOfMode(type)} for authorizer ${type} instead of ${name}`],
  )
  const missing = requiredTypes.filter(type => !entries.some(entry => entry.type === type)).sort()
  if (missing.length > 0) faults.push(`missing required types: [${missing.join(' ')}]`)
  if (faults.length > 0) throw new AuthorizationConfigError(aggregate(faults))
  return entries
}

/** Decodes the file strictly, with the types of the release. Throws AuthorizationConfigError. */
function decodeConfiguration(bytes: Buffer, release: Release): AuthorizationConfiguration {
  const types = new TypeRegistry(minorOf(release)).addFile(
    'authorizationconfig',
    join(import.meta.dirname, 'authorization-configuration.types'),
  )
  const schema = types.type(`authorizationconfig.${KIND}`)
  const typeOf: TypeOfConfig = (apiVersion, kind) => {
    const since = Object.hasOwn(VERSIONS, apiVersion) ? VERSIONS[apiVersion] : undefined
    return kind === KIND && since !== undefined && isSince(release, since) ? schema : undefined
  }
  try {
    return decodeAs<AuthorizationConfiguration>(schema, decodeConfigFile(bytes, typeOf))
  } catch (error) {
    throw error instanceof DecodeError ? new AuthorizationConfigError(`failed to load ${KIND} from file: ${error.message}`) : error
  }
}
