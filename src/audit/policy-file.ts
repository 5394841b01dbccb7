import { join } from 'node:path'
import { declarationsOf } from '../api/packages.ts'
import { decodeBody, typeOfBody } from '../codec/body.ts'
import { parseYaml, YamlError } from '../codec/yaml.ts'
import { aggregate } from '../lib/aggregate.ts'
import { readConfigFile } from '../lib/bounded-input.ts'
import { errorMessage } from '../lib/error-message.ts'
import { fieldErrorText } from '../meta/field-error.ts'
import { DecodeError } from '../schema/decode.ts'
import { TypeRegistry } from '../schema/idl.ts'
import type { AuditPolicy } from './policy.ts'
import { type GivenPolicy, validateAuditPolicy } from './policy-validation.ts'

/** An audit configuration is invalid. The message is for the user. */
export class AuditConfigError extends Error {
  override readonly name = 'AuditConfigError'
  /** Distinguishes a configuration error from a bug, like the codes of system errors. */
  readonly code = 'ERR_AUDIT_CONFIG'
}

const API_VERSION = 'audit.k8s.io/v1'

/**
 * Reads and validates a policy. As in kube-apiserver, errors of strict decoding are passed to `warn` and otherwise
 * ignored. Throws AuditConfigError with kube-apiserver's messages.
 */
export async function readPolicyFile(file: string, warn: (message: string) => void): Promise<AuditPolicy> {
  const failed = (why: string): AuditConfigError => new AuditConfigError(`loading audit policy file: ${why}`)
  const bytes = await readConfigFile(file).catch((error: unknown) => {
    throw failed(`failed to read file path ${JSON.stringify(file)}: ${errorMessage(error)}`)
  })
  const refuse = (why: string): AuditConfigError => failed(`${why}: from file ${file}`)
  const given = decodePolicy(bytes, refuse, warn)
  const errors = validateAuditPolicy(given).map(fieldErrorText)
  if (errors.length > 0) throw refuse(aggregate(errors))
  if ((given.rules ?? []).length === 0) throw refuse('loaded illegal policy with 0 rules')
  // Levels and stages have been validated.
  return given as AuditPolicy
}

/** Decodes a policy with upstream's messages. A missing kind means Policy; a missing version is an error. */
function decodePolicy(bytes: Buffer, refuse: (why: string) => AuditConfigError, warn: (message: string) => void): GivenPolicy {
  try {
    const parsed = parseYaml(bytes)
    const { apiVersion, kind } = typeOfBody(parsed.value)
    if (apiVersion === '') throw refuse('unknown group version field audit.k8s.io/__internal, Kind=Policy in policy')
    if (apiVersion === API_VERSION && KINDS.includes(kind))
      throw refuse(`failed decoding: converting (v1.${kind}) to (audit.Policy): unknown conversion`)
    if (apiVersion !== API_VERSION || (kind !== '' && kind !== 'Policy'))
      throw refuse(
        `failed decoding: no kind ${JSON.stringify(kind || 'Policy')} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:110"`,
      )
    const { object, strict, strictText } = decodeBody(policyTypes().type('audit.Policy'), parsed)
    if (strict.length > 0) warn(`Audit policy contains errors, falling back to lenient decoding: strict decoding error: ${strictText}`)
    return object as GivenPolicy
  } catch (error) {
    if (error instanceof YamlError || error instanceof DecodeError) throw refuse(`failed decoding: ${error.message}`)
    throw error
  }
}

/** Other kinds of the version. */
const KINDS: readonly string[] = ['Event', 'EventList', 'PolicyList']

/** Parsed on demand: a server without auditing does not need the types. */
const policyTypes = (): TypeRegistry =>
  new TypeRegistry().addFile('meta', declarationsOf('meta')).addFile('audit', join(import.meta.dirname, 'audit-policy.types'))
